/*
 * Keeps function calls and returns in several lists, each sorted by time. call_walk.c takes them out in order of time: a heap of
 * the lists has the list with the earliest call or return at its top.
 */
#include "core/profile/call_steps.h"

static bool is_before(const struct step_run *a, const struct step_run *b)
{
	uint64_t x = a->steps.v[a->taken].at, y = b->steps.v[b->taken].at;

	return x != y ? x < y : a->number < b->number;
}

static void swap_runs(struct step_run *a, struct step_run *b)
{
	struct step_run t = *a;

	*a = *b;
	*b = t;
}

/* Returns the child of run @i in the heap with the earlier step; an index beyond the end if it has no child. */
static size_t first_child(const struct call_steps *c, size_t i)
{
	size_t child = 2 * i + 1;

	return child + 1 < c->runs.nr && is_before(&c->runs.v[child + 1], &c->runs.v[child]) ? child + 1 : child;
}

static void move_down(struct call_steps *c)
{
	size_t i = 0, child;

	while ((child = first_child(c, i)) < c->runs.nr && is_before(&c->runs.v[child], &c->runs.v[i])) {
		swap_runs(&c->runs.v[i], &c->runs.v[child]);
		i = child;
	}
}

static void move_up(struct call_steps *c)
{
	for (size_t i = c->runs.nr - 1; i && is_before(&c->runs.v[i], &c->runs.v[(i - 1) / 2]); i = (i - 1) / 2)
		swap_runs(&c->runs.v[i], &c->runs.v[(i - 1) / 2]);
}

/* Adds the run that was being filled to the others. */
static void end_run(struct call_steps *c)
{
	struct step_run *r = &c->last;

	if (!r->steps.nr)
		return;
	if (r->steps.nr < r->steps.cap / 2) {
		r->steps.cap = r->steps.nr;
		r->steps.v = xrealloc(r->steps.v, r->steps.cap * sizeof(*r->steps.v));
	}
	r->number = c->nr_runs++;
	vec_push(&c->runs, *r);
	move_up(c);
	*r = c->spare;
	c->spare = (struct step_run){0};
}

/* Removes the first run, which is empty. Keeps its memory as the spare one, if it is the larger of the two. */
static void drop_first(struct call_steps *c)
{
	struct step_run *r = &c->runs.v[0];

	if (c->spare.steps.cap < r->steps.cap)
		swap_runs(&c->spare, r);
	vec_free(&r->steps);
	c->spare.steps.nr = c->spare.taken = 0;
	*r = c->runs.v[--c->runs.nr];
}

void call_steps_add(struct call_steps *c, const struct call_event *e)
{
	if (c->last.steps.nr && c->last.steps.v[c->last.steps.nr - 1].at > e->at)
		end_run(c);
	vec_push(&c->last.steps, *e);
}

/* Passes steps of the first run to @on_event, as long as they are before @time and before the steps of all other runs. */
static void pop_first(struct call_steps *c, uint64_t time, void (*on_event)(void *ctx, const struct call_event *e), void *ctx)
{
	struct step_run *r = &c->runs.v[0];
	size_t next = first_child(c, 0);

	do
		on_event(ctx, &r->steps.v[r->taken++]);
	while (r->taken < r->steps.nr && r->steps.v[r->taken].at < time &&
	       (next >= c->runs.nr || !is_before(&c->runs.v[next], r)));
	if (r->taken == r->steps.nr)
		drop_first(c);
	if (c->runs.nr)
		move_down(c);
}

void call_steps_pop(struct call_steps *c, uint64_t time, void (*on_event)(void *ctx, const struct call_event *e), void *ctx)
{
	end_run(c);
	while (c->runs.nr && c->runs.v[0].steps.v[c->runs.v[0].taken].at < time)
		pop_first(c, time, on_event, ctx);
}

void call_steps_release(struct call_steps *c)
{
	vec_for(r, &c->runs)
		vec_free(&r->steps);
	vec_free(&c->runs);
	vec_free(&c->last.steps);
	vec_free(&c->spare.steps);
}
