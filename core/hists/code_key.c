/*
 * Implements the sort keys that depend on addresses of code: dso, symbol, srcline, symbol_from, parent and others. key.h describes
 * what a sort key implements; key_table.c lists all keys.
 */
#include "core/hists/key_table.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/model/dso.h"
#include "core/hists/key.h"
#include "core/hists/key_context.h"

/* ---- of the address ---- */

static uint64_t dso_value(const struct key_context *c, uint32_t location)
{
	const struct dso *dso = c->locations->list.v[location].dso;

	return dso ? c->dso_alias.v[dso->number] : DSO_NONE;
}

static uint64_t symbol_value(const struct key_context *c, uint32_t location)
{
	return c->locations->list.v[location].function;
}

static uint64_t line_value(const struct key_context *c, uint32_t location)
{
	return c->locations->list.v[location].line;
}

static uint64_t file_value(const struct key_context *c, uint32_t location)
{
	return c->locations->list.v[location].file;
}

static int source_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	size_t na, nb;
	const char *x = locations_text(c->locations, (uint32_t)a, &na), *y = locations_text(c->locations, (uint32_t)b, &nb);

	return compare_bytes(x, na, y, nb);
}

static void source_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	size_t n;
	const char *text = locations_text(c->locations, (uint32_t)value, &n);

	buf_put(out, text, n);
}

static int symbol_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	const char *x = c->locations->list.v[a].name, *y = c->locations->list.v[b].name;

	if (!x || !y)
		return !x - !y;
	return strcmp(x, y);
}

static int symbol_last_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	return location_compare(&c->locations->list.v[a], &c->locations->list.v[b]);
}

static uint64_t symbol_prefix(const struct key_context *c, uint64_t value, unsigned word)
{
	const char *name = c->locations->list.v[value].name;

	return name ? key_text_prefix(name, word) : UINT64_MAX;
}

/* Words in the order of location_compare(): by file, then unnamed last, then by address. The second word is the whole address. */
#define SKETCH_ADDR_BITS	42u
static uint64_t symbol_last_prefix(const struct key_context *c, uint64_t value, unsigned word)
{
	const struct location *location = &c->locations->list.v[value];
	uint64_t rank = location->dso ? MIN(c->dso_rank.v[location->dso->number], (1u << 20) - 1) : 1u << 20;
	uint64_t addr = MIN(location->addr, (1ull << SKETCH_ADDR_BITS) - 1);

	if (rank == (1u << 20) - 1)	/* files with this rank or a higher one are not distinguished */
		return word ? 0 : rank << (SKETCH_ADDR_BITS + 1);
	return word ? location->addr : (rank << 1 | !location->name) << SKETCH_ADDR_BITS | addr;
}

static void put_level(const struct location *location, struct buf *out)
{
	buf_putc(out, '[');
	buf_putc(out, location->level);
	buf_puts(out, "] ");
}

static void symbol_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	const struct location *location = &c->locations->list.v[value];

	put_level(location, out);
	if (location->name)
		location_put_name(location, out);
	else
		location_put_addr(location->addr, out);
}

/* ---- of the address in its function ---- */

static uint64_t address_value(const struct key_context *c, uint32_t location)
{
	return location;
}

static int address_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	const struct location *x = &c->locations->list.v[a], *y = &c->locations->list.v[b];

	return compare_numbers(x->addr + x->offset, y->addr + y->offset);
}

/* Orders by address, then distinguishes equal addresses of several files or levels. */
static int address_last_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	int order = address_order(c, a, b);

	return order ? order : symbol_last_order(c, a, b);
}

static void address_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	const struct location *location = &c->locations->list.v[value];

	put_level(location, out);
	if (!location->name) {
		location_put_addr(location->addr, out);
		return;
	}
	location_put_name(location, out);
	buf_puts(out, "+0x");
	buf_hex(out, location->offset, 0);
}

/* ---- of a branch's ends, in perf's order: names of files backwards, functions by address ---- */

static int dso_last_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	return key_dso_order(c, b, a);
}

static int function_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	const struct location *x = &c->locations->list.v[a], *y = &c->locations->list.v[b];

	return !x->name != !y->name ? !x->name - !y->name : address_order(c, a, b);
}

/* ---- sizes ---- */

static void size_put(uint64_t value, struct buf *out)
{
	if (value)
		buf_dec(out, value, 0);
	else
		buf_puts(out, "unknown");
}

