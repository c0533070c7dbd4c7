/*
 * Lets the browser restore the terminal before a signal ends or stops prec. browse.c polls a descriptor for signals such as
 * SIGINT and SIGTSTP. After a fault such as SIGSEGV, the hook of log_at_crash() restores the terminal.
 */
#ifndef CORE_SHOW_BROWSE_TTY_SIGNALS_H
#define CORE_SHOW_BROWSE_TTY_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define MAX_TAKEN_SIGNALS 32

struct tty_signals {			/* tty_signals_install(), tty_signals_release() */
	int fd;				/* the signalfd, to be polled; -1: not open */
	sigset_t mask_before;
	struct sigaction before[MAX_TAKEN_SIGNALS];	/* in the order of the table in tty_signals.c */
};

/* Also of threads started later. Ignored signals stay ignored. A fault's handler runs the hook of log_at_crash(). */
void tty_signals_install(struct tty_signals *s);
/* Restores the handlers and the mask from before tty_signals_install(), even if a library has changed them since. */
void tty_signals_release(struct tty_signals *s);
/* 0: none. */
int tty_signals_next(const struct tty_signals *s);
bool tty_signal_ends(int number);
/* As SIGTSTP does, until SIGCONT. False: no shell would continue it. tty_signals_next() then returns signals that came. */
bool tty_signals_stop(void);

#endif
