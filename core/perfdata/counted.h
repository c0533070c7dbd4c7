/* Prints the value of a counter as perf stat does, one line per event. Layer: perfdata */
#ifndef CORE_PERFDATA_COUNTED_H
#define CORE_PERFDATA_COUNTED_H

#include <stdint.h>

struct buf;
struct event;

struct counted {
	uint64_t value;			/* as the kernel gives it */
	uint64_t enabled, running;	/* ns; a counter that took turns with others ran for a part of that time */
};

#define COUNTED_NO_THREAD UINT32_MAX	/* a counter of a CPU, whatever runs there */

struct counted_sum {			/* = { .tid = COUNTED_NO_THREAD } to begin with */
	struct counted total;
	uint32_t tid;			/* of the counter that was added last */
	uint64_t enabled;		/* of .total: of that thread */
};

/*
 * Add the counter @c that follows the thread @tid. A thread's counters of one event, one a CPU, come one after the other: each is
 * enabled wherever the thread runs, so that their times running add up to a time enabled that is that of one.
 */
void counted_add(struct counted_sum *to, uint32_t tid, const struct counted *c);
/*
 * Appends "  5,034  page-faults": the value of a multiplexed event is scaled to the time enabled if it ran for less, with the
 * fraction; time is in milliseconds. A counter that never ran is shown as not counted, not as 0.
 */
void counted_put(const struct counted *c, const struct event *event, struct buf *out);
/* The same, after "CPU 0 ", of a counter that follows no thread: what ran on that CPU. */
void counted_put_cpu(const struct counted *c, uint32_t cpu, const struct event *event, struct buf *out);

#endif