static uint64_t symbol_size_value(const struct key_context *c, uint32_t location)
{
	return c->locations->list.v[location].size;
}

static uint64_t dso_size_value(const struct key_context *c, uint32_t location)
{
	return c->locations->list.v[location].map_size;
}

/* ---- a function in the chain ---- */

static int parent_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	return a && b ? symbol_order(c, a - 1, b - 1) : !a - !b;
}

static void parent_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	buf_puts(out, value ? c->locations->list.v[value - 1].name : "[other]");
}

/* ---- keys ---- */

#define ENDS	(NEED_ADDRESS | NEED_BRANCH)

static const struct key keys[] = {
	{ "dso", NULL, "Shared Object", NEED_DSO, KEY_BY_ADDRESS, 13, .unnamed_width = 16,
	  .place = dso_value, .order = key_dso_order, .prefix = key_dso_prefix, .print = key_dso_print },
	{ "symbol", NULL, "Symbol", NEED_ADDRESS, KEY_BY_ADDRESS | KEY_RAGGED, 6, .place = symbol_value, .order = symbol_order,
	  .last_order = symbol_last_order, .prefix = symbol_prefix, .last_prefix = symbol_last_prefix, .print = symbol_print },
	{ "srcline", NULL, "Source:Line", NEED_ADDRESS | NEED_LINE, KEY_BY_ADDRESS, 11, .place = line_value, .order = source_order,
	  .print = source_print },
	{ "srcfile", NULL, "Source File", NEED_ADDRESS | NEED_LINE, KEY_BY_ADDRESS, 11, .place = file_value, .order = source_order,
	  .print = source_print },
	{ "symoff", NULL, "Symbol Offset", NEED_ADDRESS | NEED_OFFSET, KEY_BY_ADDRESS | KEY_RAGGED, 13, .place = address_value,
	  .order = symbol_order, .last_order = address_last_order, .print = address_print },
	{ "symbol_iaddr", NULL, "Code Symbol", NEED_ADDRESS | NEED_OFFSET, KEY_BY_ADDRESS | KEY_RAGGED, 22, .place = address_value,
	  .order = symbol_order, .last_order = address_last_order, .print = symbol_print },
	{ "symbol_size", NULL, "Symbol size", NEED_ADDRESS, KEY_BY_ADDRESS | KEY_RIGHT, 11, .place = symbol_size_value,
	  .order = key_largest_first, .put = size_put },
	{ "dso_size", NULL, "DSO size", NEED_ADDRESS, KEY_BY_ADDRESS | KEY_RIGHT, 8, .place = dso_size_value,
	  .order = key_largest_first, .put = size_put },
	{ "parent", NULL, "Parent symbol", NEED_ADDRESS | NEED_PARENT, 0, 13, .member = KEY_MEMBER(parent), .order = parent_order,
	  .print = parent_print },
	{ "dso_from", NULL, "Source Shared Object", ENDS, 0, 20, .place = dso_value, .order = dso_last_order,
	  .print = key_dso_print },
	{ "dso_to", NULL, "Target Shared Object", ENDS, KEY_BY_ADDRESS, 20, .place = dso_value, .order = dso_last_order,
	  .print = key_dso_print },
	{ "symbol_from", NULL, "Source Symbol", ENDS, 0, 13, .place = symbol_value, .order = function_order,
	  .last_order = symbol_last_order, .print = symbol_print },
	{ "symbol_to", NULL, "Target Symbol", ENDS, KEY_BY_ADDRESS, 13, .place = symbol_value, .order = function_order,
	  .last_order = symbol_last_order, .print = symbol_print },
	{ "srcline_from", NULL, "From Source:Line", ENDS | NEED_LINE, 0, 16, .place = line_value, .order = source_order,
	  .print = source_print },
	{ "srcline_to", NULL, "To Source:Line", ENDS | NEED_LINE, KEY_BY_ADDRESS, 14, .place = line_value, .order = source_order,
	  .print = source_print },
	{ "addr_from", NULL, "Source Address", ENDS | NEED_OFFSET, 0, 22, .place = address_value,
	  .order = address_order, .last_order = symbol_last_order, .print = address_print },
	{ "addr_to", NULL, "Target Address", ENDS | NEED_OFFSET, KEY_BY_ADDRESS, 22, .place = address_value,
	  .order = address_order, .last_order = symbol_last_order, .print = address_print },
};

const struct key_table code_keys = { keys, ARRAY_SIZE(keys), "what was executed" };
