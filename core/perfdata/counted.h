/*
 * Adds up the counters that an event has on several CPUs or threads, and prints the count on one line as perf stat does.
 * core/record/loop/counting.c calls it for prec record -n, core/show/report/thread_counts.c for a finished recording.
 */
#ifndef CORE_PERFDATA_COUNTED_H
#define CORE_PERFDATA_COUNTED_H

#include <stdint.h>

struct buf;
struct event;

struct counted {
	uint64_t value;			/* as read from the kernel */
	uint64_t enabled, running;	/* ns; a multiplexed counter ran only for a part of the time for which it was enabled */
};

#define COUNTED_NO_THREAD UINT32_MAX	/* a counter of a CPU, for all threads */

struct counted_sum {			/* = { .tid = COUNTED_NO_THREAD } to begin with */
	struct counted total;
	uint32_t tid;			/* thread of the counter added last */
	uint64_t enabled;		/* the part of .total.enabled that is from the counters of thread .tid */
};

/*
 * Adds the counter @c of thread @tid. A thread's counters of one event, one per CPU, are added one after the other. Each of these
 * is enabled wherever the thread runs. So their running times are added up, but only the greatest enabled time counts.
 */
void counted_add(struct counted_sum *to, uint32_t tid, const struct counted *c);
/*
 * Appends " 5,034 page-faults". The value of a multiplexed event is scaled to the time enabled, and shown with the fraction of
 * the time that it ran. Times are in milliseconds. A counter that never ran is shown as not counted, not as 0.
 */
void counted_put(const struct counted *c, const struct event *event, struct buf *out);
/* The same, after "CPU 0 ", for a counter of a CPU. */
void counted_put_cpu(const struct counted *c, uint32_t cpu, const struct event *event, struct buf *out);

#endif
