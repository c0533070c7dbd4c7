/*
 * Passes finished files to a command (--on-file), one after the other, in a separate process: it gets names through a pipe, so that
 * the recorder never waits for the command. It is started before events and files are opened, so that it inherits no descriptors.
 * Layer: trigger
 */
#ifndef CORE_RECORD_TRIGGER_ON_FILE_H
#define CORE_RECORD_TRIGGER_ON_FILE_H

#include <signal.h>
#include <sys/types.h>

struct on_file {
	int names;		/* to the process: each with its NUL; -1: there is none */
	int done;		/* from it: a byte for each that was handled */
	pid_t pid;
	size_t waiting;		/* handed over, and not known to have been handled */
};

#define ON_FILE_INIT { .names = -1 }

/*
 * @command is for sh(1): each {} in it becomes the file's name, quoted; without any it is the last word. NULL: none is wanted.
 * @mask: the signal mask of the command. Prints errors; returns 0 or -1.
 */
int on_file_begin(struct on_file *f, const char *command, const sigset_t *mask);
/* Passes a file on. A file that cannot be passed on is reported, and left as it is. */
void on_file_give(struct on_file *f, const char *path);
/* How many of the files that were handed over last the command has not ended for. */
size_t on_file_waiting(struct on_file *f);
/* Wait until all files were handled. */
void on_file_end(struct on_file *f);

#endif
