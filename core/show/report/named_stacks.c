/*
 * Converts call chains of addresses to stacks of function names, for the tables of waits and requests in prec report. A hash
 * table stores each address and each stack only once (named_stacks.h). Prints the stacks with their sums.
 */
#include "core/show/report/named_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/read/item.h"
#include "core/perfdata/sample.h"
#include "core/model/chain.h"
#include "core/model/machine.h"

#define MAX_FRAMES	12u	/* that are printed of a stack */
#define WIDTH		80u	/* columns */

void named_stacks_init(struct named_stacks *s, const struct machine *m)
{
	*s = (struct named_stacks){ .machine = m };
	vec_push(&s->list, (struct named_stack){0});
}

void named_stacks_release(struct named_stacks *s)
{
	vec_free(&s->known);
	vec_free(&s->list);
	vec_free(&s->names);
	vec_free(&s->sums);
	index_release(&s->by_ip);
	index_release(&s->by_names);
	index_release(&s->by_stack);
}

/* ---- names ---- */

static struct stack_name look_up(const struct named_stacks *s, uint32_t space, uint64_t ip)
{
	struct addr_location at;

	machine_resolve(s->machine, space, ip, &at);
	return (struct stack_name){ at.symbol ? at.symbol->name : NULL, at.dso ? at.dso->name : NULL };
}

static struct stack_name name_at(struct named_stacks *s, uint32_t space, uint64_t ip)
{
	uint64_t hash = hash_pair(ip, space);
	struct known_name known = { .ip = ip, .space = space };

	if (space == SPACE_NONE)
		return (struct stack_name){0};
	index_for(pos, &s->by_ip, hash)
		if (s->known.v[pos].ip == ip && s->known.v[pos].space == space)
			return s->known.v[pos].name;
	known.name = look_up(s, space, ip);
	index_add(&s->by_ip, hash, (uint32_t)s->known.nr);
	vec_push(&s->known, known);
	return known.name;
}

/* ---- stacks ---- */

static bool same_names(const struct stack_name *a, const struct stack_name *b, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (a[i].symbol != b[i].symbol || a[i].dso != b[i].dso)
			return false;
	return true;
}

/* The number of the stack of the names from @first on, which the caller pushed. Pops them if an equal stack exists. */
static uint32_t intern(struct named_stacks *s, size_t first)
{
	struct named_stack stack = { .first = first, .nr = s->names.nr - first };
	uint32_t pos;

	if (!stack.nr)
		return NO_STACK;
	for (size_t i = first; i < s->names.nr; i++)
		stack.hash = hash_pair(stack.hash ^ (uintptr_t)s->names.v[i].symbol, (uintptr_t)s->names.v[i].dso);
	index_for(at, &s->by_names, stack.hash) {
		const struct named_stack *known = &s->list.v[at];

		if (known->nr == stack.nr && same_names(&s->names.v[known->first], &s->names.v[first], stack.nr)) {
			s->names.nr = first;
			return at;
		}
	}
	pos = (uint32_t)s->list.nr;
	index_add(&s->by_names, stack.hash, pos);
	vec_push(&s->list, stack);
	return pos;
}

