/* The schedule of events (-D): enabled after a delay, in ranges of time, or only on a command. Layer: loop */
#ifndef CORE_RECORD_LOOP_SCHEDULE_H
#define CORE_RECORD_LOOP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct schedule {
	bool never;			/* only on a command */
	VEC(uint64_t) steps_ms;		/* since the start, rising: on, off, on ...; empty: on at once */
};

/* Parse "250", "-1" or "100-200,300-400" (ms). Prints its error; returns 0 or -1. */
int schedule_parse(struct schedule *out, const char *text);
void schedule_release(struct schedule *s);

/* True if the events begin with the recording. */
static inline bool schedule_at_once(const struct schedule *s)
{
	return !s->never && !s->steps_ms.nr;
}

/* A timerfd that fires at each step (close-on-exec, owned by the caller); -1: printed, -2: there are no steps. */
int schedule_timer(const struct schedule *s);
/* Set the timer to step number @step. Returns false if there is none. */
bool schedule_arm(const struct schedule *s, int timer, size_t step, uint64_t start_ns);

#endif
