/*
 * Defines the input of the browser: a finished profile, the texts of its text views (findings, header, processes), and the options
 * with which the browser starts. cmd/report_browse.c and cmd/diff_browse.c fill it.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_INPUT_H
#define CORE_SHOW_BROWSE_INPUT_H

#include <stdbool.h>

#include "core/profile/profile.h"

struct browse_compared;
struct buf;

/* A filter of the command line that the browser can undo; NULL, 0: none. Borrowed. */
struct browse_start {
	const char *tid, *comm, *dso, *symbol, *text;
	const char *event;
	bool own;		/* order by samples in the function itself */
	bool own_given;		/* that was asked for; else it is by what the rows would be */
	bool relative;
	double min_percent;
};

struct browse_opts {
	bool watches;		/* shows a recording in progress (prec top) */
	bool compares;		/* shows two sides (prec diff); otherwise one recording (prec report) */
	/*
	 * "-i file ..." in shell quoting: the beginning of each command line; the options after it for stacks, for report,
	 * for annotate. With two sides: the files; the options before them; nothing; all files in a row. Used after the
	 * profile has been read.
	 */
	const char *command, *stacks, *report, *code;
	const char *title;	/* the recording, for the first line */
	bool colors;
	uint64_t max_samples;	/* that are shown of a function; 0: all */
	struct browse_start start;
};

/* The data to browse, complete after reading. */
struct browse_input {
	const struct profile *profile;	/* borrowed */
	bool has_chains;		/* call chains were recorded */
	struct buf *findings;	/* texts, borrowed: one finding after the other; */
	struct buf *header;	/* the recording's header; */
	struct buf *processes;	/* a line each, below those that started them; or NULL */
	struct buf *worst;	/* one line, may be empty: a finding that matters; */
	struct buf *quality;	/* one line, may be empty: the quality of the recording; or NULL */
	const struct browse_compared *compared;	/* the profile has two sides; NULL: it is of one recording */
};

#endif
