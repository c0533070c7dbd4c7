/*
 * Leaves call stacks with few samples out of an exported HTML page (thin_stacks.h). Samples of such a stack move to a new one:
 * the outer callers of the old stack that stay in the page, a frame "(merged)", and usually the function that ran.
 */
#include "core/show/export/html/thin_stacks.h"

#include <stdlib.h>

static float *event_shares(const struct profile *p, float *shares, uint64_t *sums, uint32_t event)
{
	const struct profile_data *d = profile_data(p);
	double all = (double)d->events.v[event].period;

	memset(sums, 0, d->stacks.nr * sizeof(*sums));
	vec_for(w, &d->weights)
		if (w->event == event)
			add_saturated(&sums[w->stack], w->period);
	for (size_t i = d->stacks.nr - 1; i > PROFILE_ROOT; i--)
		add_saturated(&sums[d->stacks.v[i].parent], sums[i]);
	for (size_t i = 0; all > 0 && i < d->stacks.nr; i++)
		shares[i] = MAX(shares[i], (float)((double)sums[i] / all));
	return shares;
}

float *thin_shares(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	float *shares = xcalloc(d->stacks.nr, sizeof(*shares));
	uint64_t *sums = xcalloc(d->stacks.nr, sizeof(*sums));

	for (uint32_t e = 0; e < d->events.nr; e++)
		if (d->events.v[e].nr)
			event_shares(p, shares, sums, e);
	free(sums);
	return shares;
}

static uint32_t add_node(struct thin_stacks *t, uint32_t parent, uint32_t frame)
{
	vec_push(&t->nodes, ((struct page_stack){ parent, frame }));
	return (uint32_t)t->nodes.nr - 1;
}

/* The node of @frame below @parent that stands for merged stacks. It is made on demand. */
static uint32_t merged_node(struct thin_stacks *t, uint32_t parent, uint32_t frame)
{
	uint64_t h = hash_pair(parent, frame);
	uint32_t pos;

	index_for(at, &t->by_frame, h)
		if (t->nodes.v[at].parent == parent && t->nodes.v[at].frame == frame)
			return at;
	pos = add_node(t, parent, frame);
	index_add(&t->by_frame, h, pos);
	return pos;
}

static uint32_t function_frame(struct thin_stacks *t, const struct profile_data *d, uint32_t frame)
{
	uint32_t function = d->frames.v[frame].function;

	if (!t->function_frames[function]) {
		vec_push(&t->functions, function);
		t->function_frames[function] = (uint32_t)(d->frames.nr + t->functions.nr);
	}
	return t->function_frames[function];
}

/* Returns the node that replaces one with @frame, which is left out: below @kept, its nearest ancestor that is kept. */
static uint32_t merge(struct thin_stacks *t, const struct profile_data *d, uint32_t kept, uint32_t frame, enum thin_leaf leaf)
{
	uint32_t merged = merged_node(t, kept, (uint32_t)d->frames.nr);

	t->nr_merged++;
	if (leaf == THIN_NOTHING)
		return merged;
	return merged_node(t, merged, leaf == THIN_FRAME ? frame : function_frame(t, d, frame));
}

void thin_stacks(struct thin_stacks *t, const struct profile *p, const float *shares, double least, enum thin_leaf leaf)
{
	const struct profile_data *d = profile_data(p);
	uint32_t *kept = xmalloc(d->stacks.nr * sizeof(*kept));	/* by stack: node of itself or the nearest kept ancestor */

	*t = (struct thin_stacks){ .of = xmalloc(d->stacks.nr * sizeof(*t->of)),
				   .function_frames = xcalloc(MAX(d->functions.nr, 1), sizeof(*t->function_frames)) };
	vec_reserve(&t->nodes, least > 0 ? 1 : d->stacks.nr);
	t->of[PROFILE_ROOT] = kept[PROFILE_ROOT] = add_node(t, PROFILE_ROOT, PROFILE_NONE);
	for (uint32_t n = 1; n < d->stacks.nr; n++) {
		const struct profile_stack *s = &d->stacks.v[n];

		if (shares[n] >= least) {
			t->of[n] = kept[n] = add_node(t, kept[s->parent], s->frame);
		} else {
			kept[n] = kept[s->parent];
			t->of[n] = merge(t, d, kept[n], s->frame, leaf);
		}
	}
	free(kept);
}

void thin_stacks_release(struct thin_stacks *t)
{
	vec_free(&t->nodes);
	vec_free(&t->functions);
	index_release(&t->by_frame);
	free(t->of);
	free(t->function_frames);
	*t = (struct thin_stacks){0};
}
