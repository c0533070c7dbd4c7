/*
 * Closing that takes long, left to a child that nobody waits for.
 * Layer: events
 */
#ifndef CORE_EVENTS_CLOSE_BEHIND_H
#define CORE_EVENTS_CLOSE_BEHIND_H

#include <stddef.h>

/*
 * Let a child hold the @nr files and close them in its own time. The caller closes its own afterwards, which then is
 * quick; so it is where there can be no child.
 */
void close_behind(const int *fds, size_t nr);

#endif
