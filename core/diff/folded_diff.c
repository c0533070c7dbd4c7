/* Stacks of both sides, joined by what they read as. Layer: diff */
#include "core/diff/folded_diff.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

struct joined_stack { uint32_t parent; const char *label; double sums[SIDES]; };	/* label: interned; of the root NULL */

struct joining {
	struct match *match;
	struct strtab *strings;
	VEC(struct joined_stack) stacks;	/* [0] is the root; a parent stands before its children */
	struct index by_parent;
	size_t nr_runs[SIDES];
};

static uint32_t add_stack(struct joining *j, uint32_t parent, const char *label)
{
	uint64_t h = hash_pair(parent, (uintptr_t)label);
	uint32_t pos;

	for (size_t i = index_first(&j->by_parent, h); (pos = index_at(&j->by_parent, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && j->stacks.v[pos].parent == parent && j->stacks.v[pos].label == label)
			return pos;
	index_add(&j->by_parent, h, (uint32_t)j->stacks.nr);
	vec_push(&j->stacks, (struct joined_stack){ .parent = parent, .label = label });
	return (uint32_t)j->stacks.nr - 1;
}

/* What would end a frame or a line stands for itself no longer; blanks of comms neither, as stackcollapse-perf.pl has it. */
static const char *label_of(struct joining *j, const char *text, bool is_comm)
{
	struct buf label = {0};
	const char *interned;

	for (; *text; text++)
		if (*text == ';')
			buf_putc(&label, ':');
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			buf_putc(&label, '?');
		else
			buf_putc(&label, is_comm && *text == ' ' ? '_' : *text);
	interned = intern(j->strings, buf_str(&label));
	buf_release(&label);
	return interned;
}

static const char *frame_label(struct joining *j, const struct diff_run *run, size_t number, uint32_t node)
{
	const struct profile_data *d = profile_data(run->profile);
	uint32_t function = d->frames.v[d->stacks.v[node].frame].function;

	if (d->functions.v[function].inlined)
		return label_of(j, profile_string(run->profile, d->functions.v[function].name), false);
	return label_of(j, match_name(j->match, match_of_stack(j->match, number, node)), false);
}

/* Labels of a run's nodes are looked up once; its stacks, below each comm, as they are met. */
static void add_run(struct joining *j, const struct diff_run *run, size_t number)
{
	const struct profile_data *d = profile_data(run->profile);
	const char **labels = xcalloc(d->stacks.nr, sizeof(*labels));
	VEC(uint32_t) path = {0};

	for (uint32_t n = 1; n < d->stacks.nr; n++)
		labels[n] = frame_label(j, run, number, n);
	vec_for(w, &d->weights) {
		uint32_t at;

		if (w->event != run->event)
			continue;
		path.nr = 0;
		for (uint32_t n = w->stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent)
			vec_push(&path, n);
		at = add_stack(j, 0, label_of(j, profile_string(run->profile, w->comm), true));
		while (path.nr)
			at = add_stack(j, at, labels[path.v[--path.nr]]);
		j->stacks.v[at].sums[run->side] += (double)w->period / (double)j->nr_runs[run->side];
	}
	vec_free(&path);
	free(labels);
}

static void put_stack(const struct joining *j, uint32_t stack, struct buf *out)
{
	VEC(uint32_t) path = {0};

	for (uint32_t n = stack; n; n = j->stacks.v[n].parent)
		vec_push(&path, n);
	for (size_t i = path.nr; i-- > 0;)
		buf_printf(out, "%s%s", j->stacks.v[path.v[i]].label, i ? ";" : "");
	buf_printf(out, " %.0f %.0f\n", j->stacks.v[stack].sums[SIDE_A], j->stacks.v[stack].sums[SIDE_B]);
	vec_free(&path);
}

void folded_diff_put(const struct diff_run *runs, size_t nr, struct buf *out)
{
	struct joining j = { .match = match_new(runs, nr), .strings = strtab_new() };

	vec_push(&j.stacks, (struct joined_stack){0});
	for (size_t i = 0; i < nr; i++)
		j.nr_runs[runs[i].side]++;
	for (size_t i = 0; i < nr; i++)
		add_run(&j, &runs[i], i);
	for (uint32_t i = 1; i < j.stacks.nr; i++)
		if (j.stacks.v[i].sums[SIDE_A] > 0 || j.stacks.v[i].sums[SIDE_B] > 0)
			put_stack(&j, i, out);
	match_free(j.match);
	strtab_free(j.strings);
	vec_free(&j.stacks);
	index_release(&j.by_parent);
}
