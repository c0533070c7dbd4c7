/*
 * Runs the command of --on-file for each finished output file, one file after the other, in a separate process. The recorder
 * (core/record/loop/recorder.c) does not wait for the command while it records.
 */
#ifndef CORE_RECORD_TRIGGER_ON_FILE_H
#define CORE_RECORD_TRIGGER_ON_FILE_H

#include <signal.h>
#include <sys/types.h>

struct on_file {
	int names;		/* pipe to the process: NUL-terminated names; -1: there is no process */
	int done;		/* pipe from the process: a byte for each file that was handled */
	pid_t pid;
	size_t waiting;		/* number of files that were passed and are not known to be handled */
};

#define ON_FILE_INIT { .names = -1 }

/*
 * Starts the process. Call it before events and files are opened, so that the process inherits no descriptors. @command is for
 * sh(1). Each {} in it becomes the file's name, quoted; without a {} the name is appended as the last word. If @command is NULL,
 * nothing is started. @mask is the signal mask of the command. Prints errors; returns 0 or -1.
 */
int on_file_begin(struct on_file *f, const char *command, const sigset_t *mask);
/* Passes a file to the process. A file that cannot be passed is reported, and stays where it is. */
void on_file_give(struct on_file *f, const char *path);
/* Returns the number of files, among those passed last, for which the command has not ended yet. */
size_t on_file_waiting(struct on_file *f);
/* Wait until all files were handled. */
void on_file_end(struct on_file *f);

#endif
