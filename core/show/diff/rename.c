/*
 * Finds functions that were renamed between the two recordings that prec diff compares. Functions that only the first one has are
 * compared with functions that only the second one has, by their callers, callees and size. match.c calls it.
 */
#include <stdlib.h>

#include "core/show/diff/match_impl.h"

#define LEAST_SHARE	0.002	/* of a run's samples; with fewer, chance decides whether a side has the function */
#define MOST_CANDIDATES	200	/* functions of a side that are compared */
#define LEAST_LIKENESS	0.6
#define CLEARLY		0.95	/* the second best likeness must be below this share of the best */

enum { CALLER, CALLEE };

struct edge { uint32_t unit; int kind; double share; };

struct candidate {
	uint32_t unit;
	double share;
	VEC(struct edge) edges;
};

struct candidates { struct candidate *v; size_t nr, cap; };

ORDER(most_first, struct candidate, compare_numbers(b->share, a->share) ?: compare_numbers(a->unit, b->unit))

static void find_candidates(const struct match *m, enum diff_side side, struct candidates *out)
{
	size_t nr_runs = 0;

	for (size_t i = 0; i < m->nr_runs; i++)
		nr_runs += m->runs[i].side == side;
	for (uint32_t i = 0; i < m->units.nr; i++) {
		const struct unit *u = &m->units.v[i];

		if (u->to == i && !u->unnamed && !u->one_build && !u->base && !u->cloned[SIDE_A] && !u->cloned[SIDE_B] &&
		    !u->inlined[!side] && !(u->share[!side] > 0) && u->share[side] >= LEAST_SHARE * (double)nr_runs)
			vec_push(out, (struct candidate){ .unit = i, .share = u->share[side] });
	}
	vec_sort(out, most_first);
	out->nr = MIN(out->nr, MOST_CANDIDATES);
}

static void add_edge(struct candidate *c, uint32_t unit, int kind, double share)
{
	vec_for(e, &c->edges)
		if (e->unit == unit && e->kind == kind) {
			e->share += share;
			return;
		}
	vec_push(&c->edges, (struct edge){ unit, kind, share });
}

/* @number: by unit: 1 + the index of its candidate; 0: the unit is no candidate. */
static void add_edges(const struct match *m, size_t run, const uint32_t *number, struct candidates *out)
{
	const struct profile *p = m->runs[run].profile;
	const struct profile_data *d = profile_data(p);
	struct profile_sum *total = xcalloc(d->stacks.nr, sizeof(*total));

	profile_sum_stacks(p, m->runs[run].event, total, NULL);
	for (uint32_t n = 1; n < d->stacks.nr; n++) {
		uint32_t parent = d->stacks.v[n].parent, callee, caller = UINT32_MAX;

		if (!total[n].period)
			continue;
		callee = match_final(m, m->unit_of[run][d->frames.v[d->stacks.v[n].frame].function]);
		if (parent != PROFILE_ROOT)
			caller = match_final(m, m->unit_of[run][d->frames.v[d->stacks.v[parent].frame].function]);
		if (callee == caller)
			continue;
		if (number[callee])
			add_edge(&out->v[number[callee] - 1], caller, CALLER, (double)total[n].period);
		if (caller != UINT32_MAX && number[caller])
			add_edge(&out->v[number[caller] - 1], callee, CALLEE, (double)total[n].period);
	}
	free(total);
}

static void find_edges(const struct match *m, enum diff_side side, struct candidates *out)
{
	uint32_t *number = xcalloc(MAX(m->units.nr, 1), sizeof(*number));

	for (uint32_t i = 0; i < out->nr; i++)
		number[out->v[i].unit] = i + 1;
	for (size_t run = 0; run < m->nr_runs; run++)
		if (m->runs[run].side == side)
			add_edges(m, run, number, out);
	free(number);
	vec_for(c, out) {
		double sum = 0;

		vec_for(e, &c->edges)
			sum += e->share;
		vec_for(e, &c->edges)
			e->share /= sum;
	}
}

/* From 0 to 1: the weighted Jaccard similarity of callers and callees, of which half is scaled by the ratio of the sizes. */
static double likeness(const struct match *m, const struct candidate *a, const struct candidate *b)
{
	const struct unit *ua = &m->units.v[a->unit], *ub = &m->units.v[b->unit];
	double size_a = (double)ua->size[SIDE_A], size_b = (double)ub->size[SIDE_B], common = 0;

	if (ua->dso != ub->dso)
		return 0;
	vec_for(e, &a->edges)
		vec_for(f, &b->edges)
			if (e->unit == f->unit && e->kind == f->kind)
				common += MIN(e->share, f->share);
	common = common / (2 - common);
	return common * (0.5 + (size_a > 0 && size_b > 0 ? 0.5 * MIN(size_a, size_b) / MAX(size_a, size_b) : 0.25));
}

/* Returns the one of @others that is most like @c, or NULL if the likeness is small or another one is about as like. */
static const struct candidate *nearest(const struct match *m, const struct candidate *c, const struct candidates *others,
				       bool c_is_a)
{
	const struct candidate *best = NULL;
	double most = 0, next = 0;

	vec_for(o, others) {
		double like = c_is_a ? likeness(m, c, o) : likeness(m, o, c);

		if (like > most) {
			next = most;
			most = like;
			best = o;
		} else if (like > next) {
			next = like;
		}
	}
	return most >= LEAST_LIKENESS && next < CLEARLY * most ? best : NULL;
}

void match_renamed(struct match *m)
{
	struct candidates a = {0}, b = {0};

	find_candidates(m, SIDE_A, &a);
	find_candidates(m, SIDE_B, &b);
	if (a.nr && b.nr) {
		find_edges(m, SIDE_A, &a);
		find_edges(m, SIDE_B, &b);
	}
	vec_for(c, &a) {
		const struct candidate *near = nearest(m, c, &b, true);

		if (near && nearest(m, near, &a, false) == c)
			m->units.v[near->unit].to = c->unit;
	}
	vec_for(c, &a)
		vec_free(&c->edges);
	vec_for(c, &b)
		vec_free(&c->edges);
	vec_free(&a);
	vec_free(&b);
}
