/*
 * Reads signals from a signalfd, so that the recorder's epoll can wait for them: SIGINT or SIGTERM ends a recording, and SIGUSR2
 * requests an AUX snapshot or a new output file.
 */
#ifndef CORE_RECORD_LOOP_SIGNALS_H
#define CORE_RECORD_LOOP_SIGNALS_H

#include <signal.h>

/* Blocks SIGUSR2, which would kill prec before it is handled. @old is set to the previous mask, for the command. */
void signals_hold(sigset_t *old);
/*
 * Blocks the signals that may stop or trigger a recording, and those in @more. Returns a signalfd for them (close-on-exec, owned
 * by the caller), on which pending signals show as well. Returns -1 after printing an error.
 */
int signals_catch(const sigset_t *more);
/* Returns the next signal that came, or 0. */
int signals_next(int fd);
/* Discards pending signals, such as SIGPIPE, and restores the mask @old. SIGUSR2 stays blocked. */
void signals_release(int fd, const sigset_t *old);

#endif
