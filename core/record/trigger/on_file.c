/* Runs the command of --on-file in a process of its own, once for each finished file. */
#include "core/record/trigger/on_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"

#define NICE 10		/* less urgent than the recorded programs, and than the recorder */

/* ---- the process ---- */

/* Quotes any path as one word for sh(1). */
static void put_quoted(struct buf *out, const char *path)
{
	buf_putc(out, '\'');
	for (; *path; path++) {
		if (*path == '\'')
			buf_puts(out, "'\\'");
		buf_putc(out, *path);
	}
	buf_putc(out, '\'');
}

static void put_command(struct buf *out, const char *command, const char *path)
{
	const char *at;

	if (!strstr(command, "{}")) {
		buf_printf(out, "%s ", command);
		put_quoted(out, path);
		return;
	}
	while ((at = strstr(command, "{}"))) {
		buf_put(out, command, (size_t)(at - command));
		put_quoted(out, path);
		command = at + 2;
	}
	buf_puts(out, command);
}

/* Prints how the command ended, unless it succeeded. */
static void report_status(const char *command, const char *path, int status)
{
	if (WIFSIGNALED(status))
		error("--on-file: signal %d ended '%s' for '%s'; the file stays", WTERMSIG(status), command, path);
	else if (WEXITSTATUS(status))
		error("--on-file: '%s' failed for '%s' (status %d); the file stays", command, path, WEXITSTATUS(status));
}

static void run_command(const char *command, const char *path)
{
	struct buf text = {0};
	int status = 0;
	pid_t pid;

	put_command(&text, command, path);
	buf_putc(&text, 0);
	pid = fork();
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", text.data, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		error("--on-file: cannot run '%s' for '%s': %s; the file stays", command, path, strerror(errno));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		report_status(command, path, status);
	buf_release(&text);
}

/* Runs the command for each complete name in @in, and writes a byte to @done after each. Keeps an incomplete name. */
static void read_names(struct buf *in, const char *command, int done)
{
	char *end, *at = in->data;

	while ((end = memchr(at, 0, in->len - (size_t)(at - in->data)))) {
		run_command(command, at);
		if (write(done, "", 1) < 0)
			debug(1, "--on-file: the recorder is gone");
		at = end + 1;
	}
	in->len -= (size_t)(at - in->data);
	memmove(in->data, at, in->len);
}

/* Runs in a process group of its own, so that Ctrl-C ends the recording but not the work on its files. */
static void stand_aside(int names, int done, const sigset_t *mask)
{
	unsigned low = (unsigned)MIN(names, done), high = (unsigned)MAX(names, done);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (nice(NICE) < 0)
		debug(1, "--on-file: runs as urgent as the recorder");
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
	/* The recorder may be killed while its files are handled. */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static void handle_files(int names, int done, const char *command)
{
	struct buf in = {0};
	ssize_t n;

	do {
		n = read(names, buf_room(&in, 4096), 4096);
		if (n <= 0)
			continue;
		in.len += (size_t)n;
		read_names(&in, command, done);
	} while (n > 0 || (n < 0 && errno == EINTR));
	_exit(0);
}

/* ---- the recorder's side ---- */

static int make_pipes(int *names, int *done)
{
	if (pipe2(names, O_CLOEXEC))
		return -1;
	if (!pipe2(done, O_CLOEXEC | O_NONBLOCK))
		return 0;
	close(names[0]);
	close(names[1]);
	return -1;
}

int on_file_begin(struct on_file *f, const char *command, const sigset_t *mask)
{
	int names[2], done[2];

	if (!command)
		return 0;
	if (make_pipes(names, done))
		return error("--on-file: cannot make a pipe: %s", strerror(errno));
	f->pid = fork();
	if (!f->pid) {
		close(names[1]);
		close(done[0]);
		stand_aside(names[0], done[1], mask);
		handle_files(names[0], done[1], command);
	}
	close(names[0]);
	close(done[1]);
	/* A command that takes longer than files come must not hold up the recorder. */
	fcntl(names[1], F_SETFL, O_NONBLOCK);
	f->names = names[1];
	f->done = done[0];
	if (f->pid > 0)
		return 0;
	close(f->names);
	close(f->done);
	f->names = -1;
	return error("--on-file: cannot fork: %s", strerror(errno));
}

void on_file_give(struct on_file *f, const char *path)
{
	if (f->names < 0)
		return;
	/* A pipe takes a name as a whole or not at all, because no name is longer than PIPE_BUF. */
	if (write(f->names, path, strlen(path) + 1) < 0)
		error("--on-file: '%s' is not handed over: %s", path,
			errno == EAGAIN ? "the command is too far behind" : strerror(errno));
	else
		f->waiting++;
}

size_t on_file_waiting(struct on_file *f)
{
	char bytes[256];
	ssize_t n;

	while (f->names >= 0 && (n = read(f->done, bytes, sizeof(bytes))) > 0)
		f->waiting -= MIN((size_t)n, f->waiting);
	return f->waiting;
}

void on_file_end(struct on_file *f)
{
	if (f->names < 0)
		return;
	close(f->names);
	f->names = -1;
	while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(f->done);
	f->waiting = 0;
}
