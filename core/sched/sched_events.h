/* Reads the samples of the scheduler's tracepoints, whose field names differ between kernels. Layer: sched */
#ifndef CORE_SCHED_SCHED_EVENTS_H
#define CORE_SCHED_SCHED_EVENTS_H

#include <stdbool.h>

#include "core/base/vec.h"
#include "core/sched/runqueue.h"

struct item;
struct session;
struct trace_field;

enum sched_tracepoint { SCHED_TP_SWITCH, SCHED_TP_WAKEUP, SCHED_TP_WAKEUP_NEW, SCHED_TP_MIGRATE, SCHED_TP_NR };

/* "sched_switch"; its system is "sched". */
const char *sched_tracepoint_name(enum sched_tracepoint t);

struct sched_event {		/* an event of the recording */
	enum sched_tracepoint tracepoint;	/* SCHED_TP_NR: it is none of them, or lacks a field */
	bool partial;				/* only some hits of it were recorded */
	const struct trace_field *pid, *other, *cpu, *state;	/* borrowed; NULL: it has no such field */
};

struct sched_events { VEC(struct sched_event) list; };	/* by number of the event; vec_free(&events.list) */

void sched_events_find(struct sched_events *out, const struct session *s);
/* Reads a sample; false: it is of no such event. */
bool sched_events_read(const struct sched_events *e, const struct session *s, const struct item *item, struct sched_step *out);

#endif
