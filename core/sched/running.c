/*
 * Counts how many threads ran at each moment, for prec report --latency, from the context switches, forks and exits that
 * task_changes.c collects. core/model/timeline.h stores the counts.
 * Source for the records: kernel/events/core.c of Linux 4.3 (which brought PERF_RECORD_SWITCH) to 6.18.
 */
#include "core/sched/running.h"

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/model/timeline.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/sched/task_changes.h"

struct runner { uint32_t tid; bool runs; };

struct running {
	VEC(struct runner) threads;
	struct index by_tid;
	struct timeline number;
};

void running_free(struct running *r)
{
	if (!r)
		return;
	vec_free(&r->threads);
	index_release(&r->by_tid);
	timeline_release(&r->number);
	free(r);
}

/* Returns the thread. If it is new and @ran is set, it has been running from the start of the recording. */
static struct runner *runner_of(struct running *r, uint32_t tid, bool ran)
{
	uint64_t hash = hash_u64(tid);

	index_for(pos, &r->by_tid, hash)
		if (r->threads.v[pos].tid == tid)
			return &r->threads.v[pos];
	index_add(&r->by_tid, hash, (uint32_t)r->threads.nr);
	vec_push(&r->threads, ((struct runner){ tid, ran }));
	if (ran)
		timeline_add(&r->number, 0, 1);
	return &r->threads.v[r->threads.nr - 1];
}

/* Ignores a change that is reported twice, or after a lost record. */
static void set(struct running *r, uint32_t tid, bool runs, bool ran, uint64_t time)
{
	struct runner *t;

	if (tid == TID_IDLE || tid == TID_GONE)
		return;
	t = runner_of(r, tid, ran);
	if (t->runs != runs)
		timeline_add(&r->number, time, runs ? 1 : -1);
	t->runs = runs;
}

/* A new thread does not run until the record of its first switch to a CPU. */
struct running *running_new(const struct task_changes *changes)
{
	struct running *r = xcalloc(1, sizeof(*r));

	vec_for(c, &changes->list)
		if (c->kind != TASK_EXEC)
			set(r, c->tid, c->kind == TASK_IN, c->kind == TASK_OUT || c->kind == TASK_END, c->time);
	timeline_finish(&r->number);
	return r;
}

struct running *session_threads_running(const struct session *s)
{
	struct task_changes changes = {0};
	struct running *r;

	if (!session_has_switches(s)) {
		error("'%s' does not say how many threads ran at a time: record with --latency", s->file->path);
		return NULL;
	}
	task_changes_of_records(&changes, s);
	r = running_new(&changes);
	vec_free(&changes.list);
	return r;
}

uint32_t running_at(const struct running *r, size_t *at, uint64_t time)
{
	int64_t number = timeline_at(&r->number, at, time);

	return number < 1 ? 1 : (uint32_t)MIN(number, RUNNING_MAX);
}
