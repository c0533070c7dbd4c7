/*
 * Prints a histogram of how many threads were ready and waited for a CPU, for prec report --run-queue. The threads are counted at
 * each sample of a clock event. There is one histogram for all CPUs together, or with --by cpu one for each CPU.
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
	const struct event *event;	/* whose samples are counted; NULL: the first clock of the recording */
	const struct filter *filter;
	const char *separator;		/* between cells; NULL: for people, with bars */
	bool by_cpu;			/* a histogram for each CPU */
};

/*
 * Append the histograms, and for each CPU in which part of its samples at least one thread waited. Prints what is wrong: no
 * sched_switch, no samples of a clock with times and CPUs; 0 or -1.
 */
int runqueue_print(struct session *s, const struct runqueue_opts *o, struct buf *out);

#endif
