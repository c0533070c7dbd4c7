/*
 * Prints how long waits took (prec report --latency-hist), or the times from one event to another (--pair), as percentiles and
 * histograms. For waits, a second histogram shows how long ready threads waited for a CPU.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_LATENCY_H
#define CORE_SHOW_REPORT_LATENCY_H

struct buf;
struct filter;
struct session;

struct latency_opts {		/* all borrowed */
	const char *key;	/* a row for each value of this sort key; NULL: one row for all waits. Not with .pair */
	const char *pair;	/* "A,B" or "A,B,KEY": from event A to the next B of the same thread, or KEY; NULL: waits */
	const struct filter *filter;
	unsigned max_depth;	/* of call chains */
	const char *separator;	/* between cells, and times in ns; NULL: for people */
};

/* Appends the tables. If .pair is NULL, session_add_waits() must have been called. Prints errors; 0 or -1. */
int latency_print(struct session *s, const struct latency_opts *o, struct buf *out);

#endif
