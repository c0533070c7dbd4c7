/*
 * Sums times by call stack and by the thread's state, such as running or waiting for a page fault. Each sum has two parts, for
 * two groups that callers compare, such as slow and usual requests (slices.c, latency_stacks.c).
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_STACK_SUMS_H
#define CORE_SHOW_REPORT_STACK_SUMS_H

#include "core/show/report/named_stacks.h"

#define NR_STACK_GROUPS 2u

/* .sums: ns, by group; .phase: a number that the caller chooses. */
struct stack_sum { uint64_t sums[NR_STACK_GROUPS]; uint32_t stack; uint8_t phase; };

struct stack_sums { VEC(struct stack_sum) list; struct index by_stack; };	/* = {0}; stack_sums_release() */

/* The sums for @stack, a number of a struct named_stacks, and @phase. Adds zero sums for a new pair. */
struct stack_sum *stack_sums_find(struct stack_sums *s, uint32_t stack, uint8_t phase);
/* Adds @from, whose stacks are in @from_names, to @s, whose stacks are in @names. */
void stack_sums_add(struct stack_sums *s, struct named_stacks *names, const struct stack_sums *from,
		    const struct named_stacks *from_names);
void stack_sums_release(struct stack_sums *s);

#endif
