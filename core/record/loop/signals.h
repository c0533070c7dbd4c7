/* The recorder's signals as a file descriptor, for its epoll. Layer: loop */
#ifndef CORE_RECORD_LOOP_SIGNALS_H
#define CORE_RECORD_LOOP_SIGNALS_H

#include <signal.h>

/*
 * Blocks SIGUSR2 from the start, so that it does not kill us if it comes before the recording can handle it.
 * @old: the mask of signals as it was, for the command.
 */
void signals_hold(sigset_t *old);
/*
 * Blocks the signals that may stop or trigger a recording and returns a signalfd of them (close-on-exec, owned by the
 * caller), or -1 (printed). Pending signals show there. @more are caught, too.
 */
int signals_catch(const sigset_t *more);
/* The next signal that came, or 0. */
int signals_next(int fd);
/*
 * Forget those that came - a write to a closed pipe left a SIGPIPE - and let further ones act as they did before, but for
 * SIGUSR2, which stays held.
 */
void signals_release(int fd, const sigset_t *old);

#endif
