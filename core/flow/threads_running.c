/*
 * Gathering who came to a CPU and who left, by chunk in parallel, for the replay in core/model/running.c.
 * Layer: flow
 */
#include "core/flow/session.h"

#include <string.h>

#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/flow/item_reader.h"
#include "core/flow/session_impl.h"
#include "core/model/running.h"

enum task_change_kind { TASK_BORN, TASK_IN, TASK_OUT, TASK_END };

struct task_change { uint64_t time, position; uint32_t tid; uint8_t kind; };

struct task_worker {
	struct item_reader reader;
	VEC(struct task_change) steps;
	bool ready;
};

struct task_scan {
	const struct session *session;
	struct task_worker *workers;
};

static bool tells_runs(uint32_t type)
{
	return type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT;
}

/* Threads that were there before the recording have beginnings of time 0, which say nothing. */
static void take(struct task_worker *w, const struct item *item)
{
	const struct record *rec = item->record;
	struct task_change step = { .time = item->at, .position = item->position };

	switch (rec->header.type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		step.tid = rec->task.tid;
		step.kind = rec->header.type == PERF_RECORD_FORK ? TASK_BORN : TASK_END;
		break;
	default:
		if (!rec->id.has_tid)
			return;
		step.tid = rec->id.tid;
		step.kind = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? TASK_OUT : TASK_IN;
	}
	if (step.time)
		vec_push(&w->steps, step);
}

static void scan_chunk(void *arg, unsigned worker, size_t number)
{
	struct task_scan *scan = arg;
	struct task_worker *w = &scan->workers[worker];
	const struct chunk *c = &scan->session->scan.chunks.chunks.v[number];

	if (!w->ready)
		item_reader_init(&w->reader, scan->session, 0);
	w->ready = true;
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item = NULL;

		if (tells_runs(each.header.type))
			item = item_read(&w->reader, 0, each.record, chunk_position(number, each.at));
		if (item)
			take(w, item);
	}
}

static int compare_steps(const void *a, const void *b)
{
	const struct task_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void replay(struct running *r, const struct task_change *steps, size_t nr)
{
	for (const struct task_change *t = steps; t < steps + nr; t++)
		switch ((enum task_change_kind)t->kind) {
		case TASK_BORN:
			running_born(r, t->tid, t->time);
			break;
		case TASK_IN:
		case TASK_OUT:
			running_switch(r, t->tid, t->kind == TASK_IN, t->time);
			break;
		case TASK_END:
			running_end(r, t->tid, t->time);
		}
	running_finish(r);
}

/* The steps of all workers, in order of time, in the array of the first. */
static struct task_worker *gather(struct task_scan *scan)
{
	struct task_worker *first = &scan->workers[0];

	for (unsigned i = 0; i < scan->session->jobs; i++) {
		struct task_worker *w = &scan->workers[i];

		if (w->ready)
			item_reader_release(&w->reader);
		if (!i || !w->steps.nr)
			continue;
		vec_reserve(&first->steps, w->steps.nr);
		memcpy(first->steps.v + first->steps.nr, w->steps.v, w->steps.nr * sizeof(*w->steps.v));
		first->steps.nr += w->steps.nr;
		vec_free(&w->steps);
	}
	if (first->steps.nr)
		qsort(first->steps.v, first->steps.nr, sizeof(*first->steps.v), compare_steps);
	return first;
}

/* One thread alone on its CPU is never switched. */
bool session_has_switches(const struct session *s)
{
	if (s->scan.counts.by_type[PERF_RECORD_SWITCH] || s->scan.counts.by_type[PERF_RECORD_SWITCH_CPU_WIDE])
		return true;
	vec_for(ev, &s->file->events.events)
		if ((*ev)->attr.context_switch)
			return true;
	return false;
}

struct running *session_running(const struct session *s)
{
	struct task_scan scan = { .session = s };
	struct running *r;
	struct task_worker *all;

	if (!session_has_switches(s)) {
		error("'%s' does not say how many threads ran at a time: record with --latency", s->file->path);
		return NULL;
	}
	r = running_new();
	scan.workers = xcalloc(s->jobs, sizeof(*scan.workers));
	pool_run(s->jobs, s->scan.chunks.chunks.nr, scan_chunk, &scan);
	all = gather(&scan);
	replay(r, all->steps.v, all->steps.nr);
	vec_free(&all->steps);
	free(scan.workers);
	return r;
}
