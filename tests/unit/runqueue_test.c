/*
 * A made-up scheduler knows how many threads wait for each CPU at any time; the replay of what its tracepoints say
 * must know the same: from the first hit on, before the first one too, and again soon after hits were lost.
 */
#include "core/sched/runqueue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "tests/unit/check.h"

#define CPUS	3
#define TASKS	9
#define STEPS	4000
#define NOBODY	0u

struct world {
	uint32_t running[CPUS];			/* NOBODY: idle */
	uint32_t cpu[TASKS + 1];		/* where a thread waits or runs */
	bool ready[TASKS + 1];			/* waits or runs */
	uint16_t length[STEPS][CPUS];		/* after the step of time i + 1 */
	VEC(struct sched_step) said;
	uint64_t waited[TASKS + 1], until[TASKS + 1];	/* since the first step that was said; until the last one */
};

static bool waits(const struct world *w, uint32_t pid)
{
	return w->ready[pid] && w->running[w->cpu[pid]] != pid;
}

static void say(struct world *w, uint64_t time, enum sched_kind kind, uint32_t cpu, uint32_t pid, uint32_t other, bool runnable)
{
	vec_push(&w->said, (struct sched_step){ .time = time, .position = w->said.nr, .cpu = cpu, .pid = pid, .other = other,
						 .kind = (uint8_t)kind, .runnable = runnable });
}

/* A thread that waits for @cpu; NOBODY: none. */
static uint32_t pick(const struct world *w, uint32_t cpu)
{
	uint32_t first = (uint32_t)rand() % TASKS;

	for (uint32_t i = 0; i < TASKS; i++) {
		uint32_t pid = 1 + (first + i) % TASKS;

		if (waits(w, pid) && w->cpu[pid] == cpu)
			return pid;
	}
	return NOBODY;
}

static void switch_one(struct world *w, uint64_t time)
{
	uint32_t cpu = (uint32_t)rand() % CPUS, prev = w->running[cpu], next = pick(w, cpu);
	bool sleeps = rand() % 2;

	if (prev == next)
		return;
	if (prev != NOBODY)
		w->ready[prev] = !sleeps;
	w->running[cpu] = next;
	say(w, time, SCHED_SWITCH, cpu, prev, next, prev == NOBODY || !sleeps);
}

static void wake_one(struct world *w, uint64_t time)
{
	uint32_t pid = 1 + (uint32_t)rand() % TASKS, cpu = (uint32_t)rand() % CPUS;

	if (w->ready[pid])
		return;
	/* Sleeping it is moved first. */
	if (w->cpu[pid] != cpu)
		say(w, time, SCHED_MIGRATE, cpu, pid, w->cpu[pid], false);
	w->cpu[pid] = cpu;
	w->ready[pid] = true;
	say(w, time, SCHED_WAKE, cpu, pid, 0, false);
}

static void move_one(struct world *w, uint64_t time)
{
	uint32_t pid = 1 + (uint32_t)rand() % TASKS, cpu = (uint32_t)rand() % CPUS;

	if (!waits(w, pid) || w->cpu[pid] == cpu)
		return;
	say(w, time, SCHED_MIGRATE, cpu, pid, w->cpu[pid], false);
	w->cpu[pid] = cpu;
}

static void live(struct world *w, unsigned seed)
{
	*w = (struct world){0};
	srand(seed);
	for (uint32_t pid = 1; pid <= TASKS; pid++) {
		w->ready[pid] = rand() % 2;
		w->cpu[pid] = (uint32_t)rand() % CPUS;
		if (w->ready[pid] && !w->running[w->cpu[pid]])
			w->running[w->cpu[pid]] = pid;
	}
	for (uint64_t i = 0; i < STEPS; i++) {
		int what = rand() % 10;
		size_t nr = w->said.nr;

		if (what < 5)
			switch_one(w, i + 1);
		else if (what < 9)
			wake_one(w, i + 1);
		else
			move_one(w, i + 1);
		memset(w->length[i], 0, sizeof(w->length[i]));
		for (uint32_t pid = 1; pid <= TASKS; pid++)
			w->length[i][w->cpu[pid]] += waits(w, pid);
		if (w->said.nr > nr)
			memcpy(w->until, w->waited, sizeof(w->until));
		for (uint32_t pid = 1; pid <= TASKS && w->said.nr; pid++)
			w->waited[pid] += waits(w, pid);
	}
}

/* How many of the lengths in [from, to) are not the world's. */
static unsigned count_wrong(const struct world *w, const struct runqueues *q, unsigned from, unsigned to)
{
	struct runqueue_cursor c = {0};
	unsigned wrong = 0;

	for (unsigned i = from; i < to; i++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			wrong += runqueue_length(q, &c, cpu, i + 1) != w->length[i][cpu];
	return wrong;
}

static struct runqueues *replay(const struct world *w, unsigned lost_from, unsigned lost_to)
{
	VEC(struct sched_step) heard = {0};
	struct runqueues *q;

	vec_for(s, &w->said)
		if (s->time < lost_from || s->time >= lost_to)
			vec_push(&heard, *s);
	/* The order of a file is that of its rings, not of time. */
	for (size_t i = 1; i < heard.nr; i++) {
		size_t other = (size_t)rand() % (i + 1);
		struct sched_step swapped = heard.v[i];

		heard.v[i] = heard.v[other];
		heard.v[other] = swapped;
	}
	q = runqueues_new(heard.v, heard.nr, true);
	vec_free(&heard);
	return q;
}

/* The number of steps after which all threads of a busy world have been seen again. */
#define HEALED 400

static void test_world(unsigned seed)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct runqueues *q;
	struct sched_gaps gaps;

	live(w, seed);
	q = replay(w, 0, 0);
	gaps = runqueues_gaps(q);
	CHECK(count_wrong(w, q, 0, STEPS) == 0);
	for (uint32_t pid = 1; pid <= TASKS; pid++)
		CHECK(runqueues_waited(q, pid) == w->until[pid]);
	CHECK(!gaps.nr_switches && !gaps.nr_wakes);
	runqueues_free(q);

	q = replay(w, 1000, 1100);
	gaps = runqueues_gaps(q);
	CHECK(count_wrong(w, q, 0, 900) == 0);
	CHECK(count_wrong(w, q, 1100 + HEALED, STEPS) == 0);
	CHECK(gaps.nr_switches || gaps.nr_wakes);
	CHECK(gaps.first_time >= 1100 && gaps.first_time < 1100 + HEALED);
	runqueues_free(q);
	vec_free(&w->said);
	free(w);
}

