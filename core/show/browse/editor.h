/* Opens the user's editor at a line of a file. Layer: browse */
#ifndef CORE_SHOW_BROWSE_EDITOR_H
#define CORE_SHOW_BROWSE_EDITOR_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* The streams and the signals that it gets. */
struct editor_streams {
	int err;		/* its standard error; below 0: ours */
	const sigset_t *mask;
};

/* VISUAL, or EDITOR: a command with its words. NULL: neither is set. */
const char *editor_of_user(void);
/* 0 if @path is a regular file that can be read, else -errno; -EINVAL: it is no regular file. Paths are what recordings say. */
int editor_can_open(const char *path);
/* Starts "EDITOR +LINE PATH" on the terminal. Returns its process, or -1 and errno. */
pid_t editor_start(const char *editor, const char *path, uint32_t line, const struct editor_streams *streams);

#endif
