/*
 * Merges the call stacks of the two recordings that prec diff compares, A and B, into one call tree. A function that was renamed
 * between A and B is one node, because match.h returns its name in A for both.
 */
#include "core/show/diff/joined_tree.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/base/intern.h"

struct joining {
	struct joined_tree *tree;
	struct index by_parent;
};

/* Nodes are joined by name, so call stacks with the same thread name and function names end at one node. */
static uint32_t add_node(struct joining *j, uint32_t parent, const char *name, bool comm)
{
	uint64_t h = hash_pair(parent, (uintptr_t)name);
	uint32_t pos;

	index_for(at, &j->by_parent, h)
		if (j->tree->nodes.v[at].parent == parent && j->tree->nodes.v[at].name == name)
			return at;
	pos = (uint32_t)j->tree->nodes.nr;
	index_add(&j->by_parent, h, pos);
	vec_push(&j->tree->nodes, (struct joined_node){ .parent = parent, .name = name, .comm = comm });
	return pos;
}

static const char *frame_name(struct joining *j, const struct diff_run *run, size_t number, uint32_t stack)
{
	const struct profile_data *d = profile_data(run->profile);
	const struct match *m = j->tree->match;
	uint32_t function = d->frames.v[d->stacks.v[stack].frame].function;

	if (d->functions.v[function].inlined)
		return intern(j->tree->strings, profile_string(run->profile, d->functions.v[function].name));
	return intern(j->tree->strings, match_name(m, match_of_stack(m, number, stack)));
}

static const char *comm_name(struct joining *j, const struct diff_run *run, uint32_t comm)
{
	return intern(j->tree->strings, match_comm(j->tree->match, run->side, profile_string(run->profile, comm)));
}

/* Looks up the names of its nodes once, and makes the tree's nodes below each thread name. */
static void add_run(struct joining *j, const struct diff_run *run, size_t number, double divisor)
{
	const struct profile_data *d = profile_data(run->profile);
	const char **names = xcalloc(d->stacks.nr, sizeof(*names));
	VEC(uint32_t) path = {0};

	for (uint32_t n = 1; n < d->stacks.nr; n++)
		names[n] = frame_name(j, run, number, n);
	vec_for(w, &d->weights) {
		uint32_t at;

		if (w->event != run->event)
			continue;
		path.nr = 0;
		for (uint32_t n = w->stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent)
			vec_push(&path, n);
		j->tree->has_chains |= path.nr > 1;
		at = add_node(j, JOINED_ROOT, comm_name(j, run, w->comm), true);
		while (path.nr)
			at = add_node(j, at, names[path.v[--path.nr]], false);
		j->tree->nodes.v[at].self[run->side] += (double)w->period / divisor;
	}
	vec_free(&path);
	free(names);
}

/* Parents come before their children. */
static void add_up(struct joined_tree *t)
{
	vec_for(n, &t->nodes) {
		n->moved = fabs(n->self[SIDE_B] - n->self[SIDE_A]);
		for (int side = 0; side < NR_SIDES; side++)
			n->total[side] = n->self[side];
	}
	for (size_t i = t->nodes.nr; i-- > 1;) {
		struct joined_node *n = &t->nodes.v[i], *parent = &t->nodes.v[n->parent];

		parent->moved += n->moved;
		for (int side = 0; side < NR_SIDES; side++)
			parent->total[side] += n->total[side];
	}
}

int joined_tree_new(struct joined_tree **out, const struct diff_run *runs, size_t nr, const struct diff_opts *opts)
{
	struct joined_tree *t = xcalloc(1, sizeof(*t));
	struct joining j = { .tree = t };
	int err = 0;

	t->match = match_new(runs, nr);
	t->strings = strtab_new();
	t->unit = profile_data(runs[0].profile)->events.v[runs[0].event].unit;
	t->per = opts->per;
	vec_push(&t->nodes, (struct joined_node){ .name = "" });
	for (size_t i = 0; i < nr; i++)
		t->nr_runs[runs[i].side]++;
	for (size_t i = 0; i < nr && !err; i++) {
		double divisor;

		err = diff_divisor(&runs[i], opts, &divisor);
		if (!err)
			add_run(&j, &runs[i], i, divisor * (double)t->nr_runs[runs[i].side]);
	}
	add_up(t);
	index_release(&j.by_parent);
	if (err)
		joined_tree_free(t);
	*out = err ? NULL : t;
	return err;
}

void joined_tree_free(struct joined_tree *t)
{
	if (!t)
		return;
	match_free(t->match);
	strtab_free(t->strings);
	vec_free(&t->nodes);
	free(t);
}
