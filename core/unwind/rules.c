/*
 * Stores unwind rules in a table, equal rules only once, and finds the rule of an address by binary search. cfi_program.c and
 * exidx.c add the rules of a file.
 */
#include "core/unwind/rules.h"

#define WORDS(size) (((size) + 7) / 8)

static size_t rule_size(const struct rule *r)
{
	return offsetof(struct rule, saved) + r->nr_saved * sizeof(struct saved);
}

static const struct rule *rule_at(const struct rule_table *t, uint32_t at)
{
	return (const struct rule *)&t->rules.v[at];
}

uint32_t rule_table_keep(struct rule_table *t, const struct rule *r)
{
	size_t size = rule_size(r);
	uint64_t hash = hash_bytes(r, size);
	uint32_t at;

	index_for(pos, &t->by_rule, hash)
		if (rule_size(rule_at(t, pos)) == size && !memcmp(rule_at(t, pos), r, size))
			return pos;
	if (!t->rules.nr)
		vec_push(&t->rules, 0);
	at = (uint32_t)t->rules.nr;
	vec_reserve(&t->rules, WORDS(size));
	t->rules.v[at + WORDS(size) - 1] = 0;
	memcpy(&t->rules.v[at], r, size);
	t->rules.nr += WORDS(size);
	index_add(&t->by_rule, hash, at);
	return at;
}

struct bytes rule_table_program(const struct rule_table *t, int32_t value)
{
	struct bytes all = { t->programs.v, t->programs.v + t->programs.nr, false };

	bytes_cut(&all, (uint32_t)value);
	return bytes_cut(&all, bytes_number(&all, 4));
}

int32_t rule_table_keep_program(struct rule_table *t, const uint8_t *program, uint32_t size)
{
	uint64_t hash = hash_bytes(program, size);
	uint32_t at, length = htole32(size);

	index_for(pos, &t->by_program, hash) {
		struct bytes known = rule_table_program(t, (int32_t)pos);

		if (bytes_left(&known) == size && !memcmp(known.pos, program, size))
			return (int32_t)pos;
	}
	at = (uint32_t)t->programs.nr;
	vec_reserve(&t->programs, size + sizeof(length));
	memcpy(t->programs.v + at, &length, sizeof(length));
	memcpy(t->programs.v + at + sizeof(length), program, size);
	t->programs.nr += size + sizeof(length);
	index_add(&t->by_program, hash, at);
	return (int32_t)at;
}

void rule_table_add(struct rule_table *t, uint64_t start, uint32_t rule)
{
	struct rule_row row = { (uint32_t)(start - t->base), rule };
	struct rule_row *last = t->rows.nr ? &t->rows.v[t->rows.nr - 1] : NULL;

	if (start < t->base || start - t->base > UINT32_MAX || (last && last->rule == rule))
		return;
	if (!last || last->start != row.start) {
		vec_push(&t->rows, row);
		return;
	}
	last->rule = rule;
	/* Drops the last row if it has the same rule as the one before. */
	if (t->rows.nr > 1 && last[-1].rule == rule)
		t->rows.nr--;
}

#define ROWS_OF_PAGE 16u	/* minimum average number of rows in a page, so that the list of pages is small */

/* Makes the list of pages. A binary search among all rows has a cache miss in each step; pages leave only the last few steps. */
static void make_pages(struct rule_table *t)
{
	uint64_t last = t->rows.nr ? t->rows.v[t->rows.nr - 1].start : 0;
	uint32_t nr = 0;

	while ((last >> t->page_shift) > t->rows.nr / ROWS_OF_PAGE)
		t->page_shift++;
	for (uint64_t page = 0; page <= (last >> t->page_shift); page++) {
		while (nr < t->rows.nr && t->rows.v[nr].start < page << t->page_shift)
			nr++;
		vec_push(&t->pages, nr);
	}
	vec_push(&t->pages, (uint32_t)t->rows.nr);
}

static void forget_indexes(struct rule_table *t)
{
	index_release(&t->by_rule);
	index_release(&t->by_program);
}

void rule_table_finish(struct rule_table *t)
{
	forget_indexes(t);
	make_pages(t);
	if (t->rows.nr) {
		t->rows.v = xrealloc(t->rows.v, t->rows.nr * sizeof(*t->rows.v));
		t->rows.cap = t->rows.nr;
	}
}

size_t rule_table_bytes(const struct rule_table *t)
{
	return t->rows.nr * sizeof(*t->rows.v) + t->pages.nr * sizeof(*t->pages.v) + t->rules.nr * sizeof(*t->rules.v) +
	       t->programs.nr;
}

void rule_table_release(struct rule_table *t)
{
	vec_free(&t->rows);
	vec_free(&t->pages);
	vec_free(&t->rules);
	vec_free(&t->programs);
	forget_indexes(t);
}

/* The last row that begins at or below @addr; NULL: there is none. */
static const struct rule_row *row_at(const struct rule_table *t, uint64_t addr)
{
	uint64_t at = addr - t->base, page;
	size_t low, nr;

	if (addr < t->base || at > UINT32_MAX || !t->rows.nr || t->rows.v[0].start > at)
		return NULL;
	page = MIN(at >> t->page_shift, t->pages.nr - 2);
	/* The row is in [low, low + nr): the last row before the page, and those in it. */
	low = t->pages.v[page] ? t->pages.v[page] - 1 : 0;
	nr = t->pages.v[page + 1] - low;
	while (nr > 1) {
		size_t half = nr / 2;

		if (t->rows.v[low + half].start <= at)
			low += half;
		nr -= half;
	}
	return &t->rows.v[low];
}

const struct rule *rule_table_find(const struct rule_table *t, uint64_t addr)
{
	const struct rule_row *row = row_at(t, addr);

	return row && row->rule ? rule_at(t, row->rule) : NULL;
}

bool rule_table_begins(const struct rule_table *t, uint64_t addr)
{
	const struct rule_row *row = row_at(t, addr);

	return row && t->base + row->start == addr;
}
