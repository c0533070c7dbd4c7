/* Converts timestamps of an Arm SPE or CoreSight trace to perf's time in ns, by the factors in the TIME_CONV record. */
#include "auxtrace/clock.h"

#include "core/read/session.h"

struct aux_clock aux_clock_read(const struct session *s)
{
	struct aux_clock clock = { 0 };
	struct record rec;

	vec_for(record, &session_trace_records(s)->list)
		if (record->type == RECORD_TIME_CONV && !session_read_trace_record(s, record, &rec) && rec.time_conv.shift < 64)
			clock = (struct aux_clock){ .known = true, .conv = rec.time_conv };
	return clock;
}

/* Source: linux/perf_event.h, struct perf_event_mmap_page, "cap_usr_time_zero" and "cap_user_time_short". */
uint64_t aux_clock_ns(const struct aux_clock *c, uint64_t ticks)
{
	const struct record_time_conv *t = &c->conv;
	uint64_t quot, rem;

	if (t->cap_short)
		ticks = t->cycles + ((ticks - t->cycles) & t->mask);
	quot = ticks >> t->shift;
	rem = ticks & ((1ull << t->shift) - 1);
	return t->zero + quot * t->mult + (rem * t->mult >> t->shift);
}
