/* Defines functions with which columns compare, print and add up their values. key_table.c lists the columns. */
#include "core/hists/key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/model/machine.h"
#include "core/hists/key_context.h"

void key_print(const struct key *k, const struct key_context *c, uint64_t value, struct buf *out)
{
	if (k->put)
		k->put(value, out);
	else
		k->print(c, value, out);
}

static const char *dso_name(const struct key_context *c, uint64_t value)
{
	return value == DSO_NONE ? "[unknown]" : machine_dso(c->machine, (uint32_t)value)->name;
}

int key_dso_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	if (a == DSO_NONE || b == DSO_NONE)
		return (a == DSO_NONE) - (b == DSO_NONE);
	return strcmp(dso_name(c, a), dso_name(c, b));
}

/* DSOs with the same name have the same rank. */
uint64_t key_dso_prefix(const struct key_context *c, uint64_t value, unsigned word)
{
	return word ? 0 : value == DSO_NONE ? UINT64_MAX : c->dso_rank.v[value];
}

void key_dso_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	buf_puts(out, dso_name(c, value));
}

uint64_t key_text_prefix(const char *text, unsigned word)
{
	size_t from = 8 * word, len = strnlen(text, from + 8);
	uint64_t prefix = 0;

	for (size_t i = from; i < from + 8; i++)
		prefix = prefix << 8 | (i < len ? (unsigned char)text[i] : 0);
	return prefix;
}

int key_largest_first(const struct key_context *c, uint64_t a, uint64_t b)
{
	return compare_numbers(b, a);
}

int key_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	return k->order ? k->order(c, a, b) : compare_numbers(a, b);
}

int key_last_order(const struct key *k, const struct key_context *c, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	return k->last_order ? k->last_order(c, a, b) : key_order(k, c, a, b);
}

void cost_sums_add(struct cost_sums *into, const struct cost_sums *from)
{
	for (size_t i = 0; i < ARRAY_SIZE(into->weights); i++)
		add_saturated(&into->weights[i], from->weights[i]);
	for (size_t i = 0; i < ARRAY_SIZE(into->branches); i++)
		add_saturated(&into->branches[i], from->branches[i]);
	add_saturated(&into->latency, from->latency);
	into->delay += from->delay;
}
