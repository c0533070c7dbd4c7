/* The process that runs --on-file. Layer: record */
#include "core/record/on_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"

#define NICE 10		/* less urgent than what is recorded, and than who records it */

/* ---- the process ---- */

/* As a word for sh(1), whatever is in it. */
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

/* Prints how it ended, where that is no success. */
static void say(const char *command, const char *path, int status)
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
		execl("/bin/sh", "sh", "-c", text.data, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		error("--on-file: cannot run '%s' for '%s': %s; the file stays", command, path, strerror(errno));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		say(command, path, status);
	buf_release(&text);
}

/* Run the command for all names that are whole, and keep the rest. */
static void take_names(struct buf *in, const char *command)
{
	char *end, *at = in->data;

	while ((end = memchr(at, 0, in->len - (size_t)(at - in->data)))) {
		run_command(command, at);
		at = end + 1;
	}
	in->len -= (size_t)(at - in->data);
	memmove(in->data, at, in->len);
}

/* Of its own process group, that Ctrl-C ends the recording and not what is done with its files. */
static void stand_aside(int names, const sigset_t *mask)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (nice(NICE) < 0)
		debug(1, "--on-file: runs as urgent as the recorder");
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (names > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned)names - 1, 0);
	close_range((unsigned)names + 1, ~0u, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static void handle_files(int names, const char *command)
{
	struct buf in = {0};
	ssize_t n;

	do {
		n = read(names, buf_room(&in, 4096), 4096);
		if (n <= 0)
			continue;
		in.len += (size_t)n;
		take_names(&in, command);
	} while (n > 0 || (n < 0 && errno == EINTR));
	_exit(0);
}

/* ---- the recorder's side ---- */

int on_file_begin(struct on_file *f, const char *command, const sigset_t *mask)
{
	int ends[2];

	if (!command)
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return error("--on-file: cannot make a pipe: %s", strerror(errno));
	f->pid = fork();
	if (!f->pid) {
		close(ends[1]);
		stand_aside(ends[0], mask);
		handle_files(ends[0], command);
	}
	close(ends[0]);
	if (f->pid < 0) {
		close(ends[1]);
		return error("--on-file: cannot fork: %s", strerror(errno));
	}
	/* A command that takes longer than files come must not hold up the recorder. */
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	f->names = ends[1];
	return 0;
}

void on_file_give(struct on_file *f, const char *path)
{
	if (f->names < 0)
		return;
	/* No name is longer than what a pipe takes as a whole or not at all (PIPE_BUF). */
	if (write(f->names, path, strlen(path) + 1) < 0)
		error("--on-file: '%s' is not handed over: %s", path,
			errno == EAGAIN ? "the command is too far behind" : strerror(errno));
}

void on_file_end(struct on_file *f)
{
	if (f->names < 0)
		return;
	close(f->names);
	f->names = -1;
	while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
