/* Finds the scheduler's tracepoints among the events of a recording, and reads the threads and CPUs in their samples. */
#include "core/sched/sched_events.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/perfdata/event_table.h"
#include "core/read/session.h"
#include "core/tracepoint/tracing_data.h"

/* A tracepoint, and the names of its fields with the thread and the CPU. NULL: there is no such field. */
struct sched_source {
	const char *name;			/* name of the tracepoint */
	const char *pid, *other, *cpu, *state;	/* .cpu is NULL if the CPU is that of the sample */
};

static const struct sched_source sources[SCHED_EVENT_SOFTWARE] = {
	[SCHED_EVENT_SWITCH] = { "sched:sched_switch", "prev_pid", "next_pid", NULL, "prev_state" },
	[SCHED_EVENT_WAKEUP] = { "sched:sched_wakeup", "pid", NULL, "target_cpu", NULL },
	[SCHED_EVENT_WAKEUP_NEW] = { "sched:sched_wakeup_new", "pid", NULL, "target_cpu", NULL },
	[SCHED_EVENT_MIGRATE] = { "sched:sched_migrate_task", "pid", "orig_cpu", "dest_cpu", NULL },
	[SCHED_EVENT_WAKING] = { "sched:sched_waking", "pid", NULL, "target_cpu", NULL },
};

const char *sched_event_name(enum sched_event_kind kind)
{
	return sources[kind].name;
}

bool sched_event_is_wake(enum sched_event_kind kind)
{
	return kind == SCHED_EVENT_WAKEUP || kind == SCHED_EVENT_WAKEUP_NEW || kind == SCHED_EVENT_WAKING;
}

bool sched_event_is_of_waits(enum sched_event_kind kind)
{
	return kind == SCHED_EVENT_SWITCH || kind == SCHED_EVENT_SOFTWARE || sched_event_is_wake(kind);
}

/* ---- which events ---- */

static enum sched_event_kind kind_of(const struct trace_event *t)
{
	if (str_eq(t->system, "sched"))
		for (int i = SCHED_EVENT_NONE + 1; i < SCHED_EVENT_SOFTWARE; i++)
			if (str_eq(t->name, strchr(sources[i].name, ':') + 1))
				return (enum sched_event_kind)i;
	return SCHED_EVENT_NONE;
}

static const struct trace_field *find_field(const struct trace_event *t, const char *name)
{
	return name ? trace_event_field(t, name) : NULL;
}

static bool has_fields(const struct sched_event *e)
{
	return e->pid && (e->kind != SCHED_EVENT_SWITCH || (e->other && e->state)) &&
	       (e->kind != SCHED_EVENT_MIGRATE || (e->other && e->cpu));
}

static struct sched_event tracepoint_of(const struct trace_event *t, const struct event *ev)
{
	struct sched_event e = { .kind = kind_of(t) };
	const struct sched_source *source = &sources[e.kind];

	e.pid = find_field(t, source->pid);
	e.other = find_field(t, source->other);
	e.cpu = find_field(t, source->cpu);
	e.state = find_field(t, source->state);
	e.flags = find_field(t, "common_flags");
	e.partial = ev->attr.freq || (ev->attr.sample_period > 1 && ev->layout.period_at < 0);
	e.has_cpu = e.cpu || (!source->cpu && ev->layout.cpu_at >= 0);
	return has_fields(&e) ? e : (struct sched_event){ .kind = SCHED_EVENT_NONE };
}

static struct sched_event sched_event_of(const struct tracing_data *tracing, const struct event *ev)
{
	const struct event_attr *a = &ev->attr;
	const struct trace_event *t = a->type == PERF_TYPE_TRACEPOINT ? tracing_data_event(tracing, a->config) : NULL;
	struct sched_event e = { .kind = SCHED_EVENT_NONE };

	if (t && ev->layout.type & PERF_SAMPLE_RAW)
		e = tracepoint_of(t, ev);
	else if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !a->freq && a->sample_period == 1)
		e.kind = SCHED_EVENT_SOFTWARE;
	e.has_stack = event_shows(ev, PERF_SAMPLE_CALLCHAIN);
	return e;
}

void sched_events_find(struct sched_events *out, const struct event_table *events, const struct tracing_data *tracing)
{
	bool known[NR_SCHED_EVENTS] = {0}, stacks = false;

	/* A tracepoint may be recorded twice, once for itself and once for waits. Its hits count once. */
	vec_for(ev, &events->events) {
		struct sched_event e = sched_event_of(tracing, *ev);

		e.repeated = known[e.kind];
		if (e.has_cpu)
			known[e.kind] = !e.partial;
		stacks |= e.kind == SCHED_EVENT_SWITCH && e.has_stack;
		vec_push(&out->list, e);
	}
	vec_for(e, &out->list)
		e->next_only = e->kind == SCHED_EVENT_SWITCH && !e->has_stack && stacks;
}

/* ---- reading a sample ---- */

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
	static const enum sched_kind kinds[SCHED_EVENT_MIGRATE + 1] = {
		[SCHED_EVENT_SWITCH] = SCHED_SWITCH, [SCHED_EVENT_WAKEUP] = SCHED_WAKE, [SCHED_EVENT_WAKEUP_NEW] = SCHED_WAKE,
		[SCHED_EVENT_MIGRATE] = SCHED_MIGRATE,
	};
	const struct sched_event *e = &events->list.v[item->event->number];
	struct trace_data d;

	if (e->kind == SCHED_EVENT_NONE || e->kind > SCHED_EVENT_MIGRATE || e->repeated || !e->has_cpu)
		return false;
	d = session_trace_data(s, item->sample);
	*out = (struct sched_step){
		.time = item->at, .position = item->position, .kind = (uint8_t)kinds[e->kind],
		.cpu = number_of(&d, e->cpu, item->sample->cpu), .pid = number_of(&d, e->pid, 0),
		.other = number_of(&d, e->other, 0), .runnable = !(number_of(&d, e->state, 0) & SLEEPING_STATES),
	};
	return true;
}
