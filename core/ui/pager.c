/* Starts a pager such as less as a child process, and redirects the output of prec to it. */
#include "core/ui/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/terminal.h"

/* F: short text stays on the screen; S: long lines are cut; R: colours are shown; X: the screen is not cleared; K: ^C ends less. */
#define LESS_OPTIONS "FRSXK"

struct pager {
	pid_t pid;
	int saved[2];			/* standard output and standard error as they were; -1: not redirected */
	struct sigaction interrupt;
	pthread_t waiter;
	bool has_waiter;
	atomic_bool ending;		/* all output is written, so the waiter thread does not end the program */
};

/* Returns the pager's command for sh -c. NULL: there is no pager, or @t cannot show one. */
static const char *pager_command(const struct terminal *t)
{
	const char *command = getenv("PREC_PAGER");
	char *less;

	if (!t->is_terminal || t->dumb)
		return NULL;
	if (!command)
		command = getenv("PAGER");
	if (!command) {
		less = program_in_path("less");
		command = less ? "less -" LESS_OPTIONS : "";
		free(less);
	}
	return !*command || str_eq(command, "cat") ? NULL : command;
}

/* Runs in the child. The pager must not outlive this program, or it would keep the terminal. */
static void become_pager(const char *command, int input, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent || dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	setenv("LESS", LESS_OPTIONS, false);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void *wait_for_pager(void *arg)
{
	struct pager *p = arg;

	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!atomic_load(&p->ending))
		_exit(0);
	return NULL;
}

static int redirect(int fd, int to)
{
	int saved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (saved >= 0)
		dup2(to, fd);
	return saved;
}

static struct pager *start(const char *command, bool end_with_it)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	pid_t parent = getpid();
	struct pager *p;
	int fds[2];

	if (!command || pipe2(fds, O_CLOEXEC))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	fflush(stdout);
	p->pid = fork();
	if (!p->pid)
		become_pager(command, fds[0], parent);
	close(fds[0]);
	if (p->pid < 0) {
		close(fds[1]);
		free(p);
		return NULL;
	}
	sigaction(SIGINT, &ignore, &p->interrupt);
	p->saved[0] = redirect(STDOUT_FILENO, fds[1]);
	p->saved[1] = isatty(STDERR_FILENO) ? redirect(STDERR_FILENO, fds[1]) : -1;
	close(fds[1]);
	p->has_waiter = end_with_it && !pthread_create(&p->waiter, NULL, wait_for_pager, p);
	return p;
}

void pager_end(struct pager *p)
{
	static const int fds[] = { STDOUT_FILENO, STDERR_FILENO };

	if (!p)
		return;
	fflush(stdout);
	atomic_store(&p->ending, true);
	for (unsigned i = 0; i < ARRAY_SIZE(fds); i++)
		if (p->saved[i] >= 0) {
			dup2(p->saved[i], fds[i]);
			close(p->saved[i]);
		}
	if (p->has_waiter)
		pthread_join(p->waiter, NULL);
	else
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	sigaction(SIGINT, &p->interrupt, NULL);
	free(p);
}

struct pager *pager_start(const struct terminal *t, bool end_with_it)
{
	return start(pager_command(t), end_with_it);
}

/* Starts the pager. less, and only less, shows @line in the middle of the screen, unless the first screen has it. */
static struct pager *start_at(const struct terminal *t, size_t line)
{
	const char *command = pager_command(t);
	char *at = command && str_starts(command, "less") && line >= t->height ?
		   xasprintf("%s +%zu", command, line - t->height / 2) : NULL;
	struct pager *p = start(at ? at : command, false);

	free(at);
	return p;
}

static bool is_longer(const struct buf *text, unsigned lines)
{
	const char *at = text->data, *end = at + text->len;

	for (; lines && at && at < end; lines--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return at && at < end;
}

int pager_show(const struct terminal *t, bool no_pager, struct buf *out)
{
	return pager_show_at(t, no_pager, 0, out);
}

int pager_show_at(const struct terminal *t, bool no_pager, size_t line, struct buf *out)
{
	struct pager *p = NULL;
	int err;

	/* The last line of the screen is for the shell's prompt. */
	if (!no_pager && t->is_terminal && is_longer(out, t->height - 1))
		p = start_at(t, line);
	err = write_buf(STDOUT_FILENO, out);
	pager_end(p);
	return err;
}
