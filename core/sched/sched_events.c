/* The scheduler's tracepoints among the events of a recording. Layer: sched */
#include "core/sched/sched_events.h"

#include "core/base/hash.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"

/* The fields of a tracepoint with the thread and CPU; NULL: it has no such field. */
struct sched_source {
	const char *name;			/* of its tracepoint, in system sched */
	const char *pid, *other, *cpu, *state;	/* cpu NULL: that of the sample */
	enum sched_kind kind;
};

static const struct sched_source sources[SCHED_TP_NR] = {
	[SCHED_TP_SWITCH] = { "sched_switch", "prev_pid", "next_pid", NULL, "prev_state", SCHED_SWITCH },
	[SCHED_TP_WAKEUP] = { "sched_wakeup", "pid", NULL, "target_cpu", NULL, SCHED_WAKE },
	[SCHED_TP_WAKEUP_NEW] = { "sched_wakeup_new", "pid", NULL, "target_cpu", NULL, SCHED_WAKE },
	[SCHED_TP_MIGRATE] = { "sched_migrate_task", "pid", "orig_cpu", "dest_cpu", NULL, SCHED_MIGRATE },
};

const char *sched_tracepoint_name(enum sched_tracepoint t)
{
	return sources[t].name;
}

/* ---- which events ---- */

static const struct trace_field *find_field(const struct trace_event *ev, const char *name, bool *found)
{
	const struct trace_field *f = name ? trace_event_field(ev, name) : NULL;

	*found &= f || !name;
	return f;
}

static struct sched_event sched_event_of(const struct session *s, const struct event *ev)
{
	const struct trace_event *trace = ev->attr.type == PERF_TYPE_TRACEPOINT ?
					  tracing_data_event(&s->tracing, ev->attr.config) : NULL;

	for (int i = 0; trace && i < SCHED_TP_NR && ev->layout.type & PERF_SAMPLE_RAW; i++) {
		const struct sched_source *source = &sources[i];
		struct sched_event e = { .tracepoint = (enum sched_tracepoint)i };
		bool found = str_eq(trace->system, "sched") && str_eq(trace->name, source->name) &&
			     (source->cpu || ev->layout.cpu_at >= 0);

		e.partial = ev->attr.freq || (ev->attr.sample_period > 1 && ev->layout.period_at < 0);
		e.pid = find_field(trace, source->pid, &found);
		e.other = find_field(trace, source->other, &found);
		e.cpu = find_field(trace, source->cpu, &found);
		e.state = find_field(trace, source->state, &found);
		if (found)
			return e;
	}
	return (struct sched_event){ .tracepoint = SCHED_TP_NR };
}

void sched_events_find(struct sched_events *out, const struct session *s)
{
	bool known[SCHED_TP_NR + 1] = {0};

	/* A tracepoint may be there twice, for itself and for waits: its hits count once. */
	vec_for(ev, &s->file->events.events) {
		struct sched_event e = sched_event_of(s, *ev);

		if (known[e.tracepoint])
			e.tracepoint = SCHED_TP_NR;
		known[e.tracepoint] = !e.partial;
		vec_push(&out->list, e);
	}
}

/* ---- what a sample says ---- */

static uint32_t number_of(const struct trace_data *d, const struct trace_field *f, uint32_t missing)
{
	return f ? (uint32_t)trace_field_number(d, f) : missing;
}

/*
 * A runnable thread has none of the states up to "idle" (0x80). A bit above means that it was preempted: 0x100 since Linux
 * 4.14 and a higher one before.
 */
#define SLEEPING_STATES 0xffu

bool sched_events_read(const struct sched_events *events, const struct session *s, const struct item *item, struct sched_step *out)
{
	const struct sched_event *e = &events->list.v[item->event->number];
	struct trace_data d;

	if (e->tracepoint == SCHED_TP_NR)
		return false;
	d = session_trace_data(s, item->sample);
	*out = (struct sched_step){
		.time = item->at, .position = item->position, .kind = (uint8_t)sources[e->tracepoint].kind,
		.cpu = number_of(&d, e->cpu, item->sample->cpu), .pid = number_of(&d, e->pid, 0),
		.other = number_of(&d, e->other, 0), .runnable = !(number_of(&d, e->state, 0) & SLEEPING_STATES),
	};
	return true;
}
