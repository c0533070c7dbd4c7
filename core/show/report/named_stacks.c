/*
 * Converts call chains of addresses to stacks of function names, for the tables of waits and requests in prec report. A hash
 * table stores each address and each stack only once (named_stacks.h).
 * Layer: report
 */
#include "core/show/report/named_stacks.h"

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/read/item.h"
#include "core/perfdata/sample.h"
#include "core/model/chain.h"
#include "core/model/machine.h"

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
	index_release(&s->by_ip);
	index_release(&s->by_names);
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

uint32_t named_stacks_add(struct named_stacks *s, const struct item *item, size_t max_depth)
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

uint32_t named_stacks_copy(struct named_stacks *s, const struct named_stacks *from, uint32_t number)
{
	const struct named_stack *stack = &from->list.v[number];
	size_t first = s->names.nr;

	for (size_t i = 0; i < stack->nr; i++)
		vec_push(&s->names, from->names.v[stack->first + i]);
	return intern(s, first);
}

/* ---- text ---- */

static void put_name(const struct stack_name *n, size_t width, struct buf *out)
{
	if (n->symbol)
		fit_name(n->symbol, strlen(n->symbol), width, out);
	else
		buf_printf(out, "[%s]", n->dso ? n->dso : "unknown");
}

void named_stack_print(const struct named_stacks *s, uint32_t number, size_t indent, size_t max, size_t width, struct buf *out)
{
	const struct named_stack *stack = &s->list.v[number];

	for (size_t i = 0; i < MIN(stack->nr, max); i++) {
		buf_fill(out, ' ', indent);
		put_name(&s->names.v[stack->first + i], width - indent, out);
		buf_putc(out, '\n');
	}
	if (stack->nr > max) {
		buf_fill(out, ' ', indent);
		buf_printf(out, "(%zu more caller%s)\n", stack->nr - max, stack->nr - max > 1 ? "s" : "");
	}
}

void named_stack_fold(const struct named_stacks *s, uint32_t number, struct buf *out)
{
	const struct named_stack *stack = &s->list.v[number];

	for (size_t i = stack->nr; i--;) {
		put_name(&s->names.v[stack->first + i], SIZE_MAX, out);
		if (i)
			buf_putc(out, ';');
	}
}
