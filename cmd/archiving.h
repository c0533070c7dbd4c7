/* Makes a copy of a recording that can be read without the recorded binaries, for prec archive and prec record --archive. */
#ifndef CMD_ARCHIVING_H
#define CMD_ARCHIVING_H

#include <stdbool.h>

#include "cmd/input.h"

struct archiving {
	struct input_opts input;	/* .path NULL: perf.data */
	const char *output;		/* borrowed; may be the recording itself; NULL: its name with ".archive" */
	bool code;			/* also store the code of functions */
	bool unwind;			/* also store unwind tables, unless .redact */
	bool redact, redact_names;	/* .redact: remove data about the machine and its user; .redact_names: hash names, too */
};

/* Writes the new recording and prints a summary of it. Returns 0, or -1 after printing an error; then no file was changed. */
int archive_recording(const struct archiving *a);

/* Adds the binaries of perf archive's tar archive @path ("-": standard input) to ~/.debug. Returns 0 or -1 (printed). */
int unpack_archive(const char *path);

#endif
