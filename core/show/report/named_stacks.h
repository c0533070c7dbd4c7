/*
 * Converts call chains of addresses to stacks of function names, so that call chains that differ only in addresses count as one
 * stack. Sums times by stack and by the thread's state, such as running or waiting for a page fault. Each sum has two parts, for
 * two groups that callers compare, such as slow and usual requests (slices.c, latency_stacks.c).
 */
#ifndef CORE_SHOW_REPORT_NAMED_STACKS_H
#define CORE_SHOW_REPORT_NAMED_STACKS_H

#include "core/base/hash.h"
#include "core/base/vec.h"

struct buf;
struct item;
struct machine;

#define NO_STACK 0u		/* the stack of a sample whose address is not known */

struct stack_name { const char *symbol, *dso; };	/* NULL: none; borrowed from the machine */

struct named_stack { size_t first, nr; uint64_t hash; };	/* range of named_stacks.names, the innermost first */

#define NR_STACK_GROUPS 2u

/* .sums: ns, by group; .stack: in named_stacks.list; .phase: a number that the caller chooses. */
struct stack_sum { uint64_t sums[NR_STACK_GROUPS]; uint32_t stack; uint8_t phase; };

struct known_name { uint64_t ip; uint32_t space; struct stack_name name; };

/*
 * The table of stacks of one worker thread. named_stacks_merge() merges tables. The names are borrowed from the machine
 * (core/model/machine.h), so equal names have equal pointers in all tables.
 */
struct named_stacks {		/* named_stacks_init(), named_stacks_release() */
	const struct machine *machine;		/* borrowed */
	VEC(struct known_name) known;		/* addresses that were looked up */
	struct index by_ip;
	VEC(struct named_stack) list;		/* [NO_STACK] has no names */
	struct index by_names;
	VEC(struct stack_name) names;
	VEC(struct stack_sum) sums;
	struct index by_stack;
};

void named_stacks_init(struct named_stacks *s, const struct machine *m);
void named_stacks_release(struct named_stacks *s);
/* The sums for the stack of a sample, at most its @max_depth innermost frames, and @phase. Adds zero sums for a new pair. */
struct stack_sum *named_stacks_sum(struct named_stacks *s, const struct item *item, size_t max_depth, uint8_t phase);
/* Adds the sums of @from to @s, and releases @from. */
void named_stacks_merge(struct named_stacks *s, struct named_stacks *from);

/* A row of a table. Rows are in order of .ranks, the largest first, then of the stacks' names. */
struct stack_row { const struct stack_sum *sum; double ranks[2]; char *names; };

struct stack_table {
	const struct named_stacks *stacks;
	VEC(struct stack_row) rows;	/* without .names */
	const char *separator;		/* after cells; NULL: for people: with at most .most rows */
	size_t most, indent;		/* .indent: of the names below a row */
	void (*put)(const void *ctx, const struct stack_sum *sum, struct buf *out);	/* appends the cells of a row */
	const void *ctx;
};

/* Prints and releases the rows, each with its stack: the innermost functions below it, or with a separator all in one cell. */
void stack_table_print(struct stack_table *t, struct buf *out);

#endif
