/*
 * Converts call chains of addresses to stacks of function names, so that call chains that differ only in addresses count as one
 * stack. stack_sums.h adds up the time that threads spent in each stack, such as the time of waits.
 * Layer: report
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

struct known_name { uint64_t ip; uint32_t space; struct stack_name name; };

/*
 * The table of stacks of one worker thread. named_stacks_copy() merges tables. The names are borrowed from the machine
 * (core/model/machine.h), so equal names have equal pointers in all tables.
 */
struct named_stacks {		/* named_stacks_init(), named_stacks_release() */
	const struct machine *machine;		/* borrowed */
	VEC(struct known_name) known;		/* addresses that were looked up */
	struct index by_ip;
	VEC(struct named_stack) list;		/* [NO_STACK] has no names */
	struct index by_names;
	VEC(struct stack_name) names;
};

void named_stacks_init(struct named_stacks *s, const struct machine *m);
void named_stacks_release(struct named_stacks *s);
/* The number of the stack of a sample: at most its @max_depth innermost frames. */
uint32_t named_stacks_add(struct named_stacks *s, const struct item *item, size_t max_depth);
/* Adds stack @number of @from, and returns its number in @s. */
uint32_t named_stacks_copy(struct named_stacks *s, const struct named_stacks *from, uint32_t number);
/* Appends a line for each name, indented by @indent columns and at most @width columns wide. Appends at most @max names. */
void named_stack_print(const struct named_stacks *s, uint32_t number, size_t indent, size_t max, size_t width, struct buf *out);
/* Appends the names in one line without an end of line, from the outermost to the innermost, with ';' between. */
void named_stack_fold(const struct named_stacks *s, uint32_t number, struct buf *out);

#endif
