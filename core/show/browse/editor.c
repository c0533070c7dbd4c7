/*
 * Starts the user's editor ($VISUAL or $EDITOR) as a child process at a line of a source file. browse.c starts the editor when the
 * user presses o or O.
 */
#include "core/show/browse/editor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/util.h"

const char *editor_of_user(void)
{
	static const char *const names[] = { "VISUAL", "EDITOR" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *editor = getenv(names[i]);

		if (editor && *editor)
			return editor;
	}
	return NULL;
}

int editor_can_open(const char *path)
{
	int fd = open_regular(path);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The editor reads from the terminal at standard output, because standard input may be the recording. */
static void use_streams(int err)
{
	if (!isatty(STDIN_FILENO))
		dup2(STDOUT_FILENO, STDIN_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
}

/* "./": a relative path could be read as an option or a command (+). exec: a waiting shell ends at Ctrl-C, the editor may not. */
pid_t editor_start(const char *editor, const char *path, uint32_t line, int err, const sigset_t *mask)
{
	char *command = xasprintf("exec %s \"$@\"", editor), *at = xasprintf("+%u", line);
	char *file = xasprintf("%s%s", *path == '/' ? "" : "./", path);
	pid_t pid = fork();

	if (!pid) {
		use_streams(err);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execl("/bin/sh", "sh", "-c", command, editor, at, file, (char *)NULL);
		_exit(127);
	}
	free(command);
	free(at);
	free(file);
	return pid;
}
