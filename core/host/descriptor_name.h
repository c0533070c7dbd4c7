/*
 * What a descriptor of a process is: a path, a socket and its peer, a pipe.
 * Layer: host
 */
#ifndef CORE_HOST_DESCRIPTOR_NAME_H
#define CORE_HOST_DESCRIPTOR_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/*
 * Append what /proc/PID/fd says: "/path/of/file", "pipe:[812]", "socket:[813]". Returns 0 or -errno: -ENOENT if it is closed,
 * -ESRCH if the process has ended, -EACCES if it may not be known.
 */
int descriptor_link(uint32_t pid, uint32_t fd, struct buf *out);
/*
 * Append what a socket is: "tcp 127.0.0.1:80" (who is on the other side), "tcp listening 0.0.0.0:80", "unix /path"; nothing where
 * it may not be asked, or has no name. Asking takes a copy of the descriptor for some microseconds, in which closing it in its
 * process has no effect: ask seldom. Returns whether it stays so: not while it is connecting.
 */
bool descriptor_socket(uint32_t pid, uint32_t fd, struct buf *out);

#endif
