/*
 * Watches for the triggers of --on and --switch-output-event, whose events are not recorded. Events of which each hit is a trigger
 * wake the recorder at each hit; begins and ends of calls and waits, of which only long ones are triggers, are read from their
 * rings at intervals.
 * Layer: trigger
 */
#ifndef CORE_RECORD_TRIGGER_TRIGGER_H
#define CORE_RECORD_TRIGGER_TRIGGER_H

#include "core/record/open/event_set.h"
#include "core/record/trigger/open_spans.h"
#include "core/record/trigger/trigger_spec.h"
#include "core/record/trigger/trigger_watch.h"

struct trigger_hit {
	uint64_t time;			/* ns, of the clock of the recording; 0: it is not of an event */
	uint64_t mono_ns;		/* CLOCK_MONOTONIC: about then, and not before */
	uint32_t pid, tid;		/* of the task; 0: none */
	uint32_t spec;			/* number in trigger_opts.specs */
};

struct trigger_hits {
	VEC(struct trigger_hit) list;	/* of each taking by time */
	uint64_t lost;			/* hits that did not find room in a ring */
};

struct trigger {			/* trigger_release(); without specs there is none */
	const struct trigger_opts *o;	/* borrowed */
	struct event_set hits, calls;
	bool counts_hits, times_calls, times_waits;
	VEC(uint32_t) spec_of_hit, spec_of_call;	/* by number of event */
	VEC(uint32_t) waits;		/* the specs that wait for long waits */
	struct open_spans spans;
	struct trigger_watch watch;
	struct pid_list own_pids;	/* processes whose probes count; none: all */
	bool threads_only;		/* these are threads, whose children do not count */
	uint64_t lost;				/* hits that did not find room in a ring, of which is known */
	uint64_t untimed;		/* begins and ends of calls and waits that did not find room */
};

/* Opens the events at the sampling places, and probes everywhere: only hits of @own_pids count (none: all). Prints errors. */
int trigger_open(struct trigger *t, const struct trigger_opts *o, const struct places *places, const struct sampling_opts *s,
		 const struct pid_list *own_pids);
/* Enables them; events of a command are enabled by its exec. */
void trigger_enable(const struct trigger *t);
/* Append what happened since the last time. */
void trigger_read(struct trigger *t, struct trigger_hits *out);
/* Append the hits of @signal, which the recorder got. Returns whether it is a trigger's. */
bool trigger_signal(const struct trigger *t, int signal, struct trigger_hits *out);
/* At the end: adds lost hits without a LOST record (Linux 6.0; before, those stay unknown). */
void trigger_count_lost(struct trigger *t, struct trigger_hits *out);
/* The interval at which to call trigger_read() for triggers that wake nothing; 0: there are none. */
uint64_t trigger_poll_ms(const struct trigger *t);
void trigger_release(struct trigger *t);

#endif
