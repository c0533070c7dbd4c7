/* Spots to values: of the sample's address, or of a branch's two. Layer: profile */
#include "core/profile/place_key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/model/dso.h"
#include "core/profile/key.h"
#include "core/profile/view.h"

/* ---- of the address ---- */

static uint64_t dso_of(const struct view *v, const struct spot *spot)
{
	return spot->dso ? v->dso_alias.v[spot->dso->number] : SITE_NO_DSO;
}

static uint64_t dso_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return dso_of(v, &v->spots->list.v[spot]);
}

static uint64_t symbol_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].function;
}

static uint64_t line_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].line;
}

static uint64_t file_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].file;
}

static int source_order(const struct view *v, uint64_t a, uint64_t b)
{
	size_t na, nb;
	const char *x = spots_text(v->spots, (uint32_t)a, &na), *y = spots_text(v->spots, (uint32_t)b, &nb);
	int order = memcmp(x, y, MIN(na, nb));

	return order ? order : na < nb ? -1 : na > nb;
}

static void source_print(const struct view *v, uint64_t value, struct buf *out)
{
	size_t n;
	const char *text = spots_text(v->spots, (uint32_t)value, &n);

	buf_put(out, text, n);
}

static int symbol_order(const struct view *v, uint64_t a, uint64_t b)
{
	const char *x = v->spots->list.v[a].name, *y = v->spots->list.v[b].name;

	if (!x || !y)
		return !x - !y;
	return strcmp(x, y);
}

static int symbol_last_order(const struct view *v, uint64_t a, uint64_t b)
{
	return spot_compare(&v->spots->list.v[a], &v->spots->list.v[b]);
}

/* The beginning of the name, as a number. */
static uint64_t symbol_sketch(const struct view *v, uint64_t value)
{
	const char *name = v->spots->list.v[value].name;
	uint64_t sketch = 0;

	if (!name)
		return UINT64_MAX;
	for (unsigned i = 0; i < 8; i++) {
		sketch = sketch << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return sketch;
}

/* As spot_compare(): the file, whether there is a name, the address; the kernel's are all one. */
#define SKETCH_ADDR_BITS	42u
static uint64_t symbol_last_sketch(const struct view *v, uint64_t value)
{
	const struct spot *spot = &v->spots->list.v[value];
	uint64_t rank = spot->dso ? MIN(v->dso_rank.v[spot->dso->number], (1u << 20) - 1) : 1u << 20;
	uint64_t addr = MIN(spot->addr, (1ull << SKETCH_ADDR_BITS) - 1);

	if (rank == (1u << 20) - 1)	/* so many files are not told apart */
		return rank << (SKETCH_ADDR_BITS + 1);
	return (rank << 1 | (spot->dso && !spot->name)) << SKETCH_ADDR_BITS | (spot->dso ? addr : 0);
}

static void put_level(const struct spot *spot, struct buf *out)
{
	buf_putc(out, '[');
	buf_putc(out, spot->level);
	buf_puts(out, "] ");
}

static void symbol_print(const struct view *v, uint64_t value, struct buf *out)
{
	const struct spot *spot = &v->spots->list.v[value];

	put_level(spot, out);
	if (spot->name)
		spot_put_name(spot, out);
	else
		spot_put_addr(spot->addr, out);
}

/* ---- of the address in its function ---- */

static uint64_t address_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)raw;
	return spot;
}

static int address_order(const struct view *v, uint64_t a, uint64_t b)
{
	const struct spot *x = &v->spots->list.v[a], *y = &v->spots->list.v[b];

	return compare_numbers(x->addr + x->offset, y->addr + y->offset);
}

static void address_print(const struct view *v, uint64_t value, struct buf *out)
{
	const struct spot *spot = &v->spots->list.v[value];

	put_level(spot, out);
	if (!spot->name) {
		spot_put_addr(spot->addr, out);
		return;
	}
	spot_put_name(spot, out);
	buf_puts(out, "+0x");
	buf_hex(out, spot->offset, 0);
}

/* ---- of a branch's ends, in perf's order: names of files backwards, functions by address ---- */

static int dso_last_order(const struct view *v, uint64_t a, uint64_t b)
{
	return key_dso_order(v, b, a);
}

static int function_order(const struct view *v, uint64_t a, uint64_t b)
{
	const struct spot *x = &v->spots->list.v[a], *y = &v->spots->list.v[b];

	return !x->name != !y->name ? !x->name - !y->name : address_order(v, a, b);
}

/* ---- sizes ---- */

static void size_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	if (value)
		buf_dec(out, value, 0);
	else
		buf_puts(out, "unknown");
}

static uint64_t symbol_size_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].size;
}

static uint64_t dso_size_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)raw;
	return v->spots->list.v[spot].map_size;
}

