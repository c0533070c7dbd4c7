/*
 * Prints a histogram of how many threads were ready and waited for a CPU, and the threads that waited longest, for prec report
 * --run-queue. Threads are counted at each sample of an event, usually a clock. cmd/report.c calls it.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_RUNQUEUE_H
#define CORE_SHOW_REPORT_RUNQUEUE_H

#include <stdbool.h>

struct buf;
struct event;
struct filter;
struct session;

struct runqueue_opts {			/* all borrowed */
	const struct event *event;	/* threads are counted at its samples; NULL: the first clock of the recording */
	const struct filter *filter;
	const char *separator;		/* between cells; NULL: for people, with bars */
	bool by_cpu;			/* a histogram for each CPU */
};

/*
 * Appends the histograms, and for each CPU the share of its samples at which at least one thread waited. Returns 0, or -1 after an
 * error, which it prints: no sched_switch, no samples of a clock with times and CPUs.
 */
int runqueue_print(struct session *s, const struct runqueue_opts *o, struct buf *out);

#endif
