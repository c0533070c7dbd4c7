/*
 * Samples of a recorded event "offcpu-time" that each stand for several waits, as perf's do. Waits too short to be recorded one
 * by one are summed by thread, stack and the state in which they began:
 *
 *	PERIOD		how long they took together, ns
 *	ADDR		how long of that the thread was ready, but had no CPU, ns
 *	WEIGHT		how many there were
 *	TRANSACTION	enum wait_state (core/sched/waits.h)
 *	TIME		when they were written; all of them had ended
 *
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_WAIT_SUMS_H
#define CORE_PERFDATA_WAIT_SUMS_H

#include "core/perfdata/attr.h"

/* PERF_SAMPLE_* that these events have in addition. */
#define WAIT_SUMS_TYPE ((uint64_t)PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_TRANSACTION)

/* The id of such an event. The kernel numbers events from 1 on, so it does not use this one. */
#define WAIT_SUMS_ID	0x6f66666370750001ull

static inline bool attr_is_wait_sums(const struct event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       (a->sample_type & (WAIT_SUMS_TYPE | PERF_SAMPLE_RAW)) == WAIT_SUMS_TYPE;
}

#endif
