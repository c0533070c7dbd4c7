/*
 * Waits for locks are split among those that released them, as each nanosecond by itself says; the parts fill the wait, and there
 * are never too many of them.
 */
#include "core/sched/wait_locks.h"

#include <stdlib.h>

#include "core/arch.h"
#include "tests/unit/check.h"

#define THREADS	90u
#define LOCKS	3u
#define MAIN	1u

struct made { VEC(struct wait_step) steps; struct wait_args_list args; uint64_t position; };

static void add(struct made *m, uint64_t time, enum wait_step_kind kind, uint32_t tid, uint32_t waker)
{
	struct wait_step s = {
		.time = time, .position = ++m->position, .tid = tid, .pid = MAIN, .kind = (uint8_t)kind,
		.source = WAIT_BY_TRACEPOINT, .state = WAIT_SLEEPING,
	};

	if (kind == WAIT_STEP_WAKE)
		s.waker = waker;
	vec_push(&m->steps, s);
}

static void call(struct made *m, uint64_t time, uint32_t tid, uint8_t kind, uint64_t value, bool held)
{
	add(m, time, WAIT_STEP_CALL, tid, 0);
	vec_push(&m->args.list, (struct wait_args){
		.position = m->position, .value = value, .pid = MAIN, .kind = kind, .held = held });
}

/* Threads go to wait for a lock, and are woken by others at random. */
static void make(struct made *m, unsigned nr, unsigned *seed)
{
	bool waits[THREADS + 1] = {0};

	for (uint32_t t = 1; t <= THREADS; t++)
		add(m, 1, WAIT_STEP_SAMPLE, t, 0);
	for (uint64_t time = 2; nr; nr--, time += (unsigned)rand_r(seed) % 4) {
		uint32_t t = 1 + (unsigned)rand_r(seed) % THREADS, waker = 1 + (unsigned)rand_r(seed) % THREADS;

		if (waits[t] && waker != t && !waits[waker]) {
			add(m, time, WAIT_STEP_WAKE, t, rand_r(seed) % 20 ? waker : WAIT_INTERRUPT);
			add(m, time + (unsigned)rand_r(seed) % 2, WAIT_STEP_IN, t, 0);
			waits[t] = false;
		} else if (!waits[t]) {
			uint64_t lock = (unsigned)rand_r(seed) % LOCKS;

			call(m, time, t, CALL_FUTEX, 0x1000 + lock, lock != 0);
			add(m, time, WAIT_STEP_OUT, t, 0);
			waits[t] = true;
		}
	}
}

/* The first to release @lock after @time; after @last an object other than a lock has no holder. */
static uint32_t next_release(const struct waits *w, const struct wait_locks *l, uint32_t lock, uint64_t time)
{
	const struct wait *best = NULL;

	vec_for(wait, &w->list)
		if (wait_locks_of(l, wait) == lock && wait->ready > time && wait->waker_tid < WAIT_INTERRUPT &&
		    (!best || wait->ready < best->ready ||
		     (wait->ready == best->ready && waits_task_at(w, wait->waker_tid, wait->ready) <
						    waits_task_at(w, best->waker_tid, best->ready))))
			best = wait;
	return best ? waits_task_at(w, best->waker_tid, best->ready) : WAIT_NO_TASK;
}

static uint64_t end_of(const struct wait *w)
{
	return w->ready > w->from && w->ready < w->to ? w->ready : w->to;
}

static void check_each_moment(const struct waits *w, const struct wait_locks *l, const struct wait *wait, unsigned nr,
			      const struct wait_part *parts)
{
	uint32_t lock = wait_locks_of(l, wait);
	unsigned part = 0;

	for (uint64_t t = wait->from; t < end_of(wait); t++) {
		uint32_t wanted = next_release(w, l, lock, t);

		while (part + 1 < nr && parts[part].to <= t)
			part++;
		/* After the last release, a wait that no thread ended has no holder, unless it is for a lock. */
		if (parts[part].task == WAIT_NO_TASK && !l->list.v[lock].held)
			continue;
		CHECK(parts[part].task == wanted, "at %" PRIu64 " of lock %u: %u, not %u", t, lock, parts[part].task, wanted);
	}
}

static void check_waits(const struct waits *w, const struct wait_locks *l, bool each, unsigned *most)
{
	struct wait_part parts[WAIT_MAX_PARTS];

	vec_for(wait, &w->list) {
		uint32_t lock = wait_locks_of(l, wait);
		unsigned nr;

		if (lock == WAIT_NO_LOCK || wait->to <= wait->from)
			continue;
		nr = wait_locks_split(l, lock, wait, parts);
		*most = MAX(*most, nr);
		CHECK(nr >= 1 && nr <= WAIT_MAX_PARTS && parts[nr - 1].to == end_of(wait), "%u parts", nr);
		for (unsigned i = 0; i < nr; i++)
			CHECK(parts[i].to >= (i ? parts[i - 1].to : wait->from), "parts overlap");
		if (each)
			check_each_moment(w, l, wait, nr, parts);
	}
}

