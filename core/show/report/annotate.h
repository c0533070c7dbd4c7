/*
 * Prints a function instruction by instruction, with the share of the samples at each instruction and with the source lines in
 * between. prec annotate and the browser (core/show/browse/view_annotate.c) show this text.
 */
#ifndef CORE_SHOW_REPORT_ANNOTATE_H
#define CORE_SHOW_REPORT_ANNOTATE_H

#include "core/code/annotation.h"

struct buf;
struct code_lines;

/* 100 %: the function's samples (LOCAL) or all samples (GLOBAL), counted by their periods or each as one (HITS). */
enum percent_type { PERCENT_LOCAL_PERIOD, PERCENT_LOCAL_HITS, PERCENT_GLOBAL_PERIOD, PERCENT_GLOBAL_HITS };

struct annotate_opts {
	enum percent_type type;
	bool nr_samples, periods;	/* print numbers of samples, or periods, instead of percentages */
	bool source;			/* print source lines between the instructions */
	bool source_only;		/* print only source lines */
	bool line_shares;		/* a source line shows the sum of the shares of its instructions */
	bool raw;			/* print the bytes of instructions */
	bool intel;			/* x86 in Intel's syntax */
	bool full_paths;		/* print source files with their directories */
	bool titles;
	bool colors;
	const char *prefix;		/* look for source files with absolute paths below this directory; NULL: at their paths */
	uint64_t prefix_strip;		/* with .prefix: drop this many of the first directories of the path */
	unsigned screen_width;		/* lines are cut at this many columns; 0: they are not */
};

/* "local-period", ... Returns 0 or -1, and prints nothing. */
int percent_type_parse(enum percent_type *out, const char *text);
const char *percent_type_name(enum percent_type type);

/* Prints @f to @out, and stores in @lines (NULL: not wanted) where each line comes from. Both must be empty. */
void annotate_print(const struct annotation *a, const struct annotated_function *f, struct session *s,
		    const struct annotate_opts *opts, struct buf *out, struct code_lines *lines);

#endif
