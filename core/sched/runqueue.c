/*
 * The replay. Each thread is in one of four states; each wait becomes two steps of its CPU's queue length, up and
 * down. They are stored as they become known, which may be long after the wait, and sorted at the end.
 *
 *	          wake               switch in              switch out, not runnable
 *	ASLEEP ---------> WAITING <------------> RUNNING ---------------------------> ASLEEP
 *	                             switch out, runnable
 *
 * UNKNOWN is a thread before its first hit, or after a gap: a switch in without a wake-up means that it was WAITING,
 * with one, ASLEEP. Source for the order of events: kernel/sched/core.c of Linux 4.14 to 6.18 (a sleeping thread is
 * migrated before its wake-up is traced; a thread that has not left its CPU yet is woken on that CPU).
 * Layer: sched
 */
#include "core/sched/runqueue.h"

#include <string.h>

#include "core/base/cpus.h"
#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/timeline.h"

#define CPU_NONE	UINT32_MAX
#define PID_NONE	UINT32_MAX
#define PID_IDLE	0u

enum task_state { TASK_UNKNOWN, TASK_ASLEEP, TASK_WAITING, TASK_RUNNING };

struct wait_span { uint64_t from, to; uint32_t cpu; };

struct guess {				/* a thread came without a wake-up that was seen */
	uint64_t length;		/* ns */
	size_t first, nr;		/* of .guessed */
	uint32_t pid;
};

struct task {
	uint32_t pid, cpu;		/* where it runs, waits, or slept; CPU_NONE: not known */
	uint64_t since;			/* in this state and on this CPU, ns */
	uint64_t waited;		/* ns, in all */
	enum task_state state;
	VEC(struct wait_span) maybe;		/* UNKNOWN: where it was before, if it was waiting */
};

struct runqueue {
	struct timeline length;
	uint32_t running;		/* the thread there; PID_NONE: not known */
	uint64_t last_switch;		/* ns */
};

struct runqueues {
	VEC(struct runqueue) cpus;
	VEC(struct task) tasks;
	struct index by_pid;
	struct sched_gaps gaps;
	bool wakes;
	uint64_t begin, end;			/* of the first and the last step, ns */
	uint64_t longest;			/* wait that was seen from its beginning to its end, ns */
	VEC(struct wait_span) guessed;
	VEC(struct guess) guesses;
};

static struct runqueue *cpu_of(struct runqueues *q, uint32_t cpu)
{
	while (q->cpus.nr <= cpu)
		vec_push(&q->cpus, (struct runqueue){ .running = PID_NONE });
	return &q->cpus.v[cpu];
}

static struct task *find_task(const struct runqueues *q, uint32_t pid)
{
	uint64_t hash = hash_u64(pid);

	index_for(pos, &q->by_pid, hash)
		if (q->tasks.v[pos].pid == pid)
			return &q->tasks.v[pos];
	return NULL;
}

/* Borrowed until the next new thread. */
static struct task *task_of(struct runqueues *q, uint32_t pid)
{
	struct task *t = find_task(q, pid);

	if (t)
		return t;
	index_add(&q->by_pid, hash_u64(pid), (uint32_t)q->tasks.nr);
	vec_push(&q->tasks, (struct task){ .pid = pid, .cpu = CPU_NONE });
	return &q->tasks.v[q->tasks.nr - 1];
}

static void add_wait(struct runqueues *q, struct task *t, uint32_t cpu, uint64_t from, uint64_t to)
{
	struct runqueue *r;

	if (from >= to || cpu == CPU_NONE)
		return;
	t->waited += (to == UINT64_MAX ? MAX(q->end, from) : to) - MAX(from, q->begin);
	r = cpu_of(q, cpu);
	timeline_add(&r->length, from, 1);
	if (to != UINT64_MAX)
		timeline_add(&r->length, to, -1);
}

static void count_gap(struct runqueues *q, uint64_t *which, uint32_t cpu, uint64_t time)
{
	if (!q->gaps.nr_switches && !q->gaps.nr_wakes) {
		q->gaps.first_time = time;
		q->gaps.first_cpu = cpu;
	}
	++*which;
}

