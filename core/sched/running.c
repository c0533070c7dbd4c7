/*
 * Counts how many threads ran at each moment, for prec report --latency. threads_running.c passes it the context switches, forks
 * and exits. core/model/timeline.h stores the counts.
 * Source for the records: kernel/events/core.c of Linux 4.3 (which brought PERF_RECORD_SWITCH) to 6.18.
 * Layer: sched
 */
#include "core/sched/running.h"

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/timeline.h"

#define TID_IDLE	0u
#define TID_GONE	UINT32_MAX

struct runner { uint32_t tid; bool runs; };

struct running {
	VEC(struct runner) threads;
	struct index by_tid;
	struct timeline number;
};

struct running *running_new(void)
{
	return xcalloc(1, sizeof(struct running));
}

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
void running_forked(struct running *r, uint32_t tid, uint64_t time)
{
	set(r, tid, false, false, time);
}

void running_switch(struct running *r, uint32_t tid, bool in, uint64_t time)
{
	set(r, tid, in, !in, time);
}

void running_end(struct running *r, uint32_t tid, uint64_t time)
{
	set(r, tid, false, true, time);
}

void running_finish(struct running *r)
{
	timeline_finish(&r->number);
}

uint32_t running_at(const struct running *r, size_t *at, uint64_t time)
{
	int64_t number = timeline_at(&r->number, at, time);

	return number < 1 ? 1 : (uint32_t)MIN(number, RUNNING_MAX);
}
