/*
 * Computes the waits of threads by going through the context switches, wake-ups and similar records in order of time.
 * wait_steps.c collects these records, and wait_samples.c makes samples of the waits.
 */
#include "core/sched/waits.h"

#include <stdlib.h>

#include "core/arch.h"
#include "core/read/order.h"

#define NO_WAIT		SIZE_MAX

/*
 * A thread is on the CPU or off it. A switch may be in several records, and a second record of a known switch only adds data. The
 * records of one wait, in order of time, are:
 *
 *	switch out	sched_switch, context-switches (has the stack), SWITCH out (says whether the thread was preempted)
 *	wake-up		sched_waking (the thread is ready to run)
 *	switch in	sched_switch, SWITCH out of the thread that ran before, SWITCH in
 *
 * Two records in a row from the same source show that a switch between them is missing.
 */
struct task {				/* the current state of a thread; its index is that of the struct wait_task */
	size_t wait;			/* index of the current wait; NO_WAIT: it runs */
	uint64_t since;			/* when its time on the CPU began, ns */
	uint64_t sample;		/* position of its last sample, or WAIT_NOWHERE */
	uint32_t args;			/* index in waits->args of its last system call, or WAIT_NO_ARGS */
	uint8_t sources;			/* enum wait_source: the sources that have reported its last switch; 0: no switch
						 * yet */
	bool ended;
};

struct replay {
	struct waits *out;
	VEC(struct task) tasks;
};

/* ---- threads ---- */

/* Returns the index of @tid in .latest, or WAIT_NO_TASK. */
static uint32_t find_tid(const struct waits *w, uint32_t tid)
{
	uint64_t hash = hash_u64(tid);

	index_for(pos, &w->by_tid, hash)
		if (w->tasks.v[w->latest.v[pos]].tid == tid)
			return pos;
	return WAIT_NO_TASK;
}

static uint32_t find_task(const struct waits *w, uint32_t tid)
{
	uint32_t at = find_tid(w, tid);

	return at == WAIT_NO_TASK ? WAIT_NO_TASK : w->latest.v[at];
}

uint32_t waits_task_at(const struct waits *w, uint32_t tid, uint64_t time)
{
	uint32_t task = find_task(w, tid), earliest = task;

	for (; task != WAIT_NO_TASK; task = w->tasks.v[task].before) {
		if (w->tasks.v[task].first <= time)
			return task;
		earliest = task;
	}
	return earliest;
}

static uint32_t new_task(struct replay *r, const struct wait_step *s)
{
	uint32_t at = find_tid(r->out, s->tid), number = (uint32_t)r->tasks.nr;

	vec_push(&r->out->tasks, (struct wait_task){
		.pid = s->pid, .tid = s->tid, .first = s->time, .last = s->time,
		.before = at == WAIT_NO_TASK ? WAIT_NO_TASK : r->out->latest.v[at],
	});
	vec_push(&r->tasks, (struct task){ .wait = NO_WAIT, .since = s->time, .sample = WAIT_NOWHERE, .args = WAIT_NO_ARGS });
	if (at != WAIT_NO_TASK) {
		r->out->latest.v[at] = number;
		return number;
	}
	index_add(&r->out->by_tid, hash_u64(s->tid), (uint32_t)r->out->latest.nr);
	vec_push(&r->out->latest, number);
	return number;
}

/* ---- waits ---- */

uint64_t wait_delay(const struct wait *w)
{
	return w->ready && w->ready < w->to ? w->to - w->ready : 0;
}

static void begin_wait(struct replay *r, uint32_t number, const struct wait_step *s, uint8_t state)
{
	struct task *t = &r->tasks.v[number];
	bool earlier = !s->has_stack && t->sample != WAIT_NOWHERE;
	bool runs_on = state == WAIT_PREEMPTED || state == WAIT_NEW;

	r->out->tasks.v[number].on += s->time - t->since;
	t->wait = r->out->list.nr;
	vec_push(&r->out->list, (struct wait){
		.from = s->time, .task = number, .cpu = s->cpu, .state = state, .waker = WAIT_NOWHERE,
		.waker_tid = WAIT_NO_WAKER, .earlier = earlier,
		.stack = s->has_stack ? s->position : t->sample,
		.ready = runs_on ? s->time : 0, .args = runs_on ? WAIT_NO_ARGS : t->args,
	});
}

/* True for a futex, whose arguments are used for one wait only: a later wait comes after the call, and has another reason. */
static bool is_futex(const struct wait_args *a)
{
	return a->kind == CALL_FUTEX || a->kind == CALL_FUTEX_WAIT;
}

