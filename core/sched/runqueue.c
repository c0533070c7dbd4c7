/*
 * Replays samples of the scheduler's tracepoints, and stores the length of each CPU's run queue over time
 * (core/model/timeline.h). runqueues.c collects the samples.
 * Source for the order of events: kernel/sched/core.c of Linux 4.14 to 6.18 (a sleeping thread is migrated before its wake-up is
 * traced; a thread that has not left its CPU yet is woken on that CPU).
 */
#include "core/sched/runqueue.h"

#include <string.h>

#include "core/base/cpus.h"
#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/timeline.h"
#include "core/read/order.h"

#define CPU_NONE	UINT32_MAX
#define PID_NONE	UINT32_MAX
#define PID_IDLE	0u

/*
 * The states of a thread. A thread that is WAITING counts in the queue of its CPU:
 *
 *	          wake               switch in              switch out, not runnable
 *	ASLEEP ---------> WAITING <------------> RUNNING ---------------------------> ASLEEP
 *	                             switch out, runnable
 *
 * A thread is in state UNKNOWN before its first event and after missing events. Its next event shows what it did until then: a
 * wake-up shows that it was ASLEEP, and a switch in without a wake-up shows that it was WAITING.
 */
enum task_state { TASK_UNKNOWN, TASK_ASLEEP, TASK_WAITING, TASK_RUNNING };

struct wait_span { uint64_t from, to; uint32_t cpu; };

struct guess {				/* a thread was switched in without a recorded wake-up */
	uint64_t length;		/* ns */
	size_t first, nr;		/* the range of its waits in .guessed */
	uint32_t pid;
};

struct task {
	uint32_t pid, cpu;		/* CPU on which it runs, waits or slept; CPU_NONE: unknown */
	uint64_t since;			/* start of this state on this CPU, ns */
	uint64_t waited;		/* total time waited, ns */
	enum task_state state;
	VEC(struct wait_span) maybe;		/* TASK_UNKNOWN: its waits on earlier CPUs, if it was waiting there */
};

struct runqueue {
	struct timeline length;
	uint32_t running;		/* the thread that runs on the CPU; PID_NONE: not known */
	uint64_t last_switch;		/* ns */
};

struct runqueues {
	VEC(struct runqueue) cpus;
	VEC(struct task) tasks;
	struct index by_pid;
	struct sched_gaps gaps;
	bool wakes;
	uint64_t begin, end;			/* the times of the first and the last step, ns */
	uint64_t longest;			/* longest complete wait, ns */
	VEC(struct wait_span) guessed;
	VEC(struct guess) guesses;
};

static struct runqueue *cpu_of(struct runqueues *r, uint32_t cpu)
{
	while (r->cpus.nr <= cpu)
		vec_push(&r->cpus, (struct runqueue){ .running = PID_NONE });
	return &r->cpus.v[cpu];
}

static struct task *find_task(const struct runqueues *r, uint32_t pid)
{
	uint64_t hash = hash_u64(pid);

	index_for(pos, &r->by_pid, hash)
		if (r->tasks.v[pos].pid == pid)
			return &r->tasks.v[pos];
	return NULL;
}

/* Returns the thread. Borrowed until the next new thread. */
static struct task *task_of(struct runqueues *r, uint32_t pid)
{
	struct task *t = find_task(r, pid);

	if (t)
		return t;
	index_add(&r->by_pid, hash_u64(pid), (uint32_t)r->tasks.nr);
	vec_push(&r->tasks, (struct task){ .pid = pid, .cpu = CPU_NONE });
	return &r->tasks.v[r->tasks.nr - 1];
}

/*
 * The begin of a wait adds one to the length of the queue, and the end subtracts one. These changes are stored when they become
 * known, which may be long after the wait, and are sorted at the end.
 */
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

