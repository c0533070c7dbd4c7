/*
 * Writes the output of a command to a file or to standard output. The file gets its name only when it is complete, so readers
 * never see half of it. core/base/new_file.h creates the file.
 */
#ifndef CORE_BASE_OUTFILE_H
#define CORE_BASE_OUTFILE_H

#include "core/base/buf.h"
#include "core/base/new_file.h"

/* outfile_open(&o, path); then often buf_puts(&o.buf, "text"), outfile_maybe_flush(&o); then outfile_close(&o). */
struct outfile {
	struct buf buf;		/* the text to write next; append here */
	const char *path;	/* borrowed; NULL: standard output */
	struct new_file file;	/* its fd is standard output if there is no path */
	int err;		/* 0 or -errno of the first write that failed; after it nothing more is written */
};

/* Opens @path, borrowed until the end; NULL or "-": standard output. Prints errors; returns 0 or -1. */
int outfile_open(struct outfile *o, const char *path);
void outfile_maybe_flush(struct outfile *o);
/* Writes the rest and names the file. Returns 0; if anything has failed, prints the error, makes no file and returns -1. */
int outfile_close(struct outfile *o);
/* Close without making a file. */
void outfile_abandon(struct outfile *o);

/* Prints that standard output was not written, unless @err is 0, or -EPIPE: the reader has seen enough. Returns 0 or -1. */
int check_output(int err);

#endif
