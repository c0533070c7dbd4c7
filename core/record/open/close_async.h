/* Closes events that take long to close in a child process, for which nothing waits. Layer: open */
#ifndef CORE_RECORD_OPEN_CLOSE_ASYNC_H
#define CORE_RECORD_OPEN_CLOSE_ASYNC_H

#include <stddef.h>

/*
 * Let a child hold the @nr files. The caller closes its own, which is quick then, and after that the file that is
 * returned: for this the child waits, so that it is the last. -1: there can be no child.
 */
int close_async(const int *fds, size_t nr);

#endif
