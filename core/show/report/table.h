/*
 * Prints the table of prec report: the titles, a row for each entry, and the call graph below each entry. hierarchy.c prints a tree
 * of rows instead, and draw.c draws the call graphs.
 */
#ifndef CORE_SHOW_REPORT_TABLE_H
#define CORE_SHOW_REPORT_TABLE_H

#include "core/hists/hist.h"

struct table_opts {
	const char *separator;		/* between columns, which are then not padded; NULL: blanks */
	const char *widths;		/* "10,20,0": widths of the first columns; 0, and NULL for all: as needed */
	double min_percent;		/* entries below are not printed */
	bool relative;			/* 100 % are the samples that pass the filters */
	bool hierarchy;			/* rows are a tree, a level for each key, not a table */
	bool no_titles;			/* only the entries (-q) */
	bool show_empty;		/* also show members of a group without samples */
	unsigned screen_width;		/* columns of the terminal that the table must fit; 0: the output is a file or pipe */
	bool wide;			/* on a terminal: do not shorten names */
	bool all;			/* on a terminal: print small entries, too */
	bool amounts;			/* on a terminal: print the amount next to the first share, in time or events */
	bool colors;			/* colour shares by their size */
};

/* Checks opts->widths. Returns 0, or -1 after an error, which it prints. */
int table_check(const struct table_opts *opts);

/*
 * Appends the table of one event or group: titles, entries, call graphs, and two empty lines. The columns are as wide as their
 * contents. On a terminal the table is fitted to the width of the screen, and small entries are summed up in one line.
 */
void table_print(struct hists *h, const struct hist *hist, const struct table_opts *opts, struct buf *out);

#endif