static void end_wait(struct replay *r, uint32_t number, uint64_t time)
{
	struct wait_task *sums = &r->out->tasks.v[number];
	struct task *t = &r->tasks.v[number];
	struct wait *w = &r->out->list.v[t->wait];
	uint64_t delay;

	w->to = time;
	if (w->args != WAIT_NO_ARGS && is_futex(&r->out->args.list.v[w->args]))
		t->args = WAIT_NO_ARGS;
	delay = wait_delay(w);
	sums->runnable += delay;
	sums->off += w->to - w->from - delay;
	t->wait = NO_WAIT;
	t->since = time;
}

/* Adds data of another source about the same switch out. */
static void add_to_wait(struct wait *w, const struct wait_step *s)
{
	if (s->has_stack && (w->stack == WAIT_NOWHERE || w->earlier)) {
		w->stack = s->position;
		w->earlier = false;
	}
	if (w->state == WAIT_BLOCKED && s->state != WAIT_BLOCKED) {
		w->state = s->state;
		if (s->state == WAIT_PREEMPTED) {
			w->ready = w->ready ? w->ready : w->from;
			w->args = WAIT_NO_ARGS;
		}
	}
}

/* ---- system calls ---- */

/* Operations of futex(2), without their flags: include/uapi/linux/futex.h. */
#define FUTEX_COMMANDS	0x7fu
#define FUTEX_WAIT	0u
#define FUTEX_LOCK_PI	6u
#define FUTEX_BITSET	9u
#define FUTEX_LOCK_PI2	13u
#define LOCK_CONTENDED	2u	/* held, and others wait: mutexes of glibc, Rust, Go */

bool wait_args_are_held(uint32_t operation, uint32_t expected)
{
	switch (operation & FUTEX_COMMANDS) {
	case FUTEX_WAIT:
	case FUTEX_BITSET:
		return expected == LOCK_CONTENDED;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	}
	return false;
}

ORDER(compare_args, struct wait_args, compare_numbers(a->position, b->position))

/* The index of the arguments of the call at @position. */
static uint32_t args_at(const struct wait_args_list *a, uint64_t position)
{
	size_t at = bisect(i, 0, a->list.nr, a->list.v[i].position < position);

	return at < a->list.nr && a->list.v[at].position == position ? (uint32_t)at : WAIT_NO_ARGS;
}

/* ---- steps ---- */

static void do_out(struct replay *r, uint32_t number, const struct wait_step *s)
{
	struct task *t = &r->tasks.v[number];

	if (t->wait != NO_WAIT && t->sources && !(t->sources & s->source)) {
		t->sources |= s->source;
		add_to_wait(&r->out->list.v[t->wait], s);
		return;
	}
	if (t->wait != NO_WAIT) {	/* it was on a CPU in between, from an unknown time on */
		r->out->gaps.nr_in += t->sources != 0;
		t->since = s->time;
	}
	t->sources = s->source;
	t->ended |= s->state == WAIT_EXITED;
	begin_wait(r, number, s, s->state);
}

static void do_in(struct replay *r, uint32_t number, const struct wait_step *s)
{
	struct task *t = &r->tasks.v[number];

	if (t->wait == NO_WAIT && !(t->sources & s->source)) {
		t->sources |= s->source;
		return;
	}
	if (t->wait == NO_WAIT) {
		r->out->gaps.nr_out += t->sources != 0 && !(s->source & (WAIT_BY_RECORD_BEFORE | WAIT_BY_NEXT));
		return;
	}
	end_wait(r, number, s->time);
	t->sources = s->source;
}

static void do_wake(struct replay *r, uint32_t number, const struct wait_step *s)
{
	struct task *t = &r->tasks.v[number];
	struct wait *w;

	if (t->wait == NO_WAIT)
		return;
	w = &r->out->list.v[t->wait];
	if (w->state == WAIT_PREEMPTED || w->waker != WAIT_NOWHERE)
		return;
	w->ready = s->time;
	w->waker = s->position;
	w->waker_tid = s->waker;
}

static void on_fork(struct replay *r, const struct wait_step *s)
{
	uint32_t number = new_task(r, s);

	begin_wait(r, number, s, WAIT_NEW);
}

/* The thread may still be preempted until its end. Its last switch out is no wait. */
static void do_end(struct replay *r, uint32_t number)
{
	r->tasks.v[number].ended = true;
}

/* True if the step is from the thread's own record. Switches and wake-ups also name threads that may not be recorded. */
static bool is_own(const struct wait_step *s)
{
	return s->kind != WAIT_STEP_WAKE && (s->kind != WAIT_STEP_IN || s->source & (WAIT_BY_EVENT | WAIT_BY_RECORD));
}

