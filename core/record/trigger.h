/*
 * Events that trigger something when they are hit, and are not recorded (--switch-output-event).
 * Layer: record
 */
#ifndef CORE_RECORD_TRIGGER_H
#define CORE_RECORD_TRIGGER_H

#include "core/open/event_set.h"

struct trigger {		/* trigger_release(); without events there is none */
	struct event_set set;
};

/* Open the events at the sampling places. Prints errors; returns 0 or -1. */
int trigger_open(struct trigger *t, const struct event_requests *events, const struct places *places,
		 const struct sampling_opts *o);
/* Let them count; those of a command do from its exec on. */
void trigger_enable(const struct trigger *t);
/* Take what the rings hold. Returns whether there was a hit. */
bool trigger_take(struct trigger *t);
void trigger_release(struct trigger *t);

#endif
