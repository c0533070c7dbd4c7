/* Closes events that take long to close in a child process, for which nothing waits. Layer: open */
#ifndef CORE_RECORD_OPEN_CLOSE_ASYNC_H
#define CORE_RECORD_OPEN_CLOSE_ASYNC_H

#include <stddef.h>

/*
 * Makes a child process that inherits the @nr descriptors. The caller then closes its own, which is quick, and after them the
 * returned descriptor, for which the child waits, so that the child's close is the last. Returns -1 if there can be no child.
 */
int close_async(const int *fds, size_t nr);

#endif
