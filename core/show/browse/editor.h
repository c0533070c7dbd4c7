/* Opens the user's editor ($VISUAL or $EDITOR) at a line of a source file. */
#ifndef CORE_SHOW_BROWSE_EDITOR_H
#define CORE_SHOW_BROWSE_EDITOR_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* The value of VISUAL or EDITOR, a command with arguments. NULL: neither is set. */
const char *editor_of_user(void);
/* 0 if @path, which comes from a recording, is a readable regular file; else -errno; -EINVAL: it is not a regular file. */
int editor_can_open(const char *path);
/* @err: its standard error (below 0: ours). @mask: its signal mask. Returns its process, or -1 and errno. */
pid_t editor_start(const char *editor, const char *path, uint32_t line, int err, const sigset_t *mask);

#endif
