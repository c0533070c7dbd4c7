/*
 * Catches the signals that end, stop or crash prec while the browser has the terminal, so that the terminal is restored first. A
 * signalfd delivers signals such as SIGINT, and handlers catch faults such as SIGSEGV.
 */
#include "core/show/browse/tty_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/log.h"

enum effect { ENDS, STOPS, TELLS, FAULT };	/* TELLS: reports a change of the terminal or of the job */

static const struct { int number; enum effect effect; } taken[] = {
	{ SIGINT, ENDS }, { SIGTERM, ENDS }, { SIGHUP, ENDS }, { SIGQUIT, ENDS }, { SIGALRM, ENDS }, { SIGVTALRM, ENDS },
	{ SIGPROF, ENDS }, { SIGUSR1, ENDS }, { SIGUSR2, ENDS }, { SIGXCPU, ENDS }, { SIGXFSZ, ENDS },
	{ SIGTSTP, STOPS }, { SIGCONT, TELLS }, { SIGWINCH, TELLS },
	{ SIGSEGV, FAULT }, { SIGABRT, FAULT }, { SIGFPE, FAULT }, { SIGILL, FAULT }, { SIGSYS, FAULT }, { SIGTRAP, FAULT },
};

_Static_assert(ARRAY_SIZE(taken) <= MAX_TAKEN_SIGNALS, "there is room for each");

/* Restores the terminal and raises the fault again, which ends the process because of SA_RESETHAND. */
static void on_fault(int number)
{
	log_run_at_crash();
	raise(number);
}

static bool is_default(const struct sigaction *a)
{
	return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_DFL;
}

static bool is_ignored(const struct sigaction *a)
{
	return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_IGN;
}

void tty_signals_install(struct tty_signals *s)
{
	const struct sigaction fault = { .sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		sigaction(taken[i].number, NULL, &s->before[i]);
		/* A fault that already has a handler keeps it: those of sanitizers print more. */
		if (taken[i].effect == FAULT && is_default(&s->before[i]))
			sigaction(taken[i].number, &fault, NULL);
		else if (taken[i].effect != FAULT && !is_ignored(&s->before[i]))
			sigaddset(&set, taken[i].number);
	}
	pthread_sigmask(SIG_BLOCK, &set, &s->mask_before);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void tty_signals_release(struct tty_signals *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i].number, &s->before[i], NULL);
	pthread_sigmask(SIG_SETMASK, &s->mask_before, NULL);
}

int tty_signals_next(const struct tty_signals *s)
{
	struct signalfd_siginfo info;

	return read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info) ? (int)info.ssi_signo : 0;
}

bool tty_signal_ends(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (taken[i].number == number)
			return taken[i].effect == ENDS;
	return false;
}

static bool is_pending(int number)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, number) == 1;
}

bool tty_signals_stop(void)
{
	const struct sigaction stop = { .sa_handler = SIG_DFL };
	struct sigaction of_library;
	sigset_t set, mask;
	bool was_stopped;

	sigaction(SIGTSTP, &stop, &of_library);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &set, &mask);	/* the process stops here */
	was_stopped = is_pending(SIGCONT);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &of_library, NULL);
	return was_stopped;
}