static void gap_in_switches(struct runqueues *q, uint32_t cpu, uint64_t time)
{
	count_gap(q, &q->gaps.nr_switches, cpu, time);
}

static void enter(struct task *t, enum task_state state, uint32_t cpu, uint64_t time)
{
	t->state = state;
	t->cpu = cpu;
	t->since = time;
}

/* Resolves an UNKNOWN thread's past: @waited if it was waiting. */
static void settle(struct runqueues *q, struct task *t, bool waited)
{
	vec_for(m, &t->maybe)
		if (waited)
			add_wait(q, t, m->cpu, m->from, m->to);
	vec_free(&t->maybe);
}

/* It was on @cpu, and it shows that it left unseen. */
static void lose_track(struct runqueues *q, uint32_t cpu)
{
	if (cpu != CPU_NONE)
		cpu_of(q, cpu)->running = PID_NONE;
}

/* An UNKNOWN thread comes: it waited, unless its wake-up is missing. */
static void guess_wait(struct runqueues *q, struct task *t, const struct sched_step *s)
{
	struct guess g = { .first = q->guessed.nr, .pid = t->pid };
	uint64_t from = t->maybe.nr ? t->maybe.v[0].from : t->since;

	vec_for(m, &t->maybe)
		vec_push(&q->guessed, *m);
	vec_free(&t->maybe);
	vec_push(&q->guessed, (struct wait_span){ .from = t->since, .to = s->time, .cpu = t->cpu == CPU_NONE ? s->cpu : t->cpu });
	g.nr = q->guessed.nr - g.first;
	g.length = s->time - MAX(from, q->begin);
	vec_push(&q->guesses, g);
}

/* If wake-ups are missing, guessed waits longer than the longest complete one are dropped. */
static void add_guesses(struct runqueues *q)
{
	vec_for(g, &q->guesses)
		for (size_t i = g->first; i < g->first + g->nr && (!q->gaps.nr_wakes || g->length <= q->longest); i++)
			add_wait(q, task_of(q, g->pid), q->guessed.v[i].cpu, q->guessed.v[i].from, q->guessed.v[i].to);
	vec_free(&q->guesses);
	vec_free(&q->guessed);
}

/* ---- switches ---- */

/* @t leaves @cpu; when it came is not known if it was not seen to come. */
static void switch_out(struct runqueues *q, struct task *t, const struct sched_step *s, uint64_t gap_from)
{
	if (t->state == TASK_UNKNOWN)
		settle(q, t, false);
	else if (t->state == TASK_WAITING)
		add_wait(q, t, t->cpu, t->since, MAX(t->since, gap_from));
	else if (t->state == TASK_RUNNING && t->cpu != s->cpu)
		lose_track(q, t->cpu);
	enter(t, s->runnable ? TASK_WAITING : TASK_ASLEEP, s->cpu, s->time);
}

static void switch_in(struct runqueues *q, struct task *t, const struct sched_step *s)
{
	switch (t->state) {
	case TASK_UNKNOWN:
		if (q->wakes)
			guess_wait(q, t, s);
		else
			settle(q, t, false);
		break;
	case TASK_WAITING:
		add_wait(q, t, t->cpu, t->since, s->time);
		q->longest = MAX(q->longest, s->time - t->since);
		if (t->cpu != s->cpu)
			gap_in_switches(q, s->cpu, s->time);
		break;
	case TASK_ASLEEP:
		if (q->wakes)
			count_gap(q, &q->gaps.nr_wakes, s->cpu, s->time);
		break;
	case TASK_RUNNING:
		lose_track(q, t->cpu);
		gap_in_switches(q, s->cpu, s->time);
	}
	enter(t, TASK_RUNNING, s->cpu, s->time);
}

static void do_switch(struct runqueues *q, const struct sched_step *s)
{
	uint64_t gap_from = cpu_of(q, s->cpu)->last_switch;
	uint32_t before = cpu_of(q, s->cpu)->running;

	/* Another thread ran here: its end was not recorded. */
	if (before != PID_NONE && before != s->pid) {
		gap_in_switches(q, s->cpu, s->time);
		if (before != PID_IDLE)
			enter(task_of(q, before), TASK_UNKNOWN, s->cpu, gap_from);
	}
	if (s->pid != PID_IDLE)
		switch_out(q, task_of(q, s->pid), s, gap_from);
	if (s->other != PID_IDLE)
		switch_in(q, task_of(q, s->other), s);
	cpu_of(q, s->cpu)->running = s->other;
	cpu_of(q, s->cpu)->last_switch = s->time;
}

