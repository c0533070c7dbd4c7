/* Forks, executes and ends the command that is recorded. */
#include "core/record/loop/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/util.h"

static int exec_status(int err)
{
	return err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int cannot_run(const char *command, int err)
{
	if (err == ENOENT && !access(command, X_OK))
		error("cannot run '%s': the interpreter that it names does not exist", command);
	else
		error("cannot run '%s': %s", command, err == ENOENT ? "command not found" : strerror(err));
	return exec_status(err);
}

/* Returns 0, or the errno value that explains why @path cannot be executed. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

/* The kernel ends a task's events if it executes a program with other rights, or an unreadable one (begin_new_exec()). */
static void warn_of_other_rights(const char *path)
{
	struct stat st;

	if (!geteuid() || stat(path, &st))
		return;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	    getxattr(path, "security.capability", NULL, 0) > 0)
		warning("'%s' runs with other rights than yours (setuid, setgid, or capabilities of the file): "
			"the kernel lets only root record it, and there will be no samples of it", path);
	else if (access(path, R_OK))
		warning("'%s' may not be read by you: the kernel lets only root record it, and there will be no samples of it",
			path);
}

int workload_check(const char *command, bool task_events)
{
	const char *dir = getenv("PATH");
	int err = ENOENT;

	if (strchr(command, '/') || !dir) {
		err = executable(command);
		if (!err && task_events)
			warn_of_other_rights(command);
		return err ? cannot_run(command, err) : 0;
	}
	for (;;) {
		size_t n = strcspn(dir, ":");
		char *path = xasprintf("%.*s%s%s", (int)n, dir, n ? "/" : "", command);
		int failed = executable(path);

		if (!failed && task_events)
			warn_of_other_rights(path);
		free(path);
		if (!failed)
			return 0;
		if (failed == EACCES)
			err = failed;
		if (!dir[n])
			return cannot_run(command, err);
		dir += n + 1;
	}
}

/* Runs in the child. The command inherits only the descriptors that the user gave prec. */
static void child(char *const argv[], int go, int failed, const sigset_t *mask, bool stdout_taken, bool stops)
{
	char byte;

	if (stdout_taken && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(1);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	/* Ctrl-C while events are being opened: end the command here, before it has exec'ed. */
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (stops)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execvp(argv[0], argv);
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(1);
	_exit(exec_status(errno));
}

int workload_fork(struct workload *w, char *const argv[], const sigset_t *mask, bool stdout_taken, bool stops)
{
	int go[2], failed[2];

	*w = (struct workload){ .go = -1, .failed = -1, .stops = stops };
	if (pipe2(go, O_CLOEXEC))
		return error("cannot create a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error("cannot create a pipe: %s", strerror(errno));
	}
	w->pid = fork();
	if (!w->pid) {
		/* With a copy of the writing end, the child would not notice that prec closes the pipe. */
		close(go[1]);
		child(argv, go[0], failed[1], mask, stdout_taken, stops);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	return error("cannot fork: %s", strerror(errno));
}

/* A traced program stops with SIGTRAP after its exec (ptrace(2), PTRACE_TRACEME). */
static void await_stop(struct workload *w)
{
	while (wait4(w->pid, &w->status, 0, &w->usage) < 0 && errno == EINTR)
		;
	w->ended = !WIFSTOPPED(w->status);
}

void workload_continue(struct workload *w)
{
	if (w->stops && !w->ended)
		ptrace(PTRACE_DETACH, w->pid, NULL, NULL);
	w->stops = false;
}

int workload_go(struct workload *w, const char *command)
{
	int err = 0, sent = (int)write(w->go, "", 1);
	unsigned interrupted = 0;
	ssize_t n;

	close(w->go);
	w->go = -1;
	/* A successful exec closes the other end. */
	do
		n = read(w->failed, &err, sizeof(err));
	while (interrupted_call(n, &interrupted));
	close(w->failed);
	w->failed = -1;
	if (sent != 1 || n == (ssize_t)sizeof(err))
		return cannot_run(command, err);
	if (w->stops)
		await_stop(w);
	return 0;
}

bool workload_poll(struct workload *w)
{
	if (w->pid && !w->ended && wait4(w->pid, &w->status, WNOHANG, &w->usage) == w->pid)
		w->ended = true;
	return w->ended;
}

void workload_wait(struct workload *w)
{
	while (w->pid && !w->ended && wait4(w->pid, &w->status, 0, &w->usage) < 0 && errno == EINTR)
		;
	w->ended = w->pid;
}

/* Ends a child that has not executed the command: it exits by itself when it gets no byte from prec. */
static void abandon(struct workload *w)
{
	close(w->go);
	close(w->failed);
	workload_wait(w);
	w->pid = 0;
}

int workload_finish(struct workload *w, const char *command, const char *why)
{
	bool is_ours;

	if (!w->pid)
		return 0;
	if (w->go >= 0) {
		abandon(w);
		return 0;
	}
	is_ours = !workload_poll(w) && !kill(w->pid, SIGTERM) && why;
	workload_continue(w);
	workload_wait(w);
	w->pid = 0;
	if (!WIFSIGNALED(w->status))
		return WEXITSTATUS(w->status);
	if (is_ours && WTERMSIG(w->status) == SIGTERM)
		info("'%s' was ended by prec (SIGTERM): %s", command, why);
	else
		info("'%s' was ended by signal %d (%s)", command, WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
	return EXIT_BY_SIGNAL + WTERMSIG(w->status);
}
