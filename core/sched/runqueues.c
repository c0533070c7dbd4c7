/*
 * Collects the scheduler's events in a recording, and computes from them the run queue of each CPU (core/sched/runqueue.h).
 * Worker threads of prec read parts of the file in parallel.
 */
#include "core/read/session.h"

#include <inttypes.h>

#include "core/base/log.h"
#include "core/sched/sched_events.h"
#include "core/read/session_impl.h"
#include "core/sched/runqueue.h"

static void found_missing(struct session *s, const char *name)
{
	char *path = xasprintf("'%s'", name);

	session_found(s, FINDING_SCHED_NO_EVENT, 1, path);
	free(path);
}

/* Adds a finding if events are missing or not every hit was recorded, because then queue lengths are wrong. */
static int check_events(struct session *s, const struct sched_events *events, bool *wakes)
{
	bool has[NR_SCHED_EVENTS] = {0};

	vec_for(e, &events->list) {
		if (e->repeated || !e->has_cpu)
			continue;
		has[e->kind] = true;
		if (e->partial && e->kind <= SCHED_EVENT_MIGRATE)
			session_found(s, FINDING_SCHED_PARTIAL, 1, s->file->events.events.v[e - events->list.v]->name);
	}
	if (!has[SCHED_EVENT_SWITCH])
		return error("'%s' does not say which threads waited: record with -a "
			     "-e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task",
			     s->file->path);
	for (int i = SCHED_EVENT_SWITCH; i <= SCHED_EVENT_MIGRATE; i++)
		if (!has[i])
			found_missing(s, sched_event_name((enum sched_event_kind)i));
	*wakes = has[SCHED_EVENT_WAKEUP] && has[SCHED_EVENT_WAKEUP_NEW];
	return 0;
}

/* ---- reading the events ---- */

struct sched_steps { VEC(struct sched_step) list; };	/* of a worker */

struct sched_scan {
	const struct session *session;
	struct sched_events events;
	struct sched_steps steps;	/* of all workers */
};

static void on_item(void *worker, void *ctx, const struct item *item)
{
	const struct sched_scan *scan = ctx;
	struct sched_steps *w = worker;
	struct sched_step step;

	if (sched_events_read(&scan->events, scan->session, item, &step))
		vec_push(&w->list, step);
}

static void merge_steps(void *worker, void *ctx)
{
	struct sched_steps *w = worker;
	struct sched_scan *scan = ctx;

	vec_append(&scan->steps.list, &w->list);
	vec_free(&w->list);
}

static void find_gaps(struct session *s, const struct runqueues *r)
{
	struct sched_gaps g = runqueues_gaps(r);
	char *path = xasprintf("%" PRIu64 " context switches and %" PRIu64 " wake-ups are missing, the first on CPU %" PRIu32
			       " before %" PRIu64 ".%06" PRIu64, g.nr_switches, g.nr_wakes, g.first_cpu,
			       g.first_time / 1000000000, g.first_time % 1000000000 / 1000);

	session_found(s, FINDING_SCHED_GAPS, g.nr_switches + g.nr_wakes, path);
	free(path);
}

struct runqueues *session_runqueues(struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct sched_steps), .types = { PERF_RECORD_SAMPLE }, .record = on_item, .merge = merge_steps,
	};
	struct sched_scan scan = { .session = s };
	struct runqueues *q = NULL;
	bool wakes = false;

	sched_events_find(&scan.events, session_events(s), session_tracing(s));
	if (!check_events(s, &scan.events, &wakes)) {
		session_records(s, &pass, &scan);
		q = runqueues_new(scan.steps.list.v, scan.steps.list.nr, wakes);
		find_gaps(s, q);
	}
	vec_free(&scan.steps.list);
	vec_free(&scan.events.list);
	return q;
}
