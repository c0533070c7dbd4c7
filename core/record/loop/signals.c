/* Receives the recorder's signals through a signalfd. */
#include "core/record/loop/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/log.h"

void signals_hold(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, old);
}

/*
 * An ignored SIGHUP (nohup) stays ignored. SIGUSR2 is caught even if it has no use. SIGPIPE is caught so that a write to a closed
 * pipe is an error like others.
 */
int signals_catch(const sigset_t *more)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGQUIT, SIGCHLD, SIGUSR2, SIGPIPE };
	struct sigaction hup;
	sigset_t set;
	int fd;

	set = *more;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		sigaddset(&set, wanted[i]);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* The parent may have set SIGCHLD to be ignored; the kernel would then discard our child's status. */
	signal(SIGCHLD, SIG_DFL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error("cannot create a signalfd: %s", strerror(errno)) : fd;
}

void signals_release(int fd, const sigset_t *old)
{
	sigset_t set = *old;

	while (signals_next(fd))
		;
	/* A SIGUSR2 that comes too late must not kill prec. */
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

int signals_next(int fd)
{
	struct signalfd_siginfo s;

	return read(fd, &s, sizeof(s)) == sizeof(s) ? (int)s.ssi_signo : 0;
}
