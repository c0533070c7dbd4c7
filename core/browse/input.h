/*
 * What the browser is given: the profile with its texts, and how to begin.
 * Layer: browse
 */
#ifndef CORE_BROWSE_INPUT_H
#define CORE_BROWSE_INPUT_H

#include <stdbool.h>

#include "core/profile/profile.h"

struct browse_compared;
struct buf;

/* A filter of the command line that the browser can undo; NULL, 0: none. Borrowed. */
struct browse_start {
	const char *tid, *comm, *dso, *symbol, *text;
	const char *event;
	bool own;		/* order by samples in the function itself */
	bool relative;
	double min_percent;
};

struct browse_opts {
	bool compares;		/* two sides are to be shown, as of prec diff; else one recording, as of prec report */
	/*
	 * "-i file ..." as shells read it: what each command line begins with; what follows where stacks are shown, of report, of
	 * annotate. Of two sides: the files; the options before them; nothing; all files in a row. Looked at when it has been read.
	 */
	const char *command, *stacks, *report, *code;
	const char *title;	/* the recording, for the first line */
	bool colors;
	uint64_t max_samples;	/* that are shown of a function; 0: all */
	struct browse_start start;
};

/* What there is to be browsed, when it was read. */
struct browse_input {
	const struct profile *profile;	/* borrowed */
	bool has_chains;		/* call chains were recorded */
	struct buf *findings;	/* texts, borrowed: one finding after the other; */
	struct buf *header;	/* the recording's header; */
	struct buf *worst;	/* one line, may be empty */
	const struct browse_compared *compared;	/* the profile has two sides; NULL: it is of one recording */
};

#endif
