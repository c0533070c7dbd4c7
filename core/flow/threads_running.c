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

enum run_kind { RUN_BORN, RUN_IN, RUN_OUT, RUN_END };

struct run_step { uint64_t time, position; uint32_t tid; uint8_t kind; };

struct run_worker {
	struct item_reader reader;
	VEC(struct run_step) steps;
	bool ready;
};

struct run_walk {
	const struct session *session;
	struct run_worker *workers;
};

static bool tells_runs(uint32_t type)
{
	return type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT;
}

/* Threads that were there before the recording have beginnings of time 0, which say nothing. */
static void take(struct run_worker *w, const struct item *item)
{
	const struct record *rec = item->record;
	struct run_step step = { .time = item->at, .position = item->position };

	switch (rec->header.type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		step.tid = rec->task.tid;
		step.kind = rec->header.type == PERF_RECORD_FORK ? RUN_BORN : RUN_END;
		break;
	default:
		if (!rec->id.has_tid)
			return;
		step.tid = rec->id.tid;
		step.kind = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? RUN_OUT : RUN_IN;
	}
	if (step.time)
		vec_push(&w->steps, step);
}

static void walk_chunk(void *arg, unsigned worker, size_t number)
{
	struct run_walk *walk = arg;
	struct run_worker *w = &walk->workers[worker];
	const struct chunk *c = &walk->session->scan.chunks.chunks.v[number];

	if (!w->ready)
		item_reader_init(&w->reader, walk->session, 0);
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
	const struct run_step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void replay(struct running *r, const struct run_step *steps, size_t nr)
{
	for (const struct run_step *t = steps; t < steps + nr; t++)
		switch ((enum run_kind)t->kind) {
		case RUN_BORN:
			running_born(r, t->tid, t->time);
			break;
		case RUN_IN:
		case RUN_OUT:
			running_switch(r, t->tid, t->kind == RUN_IN, t->time);
			break;
		case RUN_END:
			running_end(r, t->tid, t->time);
		}
	running_finish(r);
}

/* The steps of all workers, in order of time, in the array of the first. */
static struct run_worker *gather(struct run_walk *walk)
{
	struct run_worker *first = &walk->workers[0];

	for (unsigned i = 0; i < walk->session->jobs; i++) {
		struct run_worker *w = &walk->workers[i];

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
	struct run_walk walk = { .session = s };
	struct running *r;
	struct run_worker *all;

	if (!session_has_switches(s)) {
		error("'%s' does not say how many threads ran at a time: record with --latency", s->file->path);
		return NULL;
	}
	r = running_new();
	walk.workers = xcalloc(s->jobs, sizeof(*walk.workers));
	pool_run(s->jobs, s->scan.chunks.chunks.nr, walk_chunk, &walk);
	all = gather(&walk);
	replay(r, all->steps.v, all->steps.nr);
	vec_free(&all->steps);
	free(walk.workers);
	return r;
}
