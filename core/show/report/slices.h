/*
 * Compares what threads did in the slowest requests and in requests of about median duration, for prec report --slices. A
 * request, called a slice here, is the time from a begin event to an end event.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_SLICES_H
#define CORE_SHOW_REPORT_SLICES_H

struct buf;
struct filter;
struct session;

#define SLICES_SPLIT_DEFAULT 990u

struct slices_opts {		/* all borrowed */
	const char *pair;	/* "A,B" or "A,B,KEY": core/show/report/event_pairs.h */
	unsigned split;		/* permille, below 1000: slices above this percentile of length are the slowest */
	unsigned max_depth;	/* of call chains, unwound ones too */
	const struct filter *filter;
	const char *separator;	/* between cells, and times in ns; NULL: for people */
};

/* Appends the tables. session_add_waits() must have been called. Prints errors; 0 or -1. */
int slices_print(struct session *s, const struct slices_opts *o, struct buf *out);

#endif