/*
 * True if the thread's own events have ended, so that its switches out are not recorded. Then a switch in, from another thread's
 * tracepoint, does not mean that a switch out is missing.
 */
static bool is_past_end(const struct task *t, const struct wait_step *s)
{
	return t->ended && t->wait == NO_WAIT && !is_own(s);
}

static void do_step(struct replay *r, const struct wait_step *s)
{
	uint32_t number;

	if (!wait_is_of_thread(s->tid))
		return;
	if (s->kind == WAIT_STEP_FORKED) {
		on_fork(r, s);
		return;
	}
	number = find_task(r->out, s->tid);
	if (number == WAIT_NO_TASK && !is_own(s))
		return;
	if (number == WAIT_NO_TASK)
		number = new_task(r, s);
	if (is_past_end(&r->tasks.v[number], s))
		return;
	if (r->out->tasks.v[number].pid == UINT32_MAX && s->kind != WAIT_STEP_WAKE)
		r->out->tasks.v[number].pid = s->pid;
	r->out->tasks.v[number].last = s->time;
	switch ((enum wait_step_kind)s->kind) {
	case WAIT_STEP_OUT: do_out(r, number, s); break;
	case WAIT_STEP_IN: do_in(r, number, s); break;
	case WAIT_STEP_WAKE: do_wake(r, number, s); break;
	case WAIT_STEP_END: do_end(r, number); break;
	case WAIT_STEP_CALL: r->tasks.v[number].args = args_at(&r->out->args, s->position); break;
	case WAIT_STEP_SAMPLE: r->tasks.v[number].sample = s->position; break;
	case WAIT_STEP_FORKED:
	case WAIT_STEP_EXEC: break;	/* shows only that the thread exists */
	}
}

/* ---- the whole ---- */

static void finish(struct replay *r, uint64_t end)
{
	for (uint32_t i = 0; i < r->tasks.nr; i++) {
		struct task *t = &r->tasks.v[i];
		struct wait_task *sums = &r->out->tasks.v[i];

		if (!t->ended)
			sums->last = MAX(end, sums->last);
		if (t->wait == NO_WAIT)
			sums->on += sums->last - t->since;
		if (t->wait == NO_WAIT || t->ended)
			continue;
		r->out->list.v[t->wait].open = true;
		if (t->sources || r->out->list.v[t->wait].waker != WAIT_NOWHERE)
			end_wait(r, i, sums->last);
	}
}

struct waits *waits_new(struct wait_step *steps, size_t nr, uint64_t end, struct wait_args_list *args)
{
	struct waits *w = xcalloc(1, sizeof(*w));
	struct replay r = { .out = w };

	if (args) {
		w->args = *args;
		*args = (struct wait_args_list){0};
		vec_sort(&w->args.list, compare_args);
	}
	order_sort(steps, nr, sizeof(*steps), 1);
	for (size_t i = 0; i < nr; i++)
		do_step(&r, &steps[i]);
	finish(&r, end);
	vec_free(&r.tasks);
	return w;
}

ORDER(compare_waits, struct wait, compare_numbers(a->from, b->from) ?: compare_numbers(a->stack, b->stack))

void waits_add_sums(struct waits *w, const struct wait *sums, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct wait_task *t = &w->tasks.v[sums[i].task];
		uint64_t length = sums[i].to - sums[i].from, delay = wait_delay(&sums[i]);

		t->on -= MIN(t->on, length);
		t->off += length - delay;
		t->runnable += delay;
		vec_push(&w->sums, sums[i]);
	}
	vec_sort(&w->sums, compare_waits);
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	vec_free(&w->list);
	vec_free(&w->sums);
	vec_free(&w->tasks);
	vec_free(&w->latest);
	vec_free(&w->args.list);
	index_release(&w->by_tid);
	free(w);
}

const char *wait_state_name(enum wait_state state)
{
#define NAME(id, name, meaning) name,
	static const char *const names[] = { WAIT_STATES(NAME) };

	return state < NR_WAIT_STATES ? names[state] : names[WAIT_BLOCKED];
}

/* The lowest bit set gives the state; values from 0x100 on mean a preempted thread. */
enum wait_state wait_state_of(uint64_t prev_state)
{
	static const uint8_t states[] = {
		WAIT_SLEEPING, WAIT_UNINTERRUPTIBLE, WAIT_STOPPED, WAIT_TRACED, WAIT_EXITED, WAIT_EXITED, WAIT_PARKED, WAIT_IDLE,
	};

	for (unsigned bit = 0; bit < ARRAY_SIZE(states); bit++)
		if (prev_state >> bit & 1)
			return states[bit];
	return WAIT_PREEMPTED;
}
