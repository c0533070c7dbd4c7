/*
 * Finds the scheduler's events in a recording, from which commands compute waits and run queues. These are tracepoints such as
 * sched:sched_switch, and the software event context-switches. prec record finds them, too, to sum up short waits.
 */
#ifndef CORE_SCHED_SCHED_EVENTS_H
#define CORE_SCHED_SCHED_EVENTS_H

#include <stdbool.h>

#include "core/base/vec.h"
#include "core/sched/runqueue.h"

struct event_table;
struct item;
struct session;
struct trace_field;
struct tracing_data;

enum sched_event_kind {
	SCHED_EVENT_NONE,
	SCHED_EVENT_SWITCH, SCHED_EVENT_WAKEUP, SCHED_EVENT_WAKEUP_NEW, SCHED_EVENT_MIGRATE, SCHED_EVENT_WAKING,
	SCHED_EVENT_SOFTWARE,		/* context-switches with a period of 1, in the thread that is switched out */
	NR_SCHED_EVENTS
};

/* The name of a tracepoint: "sched:sched_switch". */
const char *sched_event_name(enum sched_event_kind kind);
/* True if the event makes a thread ready to run. */
bool sched_event_is_wake(enum sched_event_kind kind);
/* True if the event begins or ends a wait. */
bool sched_event_is_of_waits(enum sched_event_kind kind);

struct sched_event {		/* an event of the recording */
	enum sched_event_kind kind;	/* SCHED_EVENT_NONE: another event, or one without the thread's field */
	bool partial;			/* only some of its hits were recorded */
	bool repeated;			/* an earlier event already has each hit of this tracepoint */
	bool has_cpu;			/* its samples have the CPU on which a thread waits */
	bool has_stack;			/* its samples have call chains */
	bool next_only;			/* use it only for switches in, because another event has the switches out, with stacks */
	const struct trace_field *pid, *other, *cpu, *state, *flags;	/* .other: the next thread of a switch, or the CPU that a
									 * migrated thread left; all borrowed; NULL: no such
									 * field */
};

struct sched_events { VEC(struct sched_event) list; };	/* by number of the event; vec_free(&events.list) */

/* Appends to @out; borrows fields from @tracing. */
void sched_events_find(struct sched_events *out, const struct event_table *events, const struct tracing_data *tracing);
/* Reads a sample for the run queues. Returns false if its event is not used for them, or repeats another event. */
bool sched_events_read(const struct sched_events *e, const struct session *s, const struct item *item, struct sched_step *out);

#endif