/* Numbers from a file may be anything. */
static void test_any(unsigned seed)
{
	struct sched_step steps[200];
	struct runqueue_cursor c = {0};
	struct runqueues *q;

	srand(seed);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		steps[i] = (struct sched_step){
			.time = rand() % 4 ? (uint64_t)rand() % 100 : UINT64_MAX, .position = i,
			.cpu = rand() % 9 ? (uint32_t)rand() % 4 : UINT32_MAX, .pid = (uint32_t)rand() % 6,
			.other = rand() % 9 ? (uint32_t)rand() % 6 : UINT32_MAX, .kind = (uint8_t)(rand() % 3),
			.runnable = rand() % 2,
		};
	q = runqueues_new(steps, ARRAY_SIZE(steps), rand() % 2);
	for (unsigned i = 0; i < 100; i++)
		CHECK(runqueue_length(q, &c, (uint32_t)rand() % 5, (uint64_t)rand() % 120) <= 6);
	CHECK(runqueue_length(q, &c, UINT32_MAX, 5) == RUNQUEUE_UNKNOWN);
	runqueues_free(q);
}

/* Two take turns on CPU 0, and a switch is lost: one of them waits all the time. */
static void test_lost_switch(void)
{
	struct sched_step steps[] = {
		{ .time = 10, .cpu = 0, .kind = SCHED_WAKE, .pid = 1 },
		{ .time = 11, .cpu = 0, .kind = SCHED_SWITCH, .pid = 0, .other = 1 },
		{ .time = 20, .cpu = 0, .kind = SCHED_WAKE, .pid = 2 },
		{ .time = 30, .cpu = 0, .kind = SCHED_SWITCH, .pid = 1, .other = 2, .runnable = true },
		/* lost: at 40 from 2 to 1 */
		{ .time = 50, .cpu = 0, .kind = SCHED_SWITCH, .pid = 1, .other = 2, .runnable = true },
		{ .time = 60, .cpu = 0, .kind = SCHED_SWITCH, .pid = 2, .other = 1 },
	};
	struct runqueues *q = runqueues_new(steps, ARRAY_SIZE(steps), true);
	struct runqueue_cursor c = {0};
	struct sched_gaps gaps = runqueues_gaps(q);

	for (uint64_t time = 0; time < 70; time++)
		CHECK(runqueue_length(q, &c, 0, time) == (time == 10 || (time >= 20 && time < 60)));
	CHECK(gaps.nr_switches == 1 && !gaps.nr_wakes);
	CHECK(gaps.first_time == 50 && gaps.first_cpu == 0);
	runqueues_free(q);
}

/* A thread that was not seen before waited from the beginning, unless wake-ups are missing and that were longer than any. */
static void test_lost_wake(bool lost)
{
	struct sched_step steps[] = {
		{ .time = 10, .cpu = 0, .kind = SCHED_WAKE, .pid = 1 },
		{ .time = 15, .cpu = 0, .kind = SCHED_SWITCH, .pid = 0, .other = 1 },
		{ .time = 20, .cpu = 0, .kind = SCHED_SWITCH, .pid = 1, .other = 2 },
		{ .time = 25, .cpu = 0, .kind = SCHED_SWITCH, .pid = 2, .other = 0 },
		{ .time = 30, .cpu = 0, .kind = SCHED_WAKE, .pid = lost ? 4 : 1 },
		{ .time = 31, .cpu = 0, .kind = SCHED_SWITCH, .pid = 0, .other = 1 },
		{ .time = 90, .cpu = 0, .kind = SCHED_SWITCH, .pid = 1, .other = 3 },
	};
	struct runqueues *q = runqueues_new(steps, ARRAY_SIZE(steps), true);
	struct runqueue_cursor c = {0};

	CHECK(runqueues_gaps(q).nr_wakes == lost);
	CHECK(runqueue_length(q, &c, 0, 17) == (lost ? 0 : 2) && runqueue_length(q, &c, 0, 28) == !lost,
	      "%u, %u", runqueue_length(q, &c, 0, 17), runqueue_length(q, &c, 0, 28));
	runqueues_free(q);
}

static void test_none(void)
{
	struct runqueues *q = runqueues_new(NULL, 0, true);
	struct runqueue_cursor c = {0};

	CHECK(runqueue_length(q, &c, 0, 5) == 0);
	CHECK(runqueues_waited(q, 1) == 0);
	runqueues_free(q);
}

int main(void)
{
	for (unsigned seed = 1; seed <= 100; seed++)
		test_world(seed);
	for (unsigned seed = 1; seed <= 300; seed++)
		test_any(seed);
	test_lost_switch();
	test_lost_wake(false);
	test_lost_wake(true);
	test_none();
	return checks_done();
}
