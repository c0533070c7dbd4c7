/*
 * Signals while the browser has the terminal. SIGINT, SIGTSTP and the like are read from a signalfd; a fault (SIGSEGV ...) first
 * runs the hook of log_at_crash(), which restores the terminal.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_TTY_SIGNALS_H
#define CORE_SHOW_BROWSE_TTY_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define MAX_TAKEN_SIGNALS 32

struct tty_signals {			/* tty_signals_install(), tty_signals_release() */
	int fd;				/* to be polled; -1: there is none */
	sigset_t mask_before;
	struct sigaction before[MAX_TAKEN_SIGNALS];	/* as signals.c lists them */
};

/* Takes signals for this thread and the threads it starts. Ignored signals stay ignored. */
void tty_signals_install(struct tty_signals *s);
/* All is as it was before tty_signals_install(), also what a library made of it meanwhile. */
void tty_signals_release(struct tty_signals *s);
/* The next one that has come; 0: none. */
int tty_signals_next(const struct tty_signals *s);
/* True if the signal ends programs. */
bool tty_signal_ends(int number);
/*
 * Stop as SIGTSTP does, until SIGCONT. False: it was not stopped, as no shell is there that would continue it. Afterwards
 * tty_signals_next() has what else came.
 */
bool tty_signals_stop(void);

#endif
