/* Enables events at the times of -D: after a delay, in ranges of time, or only on a command of --control. */
#ifndef CORE_RECORD_LOOP_SCHEDULE_H
#define CORE_RECORD_LOOP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct schedule {
	bool never;			/* events are enabled only by a command of the control channel */
	VEC(uint64_t) steps_ms;		/* times since the start, ascending, when events are switched on, off, on ...; empty: on at
					 * once */
};

/* Parses "250", "-1" or "100-200,300-400" (ms). Prints errors; returns 0 or -1. */
int schedule_parse(struct schedule *out, const char *text);
void schedule_release(struct schedule *s);

/* True if the events are enabled when the recording begins. */
static inline bool schedule_at_once(const struct schedule *s)
{
	return !s->never && !s->steps_ms.nr;
}

/* Sets @timer, a timerfd, to step number @step. Returns false if there is no such step. */
bool schedule_arm(const struct schedule *s, int timer, size_t step, uint64_t start_ns);

#endif
