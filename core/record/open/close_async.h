/*
 * Closes event file descriptors in a forked process of prec. The kernel takes long to close some events, and prec does not wait
 * for that. event_set.c calls it for tracepoints.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_CLOSE_ASYNC_H
#define CORE_RECORD_OPEN_CLOSE_ASYNC_H

#include <stddef.h>

/*
 * Makes a child process that inherits the @nr descriptors, and returns another descriptor for which the child waits. The caller
 * closes its own @nr descriptors, which is quick, and then the returned one, so that the child's close is the last. Returns -1
 * if no child can be made.
 */
int close_async(const int *fds, size_t nr);

#endif
