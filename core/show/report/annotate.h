/*
 * Prints a function instruction by instruction, with the share of the samples at each instruction and with the source lines in
 * between. prec annotate and the browser (core/show/browse/view_annotate.c) show this text.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_ANNOTATE_H
#define CORE_SHOW_REPORT_ANNOTATE_H

#include "core/code/annotation.h"

struct buf;
struct code_lines;

/* The base of a percentage: the function's samples, or all; counted by their periods, or each as one. */
enum percent_type { PERCENT_LOCAL_PERIOD, PERCENT_LOCAL_HITS, PERCENT_GLOBAL_PERIOD, PERCENT_GLOBAL_HITS };

struct annotate_opts {
	enum percent_type type;
	bool nr_samples, periods;	/* these instead of percents */
	bool source;			/* lines of source between the instructions */
	bool source_only;		/* nothing else */
	bool line_shares;		/* a source line shows the sum of its instructions */
	bool raw;			/* the instructions' bytes */
	bool intel;			/* x86 in Intel's syntax */
	bool full_paths;		/* of source files */
	bool titles;
	bool colors;
	const char *prefix;		/* source files with absolute paths are below this directory; NULL: where they say */
	uint64_t prefix_strip;		/* with .prefix: without this many of their first directories */
	unsigned screen_width;		/* lines are cut at this many columns; 0: they are not */
};

/* "local-period", ... Returns 0 or -1, and prints nothing. */
int percent_type_parse(enum percent_type *out, const char *text);
const char *percent_type_name(enum percent_type type);

/* Prints @f to @out, and to @lines (NULL: not wanted) the place of each line; both are empty before. */
void annotate_print(const struct annotation *a, const struct annotated_function *f, struct session *s,
		    const struct annotate_opts *opts, struct buf *out, struct code_lines *lines);

#endif
