/*
 * Prints how long the calls of each function took, for prec report --durations. The calls come from a hardware trace or from probes
 * at function entry and return. lengths.h stores the times.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_DURATIONS_H
#define CORE_SHOW_REPORT_DURATIONS_H

#include <stdbool.h>

struct buf;
struct filter;
struct session;

struct durations_opts {			/* all borrowed */
	const struct filter *filter;
	const char *separator;		/* between cells, and numbers as they are; NULL: for people */
	bool insns;			/* all branches are there: instructions can be counted */
	bool no_titles;
};

/*
 * Appends the table. A row has the number of a function's calls, their times and instructions, and the distribution of the times.
 * The decoder of the trace must be attached (aux_attach()). Prints errors; 0 or -1.
 */
int durations_print(struct session *s, const struct durations_opts *o, struct buf *out);

#endif
