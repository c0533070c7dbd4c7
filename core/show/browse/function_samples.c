/*
 * Finds a function to annotate in place of a chosen one: sums the samples that have the chosen function in their call stack, by
 * the function whose code ran. Functions that inline the chosen one are preferred to functions that it calls.
 */
#include "core/show/browse/function_samples.h"

#include <stdlib.h>

#include "core/base/util.h"

/* By stack node: the node or one of its callers is @function. Owned by the caller. */
static bool *find_below(const struct model *m, uint32_t function)
{
	bool *below = xcalloc(m->d->stacks.nr, sizeof(*below));

	for (size_t n = PROFILE_ROOT + 1; n < m->d->stacks.nr; n++)	/* callers have lower numbers */
		below[n] = m->node_functions[n] == function || below[m->d->stacks.v[n].parent];
	return below;
}

/* True if the code at @node belongs to @function, which was inlined there. */
static bool is_inside(const struct model *m, uint32_t node, uint32_t function)
{
	while (node != PROFILE_ROOT && model_is_inlined(m, m->node_functions[node])) {
		if (m->node_functions[node] == function)
			return true;
		node = m->d->stacks.v[node].parent;
	}
	return false;
}

static struct function_samples most_of(const struct model *m, const struct sum *sums, bool inside)
{
	struct function_samples most = { .function = PROFILE_NONE, .is_inlined_code = inside };

	for (uint32_t f = 0; f < m->unknown; f++)
		if (sums[f].nr && model_function_name(m, f) &&
		    (most.function == PROFILE_NONE || sums[f].period > most.sum.period)) {
			most.function = f;
			most.sum = sums[f];
		}
	return most;
}

struct function_samples function_samples_of(const struct model *m, const struct selection *s, uint32_t function)
{
	size_t nr = (size_t)m->unknown + 1;
	struct sum *inside = xcalloc(nr, sizeof(*inside)), *called = xcalloc(nr, sizeof(*called));
	bool *below = find_below(m, function);
	struct function_samples most;

	for (size_t i = 0; i < m->d->weights.nr; i++) {
		uint32_t node = m->d->weights.v[i].stack;
		struct sum one = selection_weight(s, m, i);

		if (one.nr && below[node])
			sum_add(&(is_inside(m, node, function) ? inside : called)[model_code_of(m, i)], &one);
	}
	most = most_of(m, inside, true);
	if (most.function == PROFILE_NONE)
		most = most_of(m, called, false);
	free(below);
	free(called);
	free(inside);
	return most;
}
