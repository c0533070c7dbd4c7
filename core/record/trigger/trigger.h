/*
 * Watches for the triggers of --on, which save the records before them, and of --switch-output-event, which begin a new output
 * file. A trigger fires, for example, at each hit of an event, or when a function call or a wait takes longer than a limit
 * (trigger_spec.h lists all kinds). A hit wakes the recorder. To time calls and waits, the recorder polls separate ring buffers
 * with the events at which a call or wait begins or ends. The events that are opened for triggers are not written to the
 * recording.
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
/* Returns the interval at which to call trigger_read() for triggers that do not wake the recorder, or 0 if there are none. */
uint64_t trigger_poll_ms(const struct trigger *t);
void trigger_release(struct trigger *t);

#endif
