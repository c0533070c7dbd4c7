/*
 * Finds the name of a process's file descriptor: the path of a file, the addresses of a socket, or the number of a pipe.
 * core/record/loop/descriptors.c records the name, to show what a thread waited for.
 */
#ifndef CORE_RECORD_HOST_DESCRIPTOR_NAME_H
#define CORE_RECORD_HOST_DESCRIPTOR_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/*
 * Appends the link in /proc/PID/fd: "/path/of/file", "pipe:[812]" or "socket:[813]". Returns 0 or -errno: -ENOENT if the
 * descriptor is closed, -ESRCH if the process has ended, -EACCES if this user may not read the link.
 */
int descriptor_link(uint32_t pid, uint32_t fd, struct buf *out);
/*
 * Appends a socket's name: "tcp 127.0.0.1:80" (the peer), "tcp listening 0.0.0.0:80" or "unix /path". Appends nothing without
 * permission, or if the socket has no name. Takes a copy of the descriptor for some microseconds. Meanwhile the process cannot
 * close the socket, so call this seldom. Returns true if the name is final, which it is not while the socket is connecting.
 */
bool descriptor_socket(uint32_t pid, uint32_t fd, struct buf *out);

#endif