static void count_gap(struct runqueues *r, uint64_t *which, uint32_t cpu, uint64_t time)
{
	if (!r->gaps.nr_switches && !r->gaps.nr_wakes) {
		r->gaps.first_time = time;
		r->gaps.first_cpu = cpu;
	}
	++*which;
}

static void gap_in_switches(struct runqueues *r, uint32_t cpu, uint64_t time)
{
	count_gap(r, &r->gaps.nr_switches, cpu, time);
}

static void enter(struct task *t, enum task_state state, uint32_t cpu, uint64_t time)
{
	t->state = state;
	t->cpu = cpu;
	t->since = time;
}

/* Ends the uncertainty about the past of a thread in state UNKNOWN. @waited: it was waiting. */
static void settle(struct runqueues *r, struct task *t, bool waited)
{
	vec_for(m, &t->maybe)
		if (waited)
			add_wait(r, t, m->cpu, m->from, m->to);
	vec_free(&t->maybe);
}

/* Notes that the thread on @cpu is not known any more, because a later event shows that a switch out is missing. */
static void lose_track(struct runqueues *r, uint32_t cpu)
{
	if (cpu != CPU_NONE)
		cpu_of(r, cpu)->running = PID_NONE;
}

/* An UNKNOWN thread is switched in: it was waiting, unless its wake-up is missing. */
static void guess_wait(struct runqueues *r, struct task *t, const struct sched_step *s)
{
	struct guess g = { .first = r->guessed.nr, .pid = t->pid };
	uint64_t from = t->maybe.nr ? t->maybe.v[0].from : t->since;

	vec_for(m, &t->maybe)
		vec_push(&r->guessed, *m);
	vec_free(&t->maybe);
	vec_push(&r->guessed, (struct wait_span){ .from = t->since, .to = s->time, .cpu = t->cpu == CPU_NONE ? s->cpu : t->cpu });
	g.nr = r->guessed.nr - g.first;
	g.length = s->time - MAX(from, r->begin);
	vec_push(&r->guesses, g);
}

/* If wake-ups are missing, guessed waits longer than the longest complete one are dropped. */
static void add_guesses(struct runqueues *r)
{
	vec_for(g, &r->guesses)
		for (size_t i = g->first; i < g->first + g->nr && (!r->gaps.nr_wakes || g->length <= r->longest); i++)
			add_wait(r, task_of(r, g->pid), r->guessed.v[i].cpu, r->guessed.v[i].from, r->guessed.v[i].to);
	vec_free(&r->guesses);
	vec_free(&r->guessed);
}

/* ---- switches ---- */

/* Handles a switch out of @t. If its switch in is missing, the time of the switch in is unknown. */
static void switch_out(struct runqueues *r, struct task *t, const struct sched_step *s, uint64_t gap_from)
{
	if (t->state == TASK_UNKNOWN)
		settle(r, t, false);
	else if (t->state == TASK_WAITING)
		add_wait(r, t, t->cpu, t->since, MAX(t->since, gap_from));
	else if (t->state == TASK_RUNNING && t->cpu != s->cpu)
		lose_track(r, t->cpu);
	enter(t, s->runnable ? TASK_WAITING : TASK_ASLEEP, s->cpu, s->time);
}

static void switch_in(struct runqueues *r, struct task *t, const struct sched_step *s)
{
	switch (t->state) {
	case TASK_UNKNOWN:
		if (r->wakes)
			guess_wait(r, t, s);
		else
			settle(r, t, false);
		break;
	case TASK_WAITING:
		add_wait(r, t, t->cpu, t->since, s->time);
		r->longest = MAX(r->longest, s->time - t->since);
		if (t->cpu != s->cpu)
			gap_in_switches(r, s->cpu, s->time);
		break;
	case TASK_ASLEEP:
		if (r->wakes)
			count_gap(r, &r->gaps.nr_wakes, s->cpu, s->time);
		break;
	case TASK_RUNNING:
		lose_track(r, t->cpu);
		gap_in_switches(r, s->cpu, s->time);
	}
	enter(t, TASK_RUNNING, s->cpu, s->time);
}

