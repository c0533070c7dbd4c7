/*
 * Opens the perf events for --on and --switch-output-event, and lists which triggers fired and when, for switch_output.c.
 * trigger_watch.h watches for other triggers, such as a new file. dumps.h decides which triggers get an output file.
 */
#ifndef CORE_RECORD_TRIGGER_TRIGGER_H
#define CORE_RECORD_TRIGGER_TRIGGER_H

#include "core/record/open/event_set.h"
#include "core/record/trigger/open_spans.h"
#include "core/record/trigger/trigger_spec.h"
#include "core/record/trigger/trigger_watch.h"

/*
 * If a trigger of --on is hit, the recorder saves the records before the hit (dumps.h). If an event of --switch-output-event is
 * hit, the recorder begins a new output file. Function calls and waits are timed by events at their beginnings and ends. The events
 * that are opened for triggers are not in the recording.
 */
struct trigger {			/* trigger_release(); without triggers nothing is opened */
	const struct trigger_opts *o;	/* borrowed */
	struct event_set hits, calls;	/* events whose hits are triggers; events at which calls and waits begin or end */
	bool counts_hits, times_calls, times_waits;	/* .hits is opened; .calls is opened; .waits is not empty */
	VEC(uint32_t) spec_of_hit, spec_of_call;	/* by event number in .hits or .calls: number of the trigger in .o->specs */
	VEC(uint32_t) waits;		/* numbers in .o->specs of the triggers "wait>TIME" */
	struct open_spans spans;
	struct trigger_watch watch;
	struct pid_list own_pids;	/* processes whose probes count; none: all */
	bool threads_only;		/* .own_pids are threads, whose children do not count */
	uint64_t lost;				/* hits that are known to have found no room in a ring buffer */
	uint64_t untimed;		/* begins and ends of calls and waits that found no room in a ring buffer */
};

/*
 * Opens the events of triggers at the sampling places, and probes on all CPUs. Only hits of @own_pids count, or all hits if
 * @own_pids is empty. Prints errors; returns 0 or -1.
 */
int trigger_open(struct trigger *t, const struct trigger_opts *o, const struct places *places, const struct sampling_opts *s,
		 const struct pid_list *own_pids);
/* Enables the events. Events of a command are enabled by its exec. */
void trigger_enable(const struct trigger *t);
/* Appends the triggers that fired since the last call. */
void trigger_read(struct trigger *t, struct trigger_hits *out);
/* Appends the hits of @signal, which the recorder has received. Returns true if the signal belongs to a trigger. */
bool trigger_signal(const struct trigger *t, int signal, struct trigger_hits *out);
/* Adds the lost hits for which there is no LOST record, at the end of the recording (Linux 6.0; unknown on older kernels). */
void trigger_count_lost(struct trigger *t, struct trigger_hits *out);
/* Returns the interval at which to call trigger_read() for triggers that do not wake the recorder, or 0 if no trigger needs it. */
uint64_t trigger_poll_ms(const struct trigger *t);
void trigger_release(struct trigger *t);

#endif
