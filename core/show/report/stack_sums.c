/*
 * Implements a hash table that sums times by call stack and phase, such as running or waiting (stack_sums.h). It also adds the
 * table of one worker thread to that of another.
 * Layer: report
 */
#include "core/show/report/stack_sums.h"

struct stack_sum *stack_sums_find(struct stack_sums *s, uint32_t stack, uint8_t phase)
{
	uint64_t hash = hash_pair(stack, phase);

	index_for(pos, &s->by_stack, hash)
		if (s->list.v[pos].stack == stack && s->list.v[pos].phase == phase)
			return &s->list.v[pos];
	index_add(&s->by_stack, hash, (uint32_t)s->list.nr);
	vec_push(&s->list, (struct stack_sum){ .stack = stack, .phase = phase });
	return &s->list.v[s->list.nr - 1];
}

void stack_sums_add(struct stack_sums *s, struct named_stacks *names, const struct stack_sums *from,
		    const struct named_stacks *from_names)
{
	vec_for(sum, &from->list) {
		struct stack_sum *into = stack_sums_find(s, named_stacks_copy(names, from_names, sum->stack), sum->phase);

		for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
			add_saturated(&into->sums[g], sum->sums[g]);
	}
}

void stack_sums_release(struct stack_sums *s)
{
	vec_free(&s->list);
	index_release(&s->by_stack);
}