/* ---- the others ---- */

static void do_wake(struct runqueues *q, const struct sched_step *s)
{
	struct task *t = task_of(q, s->pid);

	switch (t->state) {
	case TASK_UNKNOWN:
		settle(q, t, false);
		break;
	case TASK_ASLEEP:
		break;
	case TASK_WAITING:
		if (t->cpu == s->cpu)
			return;
		gap_in_switches(q, s->cpu, s->time);
		add_wait(q, t, t->cpu, t->since, s->time);
		break;
	case TASK_RUNNING:
		if (t->cpu == s->cpu)
			return;
		gap_in_switches(q, s->cpu, s->time);
		lose_track(q, t->cpu);
	}
	enter(t, TASK_WAITING, s->cpu, s->time);
}

static void do_migrate(struct runqueues *q, const struct sched_step *s)
{
	struct task *t = task_of(q, s->pid);

	switch (t->state) {
	case TASK_UNKNOWN:
		vec_push(&t->maybe, (struct wait_span){ .from = t->since, .to = s->time, .cpu = s->other });
		break;
	case TASK_ASLEEP:
		break;
	case TASK_WAITING:
		add_wait(q, t, t->cpu, t->since, s->time);
		break;
	case TASK_RUNNING:	/* not while it runs */
		gap_in_switches(q, s->other, s->time);
		lose_track(q, t->cpu);
		t->state = TASK_WAITING;
	}
	enter(t, t->state, s->cpu, s->time);
}

/* ---- the whole ---- */

ORDER(compare_events, struct sched_step, compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

struct runqueues *runqueues_new(struct sched_step *steps, size_t nr, bool wakes)
{
	static void (*const doings[])(struct runqueues *q, const struct sched_step *s) = {
		[SCHED_SWITCH] = do_switch, [SCHED_WAKE] = do_wake, [SCHED_MIGRATE] = do_migrate,
	};
	struct runqueues *q = xcalloc(1, sizeof(*q));

	q->wakes = wakes;
	if (nr)
		qsort(steps, nr, sizeof(*steps), compare_events);
	q->begin = nr ? steps[0].time : 0;
	q->end = nr ? steps[nr - 1].time : 0;
	for (size_t i = 0; i < nr; i++)
		if (steps[i].cpu < CPU_MAX && (steps[i].kind != SCHED_MIGRATE || steps[i].other < CPU_MAX))
			doings[steps[i].kind](q, &steps[i]);
	vec_for(t, &q->tasks) {
		if (t->state == TASK_WAITING)
			add_wait(q, t, t->cpu, t->since, UINT64_MAX);
		settle(q, t, false);
	}
	add_guesses(q);
	vec_for(r, &q->cpus)
		timeline_finish(&r->length);
	return q;
}

void runqueues_free(struct runqueues *q)
{
	if (!q)
		return;
	vec_for(r, &q->cpus)
		timeline_release(&r->length);
	vec_free(&q->cpus);
	vec_free(&q->tasks);
	index_release(&q->by_pid);
	free(q);
}

uint64_t runqueues_waited(const struct runqueues *q, uint32_t pid)
{
	const struct task *t = q->tasks.nr ? find_task(q, pid) : NULL;

	return t ? t->waited : 0;
}

struct sched_gaps runqueues_gaps(const struct runqueues *q)
{
	return q->gaps;
}

uint16_t runqueue_length(const struct runqueues *q, struct runqueue_cursor *c, uint32_t cpu, uint64_t time)
{
	if (cpu >= CPU_MAX)
		return RUNQUEUE_UNKNOWN;
	if (cpu >= q->cpus.nr)
		return 0;
	if (c->cpu != cpu)
		*c = (struct runqueue_cursor){ .cpu = cpu };
	return (uint16_t)MIN(timeline_at(&q->cpus.v[cpu].length, &c->at, time), RUNQUEUE_MAX);
}
