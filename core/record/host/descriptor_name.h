/* Names a descriptor of a process: a path, a socket with its peer, a pipe. Layer: host */
#ifndef CORE_RECORD_HOST_DESCRIPTOR_NAME_H
#define CORE_RECORD_HOST_DESCRIPTOR_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/*
 * Append what /proc/PID/fd says: "/path/of/file", "pipe:[812]", "socket:[813]". Returns 0 or -errno: -ENOENT if it is closed,
 * -ESRCH if the process has ended, -EACCES if it may not be known.
 */
int descriptor_link(uint32_t pid, uint32_t fd, struct buf *out);
/*
 * Appends a socket's name: "tcp 127.0.0.1:80" (the peer), "tcp listening 0.0.0.0:80", "unix /path"; nothing without
 * permission, or without a name. Takes a copy of the descriptor for some microseconds, in which closing it in its process has
 * no effect: call it seldom. Returns true if the name is final: not while it is connecting.
 */
bool descriptor_socket(uint32_t pid, uint32_t fd, struct buf *out);

#endif