static void check_random(unsigned nr, unsigned seed, bool each)
{
	struct made m = {0};
	struct wait_locks *l;
	struct waits *w;
	unsigned most = 0;

	make(&m, nr, &seed);
	w = waits_new(m.steps.v, m.steps.nr, m.position + 1000, &m.args);
	l = wait_locks_new(w);
	CHECK(l->list.nr == LOCKS, "%zu locks", l->list.nr);
	check_waits(w, l, each, &most);
	CHECK(each || most > WAIT_MAX_PARTS / 2, "only %u parts", most);
	wait_locks_free(l);
	waits_free(w);
	vec_free(&m.steps);
}

/* Thread 2 waits from 100 to 1100 for a lock that 3 and 4 hold in turn, a quarter and three quarters of the time. */
static void check_shares(void)
{
	struct wait_part parts[WAIT_MAX_PARTS];
	struct made m = {0};
	struct wait_locks *l;
	struct waits *w;
	uint64_t sums[2] = {0}, from = 100;
	unsigned nr = 0;

	for (uint32_t t = 2; t <= 5; t++)
		add(&m, 1, WAIT_STEP_SAMPLE, t, 0);
	call(&m, 100, 2, CALL_FUTEX, 0x1000, true);
	add(&m, 100, WAIT_STEP_OUT, 2, 0);
	for (uint64_t t = 100; t < 1100; t += 4) {
		call(&m, t, 5, CALL_FUTEX, 0x1000, true);
		add(&m, t, WAIT_STEP_OUT, 5, 0);
		add(&m, t + 1, WAIT_STEP_WAKE, 5, 3);
		add(&m, t + 1, WAIT_STEP_IN, 5, 0);
		call(&m, t + 1, 5, CALL_FUTEX, 0x1000, true);
		add(&m, t + 1, WAIT_STEP_OUT, 5, 0);
		add(&m, t + 4, WAIT_STEP_WAKE, 5, 4);
		add(&m, t + 4, WAIT_STEP_IN, 5, 0);
	}
	add(&m, 1100, WAIT_STEP_WAKE, 2, 4);
	add(&m, 1101, WAIT_STEP_IN, 2, 0);
	w = waits_new(m.steps.v, m.steps.nr, 2000, &m.args);
	l = wait_locks_new(w);
	vec_for(wait, &w->list)
		if (w->tasks.v[wait->task].tid == 2)
			nr = wait_locks_split(l, wait_locks_of(l, wait), wait, parts);
	CHECK(nr > 1, "%u parts", nr);
	for (unsigned i = 0; i < nr; from = parts[i++].to)
		sums[w->tasks.v[parts[i].task].tid == 4] += parts[i].to - from;
	CHECK(sums[0] + sums[1] == 1000 && sums[0] > 150 && sums[0] < 350, "%" PRIu64 " and %" PRIu64, sums[0], sums[1]);
	wait_locks_free(l);
	waits_free(w);
	vec_free(&m.steps);
}

/* A call that waited is over; one that could wait in between says nothing of a wait of another kind. */
static void check_calls(void)
{
	struct made m = {0};
	struct waits *w;

	add(&m, 1, WAIT_STEP_SAMPLE, 2, 0);
	call(&m, 10, 2, CALL_FUTEX, 7, false);
	add(&m, 11, WAIT_STEP_OUT, 2, 0);
	add(&m, 20, WAIT_STEP_IN, 2, 0);
	add(&m, 30, WAIT_STEP_OUT, 2, 0);	/* in the same call no more */
	add(&m, 40, WAIT_STEP_IN, 2, 0);
	call(&m, 50, 2, CALL_DESCRIPTOR, 3, false);
	add(&m, 51, WAIT_STEP_OUT, 2, 0);
	add(&m, 60, WAIT_STEP_IN, 2, 0);
	add(&m, 61, WAIT_STEP_OUT, 2, 0);	/* it waits for the rest */
	add(&m, 70, WAIT_STEP_IN, 2, 0);
	w = waits_new(m.steps.v, m.steps.nr, 100, &m.args);
	CHECK(w->list.nr == 4, "%zu waits", w->list.nr);
	CHECK(w->list.v[0].args == 0 && w->list.v[1].args == WAIT_NO_ARGS && w->list.v[2].args == 1 && w->list.v[3].args == 1);
	waits_free(w);
	vec_free(&m.steps);
}

int main(void)
{
	for (unsigned seed = 1; seed <= 20; seed++)
		check_random(300, seed, true);
	check_random(20000, 1, false);
	check_shares();
	check_calls();
	CHECK(wait_args_are_held(128, 2) && wait_args_are_held(393, 2) && wait_args_are_held(134, 0));
	CHECK(!wait_args_are_held(128, 3) && !wait_args_are_held(129, 2));
	return nr_failed != 0;
}
