/*
 * Describes the event "offcpu-time" that prec record --off-cpu-thresh writes. core/record/loop/short_waits.c makes its samples, and
 * core/sched/wait_samples.c reads them.
 *
 * A wait shorter than the threshold is not recorded alone. Instead, one sample of this event has the sum of the short waits of one
 * thread that had the same stack and began in the same thread state:
 *
 *	PERIOD		total time of the waits, ns
 *	ADDR		the part of this time in which the thread was ready, but had no CPU, ns
 *	WEIGHT		number of waits
 *	TRANSACTION	enum wait_state (core/sched/waits.h)
 *	TIME		when the sample was written; all its waits had ended
 *
 */
#ifndef CORE_PERFDATA_WAIT_SUMS_H
#define CORE_PERFDATA_WAIT_SUMS_H

#include "core/perfdata/attr.h"

/* The PERF_SAMPLE_* bits that this event has besides those of an id. */
#define WAIT_SUMS_TYPE ((uint64_t)PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_TRANSACTION)

/* The id of the event "offcpu-time". The kernel numbers events from 1 on, so none of its events has this id. */
#define WAIT_SUMS_ID	0x6f66666370750001ull

static inline bool attr_is_wait_sums(const struct event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       (a->sample_type & (WAIT_SUMS_TYPE | PERF_SAMPLE_RAW)) == WAIT_SUMS_TYPE;
}

#endif