static void do_switch(struct runqueues *r, const struct sched_step *s)
{
	uint64_t gap_from = cpu_of(r, s->cpu)->last_switch;
	uint32_t before = cpu_of(r, s->cpu)->running;

	/* Another thread ran on this CPU, and its switch out was not recorded. */
	if (before != PID_NONE && before != s->pid) {
		gap_in_switches(r, s->cpu, s->time);
		if (before != PID_IDLE)
			enter(task_of(r, before), TASK_UNKNOWN, s->cpu, gap_from);
	}
	if (s->pid != PID_IDLE)
		switch_out(r, task_of(r, s->pid), s, gap_from);
	if (s->other != PID_IDLE)
		switch_in(r, task_of(r, s->other), s);
	cpu_of(r, s->cpu)->running = s->other;
	cpu_of(r, s->cpu)->last_switch = s->time;
}

/* ---- the others ---- */

static void do_wake(struct runqueues *r, const struct sched_step *s)
{
	struct task *t = task_of(r, s->pid);

	switch (t->state) {
	case TASK_UNKNOWN:
		settle(r, t, false);
		break;
	case TASK_ASLEEP:
		break;
	case TASK_WAITING:
		if (t->cpu == s->cpu)
			return;
		gap_in_switches(r, s->cpu, s->time);
		add_wait(r, t, t->cpu, t->since, s->time);
		break;
	case TASK_RUNNING:
		if (t->cpu == s->cpu)
			return;
		gap_in_switches(r, s->cpu, s->time);
		lose_track(r, t->cpu);
	}
	enter(t, TASK_WAITING, s->cpu, s->time);
}

static void do_migrate(struct runqueues *r, const struct sched_step *s)
{
	struct task *t = task_of(r, s->pid);

	switch (t->state) {
	case TASK_UNKNOWN:
		vec_push(&t->maybe, (struct wait_span){ .from = t->since, .to = s->time, .cpu = s->other });
		break;
	case TASK_ASLEEP:
		break;
	case TASK_WAITING:
		add_wait(r, t, t->cpu, t->since, s->time);
		break;
	case TASK_RUNNING:	/* a running thread is not migrated, so its switch out is missing */
		gap_in_switches(r, s->other, s->time);
		lose_track(r, t->cpu);
		t->state = TASK_WAITING;
	}
	enter(t, t->state, s->cpu, s->time);
}

/* ---- the whole ---- */

struct runqueues *runqueues_new(struct sched_step *steps, size_t nr, bool wakes)
{
	static void (*const doings[])(struct runqueues *q, const struct sched_step *s) = {
		[SCHED_SWITCH] = do_switch, [SCHED_WAKE] = do_wake, [SCHED_MIGRATE] = do_migrate,
	};
	struct runqueues *q = xcalloc(1, sizeof(*q));

	q->wakes = wakes;
	order_sort(steps, nr, sizeof(*steps), 1);
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

uint64_t runqueues_waited(const struct runqueues *r, uint32_t pid)
{
	const struct task *t = r->tasks.nr ? find_task(r, pid) : NULL;

	return t ? t->waited : 0;
}

struct sched_gaps runqueues_gaps(const struct runqueues *r)
{
	return r->gaps;
}

uint16_t runqueue_length(const struct runqueues *r, struct runqueue_cursor *c, uint32_t cpu, uint64_t time)
{
	if (cpu >= CPU_MAX)
		return RUNQUEUE_UNKNOWN;
	if (cpu >= r->cpus.nr)
		return 0;
	if (c->cpu != cpu)
		*c = (struct runqueue_cursor){ .cpu = cpu };
	return (uint16_t)MIN(timeline_at(&r->cpus.v[cpu].length, &c->at, time), RUNQUEUE_MAX);
}
