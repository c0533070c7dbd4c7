/*
 * Gathering what the scheduler's tracepoints say, by chunk in parallel, for the replay in core/model/runqueue.c.
 * Layer: flow
 */
#include "core/flow/session.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/flow/item_reader.h"
#include "core/flow/session_impl.h"
#include "core/model/runqueue.h"

/* Where a tracepoint says whose it is; NULL: it has no such field. */
struct sched_source {
	const char *name;			/* of its tracepoint, in system sched */
	const char *pid, *other, *cpu, *state;	/* cpu NULL: that of the sample */
	enum sched_kind kind;
};

static const struct sched_source sources[] = {
	{ "sched_switch", "prev_pid", "next_pid", NULL, "prev_state", SCHED_SWITCH },
	{ "sched_wakeup", "pid", NULL, "target_cpu", NULL, SCHED_WAKE },
	{ "sched_wakeup_new", "pid", NULL, "target_cpu", NULL, SCHED_WAKE },
	{ "sched_migrate_task", "pid", "orig_cpu", "dest_cpu", NULL, SCHED_MIGRATE },
};

struct sched_event {		/* an event of the recording, as far as it is one of sources[] */
	const struct sched_source *source;	/* NULL: it is none of them */
	const struct trace_field *pid, *other, *cpu, *state;
};

struct sched_worker {
	struct item_reader reader;
	VEC(struct sched_step) steps;
	bool ready;
};

struct sched_scan {
	struct session *session;
	VEC(struct sched_event) events;		/* by number */
	struct sched_worker *workers;
};

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

	for (size_t i = 0; trace && i < ARRAY_SIZE(sources) && ev->layout.type & PERF_SAMPLE_RAW; i++) {
		const struct sched_source *source = &sources[i];
		struct sched_event e = { .source = source };
		bool found = str_eq(trace->system, "sched") && str_eq(trace->name, source->name) &&
			     (source->cpu || ev->layout.cpu_at >= 0);

		e.pid = find_field(trace, source->pid, &found);
		e.other = find_field(trace, source->other, &found);
		e.cpu = find_field(trace, source->cpu, &found);
		e.state = find_field(trace, source->state, &found);
		if (found)
			return e;
	}
	return (struct sched_event){0};
}

static void found_missing(struct session *s, const char *name)
{
	char *where = xasprintf("'sched:%s'", name);

	session_found(s, FINDING_SCHED_NO_EVENT, 1, where);
	free(where);
}

/* Without all of them, or with some hits only, lengths are not what they were: say so. */
static int check_events(const struct sched_scan *w, bool *wakes)
{
	const struct event_table *t = &w->session->file->events;
	bool has[ARRAY_SIZE(sources)] = {0};

	for (size_t i = 0; i < t->events.nr; i++) {
		const struct sched_source *source = w->events.v[i].source;
		const struct event_attr *attr = &t->events.v[i]->attr;

		if (!source)
			continue;
		has[source - sources] = true;
		if (attr->freq || (attr->sample_period > 1 && t->events.v[i]->layout.period_at < 0))
			session_found(w->session, FINDING_SCHED_PARTIAL, 1, t->events.v[i]->name);
	}
	if (!has[0])
		return error("'%s' does not say which threads waited: record with -a "
			     "-e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task",
			     w->session->file->path);
	for (size_t i = 1; i < ARRAY_SIZE(sources); i++)
		if (!has[i])
			found_missing(w->session, sources[i].name);
	*wakes = has[1] && has[2];
	return 0;
}

/* ---- the walk ---- */

static uint32_t number_of(const struct trace_data *d, const struct trace_field *f, uint32_t missing)
{
	return f ? (uint32_t)trace_field_number(d, f) : missing;
}

/*
 * Runnable is a thread with none of the states up to "idle" (0x80). A bit above tells that it was preempted: 0x100 since
 * Linux 4.14 and a higher one before.
 */
#define SLEEPING_STATES 0xffu

static void take(struct sched_worker *w, const struct sched_scan *scan, const struct item *item)
{
	const struct sched_event *e = &scan->events.v[item->event->number];
	struct trace_data d;

	if (!e->source)
		return;
	d = session_trace_data(scan->session, item->sample);
	vec_push(&w->steps, (struct sched_step){
		.time = item->at, .position = item->position, .kind = (uint8_t)e->source->kind,
		.cpu = number_of(&d, e->cpu, item->sample->cpu), .pid = number_of(&d, e->pid, 0),
		.other = number_of(&d, e->other, 0), .runnable = !(number_of(&d, e->state, 0) & SLEEPING_STATES),
	});
}

static void scan_chunk(void *arg, unsigned worker, size_t number)
{
	struct sched_scan *scan = arg;
	struct sched_worker *w = &scan->workers[worker];
	const struct chunk *c = &scan->session->scan.chunks.chunks.v[number];

	if (!w->ready)
		item_reader_init(&w->reader, scan->session, 0);
	w->ready = true;
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item = NULL;

		if (each.header.type == PERF_RECORD_SAMPLE)
			item = item_read(&w->reader, 0, each.record, chunk_position(number, each.at));
		if (item)
			take(w, scan, item);
	}
}

/* All steps in one array, which is that of the first worker. */
static struct runqueues *replay(struct sched_scan *scan, bool wakes)
{
	struct sched_worker *first = &scan->workers[0];
	struct runqueues *q;

	for (unsigned i = 1; i < scan->session->jobs; i++) {
		struct sched_worker *w = &scan->workers[i];

		vec_reserve(&first->steps, w->steps.nr);
		if (w->steps.nr)
			memcpy(first->steps.v + first->steps.nr, w->steps.v, w->steps.nr * sizeof(*w->steps.v));
		first->steps.nr += w->steps.nr;
		vec_free(&w->steps);
	}
	q = runqueues_new(first->steps.v, first->steps.nr, wakes);
	vec_free(&first->steps);
	return q;
}

static void find_gaps(struct session *s, const struct runqueues *q)
{
	struct sched_gaps g = runqueues_gaps(q);
	char *where = xasprintf("%" PRIu64 " context switches and %" PRIu64 " wake-ups are missing, the first on CPU %" PRIu32
				" before %" PRIu64 ".%06" PRIu64, g.nr_switches, g.nr_wakes, g.first_cpu,
				g.first_time / 1000000000, g.first_time % 1000000000 / 1000);

	session_found(s, FINDING_SCHED_GAPS, g.nr_switches + g.nr_wakes, where);
	free(where);
}

struct runqueues *session_runqueues(struct session *s)
{
	struct sched_scan scan = { .session = s };
	struct runqueues *q = NULL;
	bool wakes = false;

	vec_for(ev, &s->file->events.events)
		vec_push(&scan.events, sched_event_of(s, *ev));
	if (!check_events(&scan, &wakes)) {
		scan.workers = xcalloc(s->jobs, sizeof(*scan.workers));
		pool_run(s->jobs, s->scan.chunks.chunks.nr, scan_chunk, &scan);
		q = replay(&scan, wakes);
		for (unsigned i = 0; i < s->jobs; i++)
			if (scan.workers[i].ready)
				item_reader_release(&scan.workers[i].reader);
		free(scan.workers);
		find_gaps(s, q);
	}
	vec_free(&scan.events);
	return q;
}