/* ---- where a branch came from; it went to the sample's address ---- */

static uint32_t source_of(const struct view *v, const struct raw_key *raw)
{
	return v->spots->sites.v[raw->at].spot;
}

static uint64_t dso_from_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return dso_of(v, &v->spots->list.v[source_of(v, raw)]);
}

static uint64_t symbol_from_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return v->spots->list.v[source_of(v, raw)].function;
}

static uint64_t line_from_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return v->spots->list.v[source_of(v, raw)].line;
}

static uint64_t address_from_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return source_of(v, raw);
}

/* ---- a function in the chain ---- */

static uint64_t parent_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)v, (void)spot;
	return raw->chain;
}

static int parent_order(const struct view *v, uint64_t a, uint64_t b)
{
	return a && b ? symbol_order(v, a - 1, b - 1) : !a - !b;
}

static void parent_print(const struct view *v, uint64_t value, struct buf *out)
{
	buf_puts(out, value ? v->spots->list.v[value - 1].name : "[other]");
}

/* ---- keys ---- */

#define ENDS	(RAW_PLACE | RAW_BRANCH)

static const struct key keys[] = {
	{ "dso", NULL, "Shared Object", RAW_DSO, KEY_BY_PLACE, 13, .unnamed_width = 16,
	  .value = dso_value, .order = key_dso_order, .print = key_dso_print },
	{ "symbol", NULL, "Symbol", RAW_PLACE, KEY_BY_PLACE | KEY_RAGGED, 6, .value = symbol_value, .order = symbol_order,
	  .last_order = symbol_last_order, .sketch = symbol_sketch, .last_sketch = symbol_last_sketch, .print = symbol_print },
	{ "srcline", NULL, "Source:Line", RAW_PLACE | RAW_LINE, KEY_BY_PLACE, 11, .value = line_value, .order = source_order,
	  .print = source_print },
	{ "srcfile", NULL, "Source File", RAW_PLACE | RAW_LINE, KEY_BY_PLACE, 11, .value = file_value, .order = source_order,
	  .print = source_print },
	{ "symoff", NULL, "Symbol Offset", RAW_PLACE | RAW_OFFSET, KEY_BY_PLACE | KEY_RAGGED, 13, .value = address_value,
	  .order = symbol_order, .last_order = address_order, .print = address_print },
	{ "symbol_iaddr", NULL, "Code Symbol", RAW_PLACE | RAW_OFFSET, KEY_BY_PLACE | KEY_RAGGED, 22, .value = address_value,
	  .order = symbol_order, .last_order = address_order, .print = symbol_print },
	{ "symbol_size", NULL, "Symbol size", RAW_PLACE, KEY_BY_PLACE | KEY_RIGHT, 11, .value = symbol_size_value,
	  .order = key_largest_first, .print = size_print },
	{ "dso_size", NULL, "DSO size", RAW_PLACE, KEY_BY_PLACE | KEY_RIGHT, 8, .value = dso_size_value,
	  .order = key_largest_first, .print = size_print },
	{ "parent", NULL, "Parent symbol", RAW_PLACE | RAW_PARENT, 0, 13, .value = parent_value, .order = parent_order,
	  .print = parent_print },
	{ "dso_from", NULL, "Source Shared Object", ENDS, 0, 20, .value = dso_from_value, .order = dso_last_order,
	  .print = key_dso_print },
	{ "dso_to", NULL, "Target Shared Object", ENDS, KEY_BY_PLACE, 20, .value = dso_value, .order = dso_last_order,
	  .print = key_dso_print },
	{ "symbol_from", NULL, "Source Symbol", ENDS, 0, 13, .value = symbol_from_value, .order = function_order,
	  .last_order = symbol_last_order, .print = symbol_print },
	{ "symbol_to", NULL, "Target Symbol", ENDS, KEY_BY_PLACE, 13, .value = symbol_value, .order = function_order,
	  .last_order = symbol_last_order, .print = symbol_print },
	{ "srcline_from", NULL, "From Source:Line", ENDS | RAW_LINE, 0, 16, .value = line_from_value, .order = source_order,
	  .print = source_print },
	{ "srcline_to", NULL, "To Source:Line", ENDS | RAW_LINE, KEY_BY_PLACE, 14, .value = line_value, .order = source_order,
	  .print = source_print },
	{ "addr_from", NULL, "Source Address", ENDS | RAW_OFFSET, 0, 22, .value = address_from_value,
	  .order = address_order, .last_order = symbol_last_order, .print = address_print },
	{ "addr_to", NULL, "Target Address", ENDS | RAW_OFFSET, KEY_BY_PLACE, 22, .value = address_value,
	  .order = address_order, .last_order = symbol_last_order, .print = address_print },
};

const struct key_table place_keys = { keys, ARRAY_SIZE(keys) };
