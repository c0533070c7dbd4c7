/*
 * Defines the data that the browser shows: a profile, the texts of the views for findings, header and processes, and the options
 * with which the browser starts. cmd/report_browse.c and cmd/diff_browse.c fill it in.
 */
#ifndef CORE_SHOW_BROWSE_INPUT_H
#define CORE_SHOW_BROWSE_INPUT_H

#include <stdbool.h>

#include "core/profile/profile.h"

struct browse_compared;
struct buf;

/* The browser's first filters and order, from the command line. The user can undo them. NULL, 0: none. Borrowed. */
struct browse_start {
	const char *tid, *comm, *dso, *symbol, *text;
	const char *event;
	bool own;		/* sort functions by the samples in the function itself */
	bool own_given;		/* the user chose the order; else the browser may choose .own by the samples */
	bool relative;
	double min_percent;
};

struct browse_opts {
	bool watches;		/* shows a recording in progress (prec top) */
	bool compares;		/* shows two sides (prec diff); otherwise one recording (prec report) */
	/*
	 * Parts of the command lines that the browser shows (command.c), quoted for the shell. .command: "-i file ...", with which
	 * each begins; .stacks: the options after that for commands that read call stacks; .report: more options for prec report;
	 * .code: options for prec annotate. With two sides .command: the files; .stacks: the options before them; .code: all files
	 * in a row. Used after the profile has been read.
	 */
	const char *command, *stacks, *report, *code;
	const char *title;	/* the recording, for the first line */
	bool colors;
	uint64_t max_samples;	/* the samples view shows at most this many; 0: all */
	struct browse_start start;
};

struct browse_input {
	const struct profile *profile;	/* borrowed */
	bool has_chains;		/* call chains were recorded */
	struct buf *findings;	/* borrowed, like the next four: the findings, one after the other */
	struct buf *header;	/* the recording's header; NULL with two sides */
	struct buf *processes;	/* one line each, below the process that started it; or NULL */
	struct buf *worst;	/* one line, may be empty: the worst finding that matters; or NULL */
	struct buf *quality;	/* one line, may be empty: the quality of the recording; or NULL */
	const struct browse_compared *compared;	/* for a profile with two sides; NULL: the profile is of one recording */
};

#endif
