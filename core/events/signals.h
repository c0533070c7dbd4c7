/*
 * The recorder's signals, as a file descriptor to wait for.
 * Layer: events
 */
#ifndef CORE_EVENTS_SIGNALS_H
#define CORE_EVENTS_SIGNALS_H

#include <signal.h>

/*
 * Block what may stop or trigger a recording and return a signalfd of it (close-on-exec, owned by the caller), or -1
 * (printed). @old: the mask as it was, for the command.
 */
int signals_catch(sigset_t *old);
/* The next signal that came, or 0. */
int signals_next(int fd);
/* Forget those that came - a write to a closed pipe left a SIGPIPE - and let further ones act as they did before. */
void signals_release(int fd, const sigset_t *old);

#endif
