/*
 * Sums time by call stack and phase for two groups side by side, for latency_stacks.c and slices.c. A phase is a number that the
 * caller chooses, such as running or ready.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_STACK_SUMS_H
#define CORE_SHOW_REPORT_STACK_SUMS_H

#include "core/show/report/named_stacks.h"

#define NR_STACK_GROUPS 2u

struct stack_sum { uint64_t sums[NR_STACK_GROUPS]; uint32_t stack; uint8_t phase; };	/* ns; phase: the user's own */

struct stack_sums { VEC(struct stack_sum) list; struct index by_stack; };	/* = {0}; stack_sums_release() */

/* The sum of a stack of a table of names; it is made if there is none. */
struct stack_sum *stack_sums_find(struct stack_sums *s, uint32_t stack, uint8_t phase);
/* Add @from, whose stacks are of @from_names. */
void stack_sums_add(struct stack_sums *s, struct named_stacks *names, const struct stack_sums *from,
		    const struct named_stacks *from_names);
void stack_sums_release(struct stack_sums *s);

#endif
