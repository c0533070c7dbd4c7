/*
 * Compares the call stacks of the longest waits with the call stacks of all waits. The result is the last table of prec report
 * --latency-hist.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_LATENCY_STACKS_H
#define CORE_SHOW_REPORT_LATENCY_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct filter;
struct session;

struct latency_stacks_opts {
	const struct filter *filter;	/* borrowed */
	const char *separator;		/* as in struct latency_opts */
	unsigned max_depth;		/* of call chains */
	size_t nr;			/* the number of slowest waits */
	uint64_t least;			/* the slowest waits are those of this many ns or more */
};

/* Appends the table. Reads the recording once more. */
void latency_stacks_put(struct session *s, const struct latency_stacks_opts *o, struct buf *out);

#endif