static uint16_t mode_of_marker(uint64_t marker)
{
	return marker == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL :
	       marker == PERF_CONTEXT_USER ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* The number of the stack of a sample. */
static uint32_t stack_of(struct named_stacks *s, const struct item *item, size_t max_depth)
{
	const struct words *chain = &item->sample->chain;
	size_t first = s->names.nr;
	uint16_t mode = item->cpumode;
	bool calls = false;	/* callers are known by the address after their call, unless they were unwound */

	for (size_t i = 0; i < chain->nr && s->names.nr - first < max_depth; i++) {
		uint64_t ip = words_at(chain, i);

		if (ip >= CHAIN_CONTEXT_MAX) {
			mode = mode_of_marker(ip);
			calls = false;
			continue;
		}
		vec_push(&s->names, name_at(s, chain_space(item->context, mode), ip - calls));
		calls = !(item->unwound && mode == PERF_RECORD_MISC_USER);
	}
	if (s->names.nr == first && item->sample->ip)
		vec_push(&s->names, name_at(s, chain_space(item->context, item->cpumode), item->sample->ip));
	return intern(s, first);
}

static uint32_t copy_stack(struct named_stacks *s, const struct named_stacks *from, uint32_t number)
{
	const struct named_stack *stack = &from->list.v[number];
	size_t first = s->names.nr;

	for (size_t i = 0; i < stack->nr; i++)
		vec_push(&s->names, from->names.v[stack->first + i]);
	return intern(s, first);
}

/* ---- sums ---- */

static struct stack_sum *find_sum(struct named_stacks *s, uint32_t stack, uint8_t phase)
{
	uint64_t hash = hash_pair(stack, phase);

	index_for(pos, &s->by_stack, hash)
		if (s->sums.v[pos].stack == stack && s->sums.v[pos].phase == phase)
			return &s->sums.v[pos];
	index_add(&s->by_stack, hash, (uint32_t)s->sums.nr);
	vec_push(&s->sums, (struct stack_sum){ .stack = stack, .phase = phase });
	return &s->sums.v[s->sums.nr - 1];
}

struct stack_sum *named_stacks_sum(struct named_stacks *s, const struct item *item, size_t max_depth, uint8_t phase)
{
	return find_sum(s, stack_of(s, item, max_depth), phase);
}

void named_stacks_merge(struct named_stacks *s, struct named_stacks *from)
{
	vec_for(sum, &from->sums) {
		struct stack_sum *into = find_sum(s, copy_stack(s, from, sum->stack), sum->phase);

		for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
			add_saturated(&into->sums[g], sum->sums[g]);
	}
	named_stacks_release(from);
}

/* ---- text ---- */

static void put_name(const struct stack_name *n, size_t width, struct buf *out)
{
	if (n->symbol)
		fit_name(n->symbol, strlen(n->symbol), width, out);
	else
		buf_printf(out, "[%s]", n->dso ? n->dso : "unknown");
}

static void put_stack(const struct named_stacks *s, uint32_t number, size_t indent, struct buf *out)
{
	const struct named_stack *stack = &s->list.v[number];

	for (size_t i = 0; i < MIN(stack->nr, MAX_FRAMES); i++) {
		buf_fill(out, ' ', indent);
		put_name(&s->names.v[stack->first + i], WIDTH - indent, out);
		buf_putc(out, '\n');
	}
	if (stack->nr > MAX_FRAMES) {
		buf_fill(out, ' ', indent);
		buf_printf(out, "(%zu more caller%s)\n", stack->nr - MAX_FRAMES, stack->nr - MAX_FRAMES > 1 ? "s" : "");
	}
}

/* The names from the outermost to the innermost, with ';' between. Owned by the caller. */
static char *fold_stack(const struct named_stacks *s, uint32_t number)
{
	const struct named_stack *stack = &s->list.v[number];
	struct buf names = {0};

	for (size_t i = stack->nr; i--;) {
		put_name(&s->names.v[stack->first + i], SIZE_MAX, &names);
		if (i)
			buf_putc(&names, ';');
	}
	buf_putc(&names, '\0');
	return names.data;
}

ORDER(compare_rows, struct stack_row,
	compare_numbers(b->ranks[0], a->ranks[0]) ?: compare_numbers(b->ranks[1], a->ranks[1]) ?: strcmp(a->names, b->names))

void stack_table_print(struct stack_table *t, struct buf *out)
{
	size_t nr = t->separator ? t->rows.nr : MIN(t->rows.nr, t->most);

	vec_for(row, &t->rows)
		row->names = fold_stack(t->stacks, row->sum->stack);
	vec_sort(&t->rows, compare_rows);
	for (size_t i = 0; i < nr; i++) {
		const struct stack_row *row = &t->rows.v[i];

		t->put(t->ctx, row->sum, out);
		if (t->separator)
			buf_printf(out, "%s%s", t->separator, row->names);
		buf_putc(out, '\n');
		if (!t->separator)
			put_stack(t->stacks, row->sum->stack, t->indent, out);
	}
	if (nr < t->rows.nr)
		buf_printf(out, "# %zu stacks more: -t prints all\n", t->rows.nr - nr);
	vec_for(row, &t->rows)
		free(row->names);
	vec_free(&t->rows);
}
