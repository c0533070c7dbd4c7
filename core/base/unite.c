/*
 * Implements unite.h, which merges the tables of several threads. Worker threads sort the items into ranges of hashes, find
 * equal items in each range, and number the items.
 */
#include "core/base/unite.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "core/base/pool.h"
#include "core/base/util.h"
#include "core/base/vec.h"

#define RANGE_ITEMS	8192	/* the index of so many items fits into a CPU's cache */
#define MOST_RANGE_BITS	12
#define JOB_ITEMS	8192	/* fewer are not worth a thread */
#define AHEAD		8	/* distance in items of prefetching equal items; items themselves are prefetched at twice that */
#define IS_FIRST	0x80000000u	/* flag in united.numbers until the final numbers are known: the first of equal items */

struct first {			/* the first of equal items */
	uint64_t hash;
	struct unite_item item;
	uint32_t number;
};

struct range {
	VEC(struct first) firsts;
	struct index index;	/* of .firsts, by hash */
};

struct sorted_item { uint64_t hash; uint32_t place; };

struct table {
	uint64_t *hashes;		/* by place */
	struct sorted_item *sorted;	/* by range */
	uint32_t *starts;		/* of each range in .sorted, and their end */
};

struct uniting {
	const struct unite_ops *ops;
	void *ctx;
	const size_t *nr_items;
	struct united *out;
	struct table *tables;
	struct range *ranges;
	unsigned range_bits;
};

static size_t nr_ranges(const struct uniting *u)
{
	return (size_t)1 << u->range_bits;
}

/* The range of a hash: its upper bits, as an index uses the lower ones. */
static uint32_t range_of(const struct uniting *u, uint64_t hash)
{
	return (uint32_t)(hash >> 32 >> (32 - u->range_bits));
}

static void sort_table(void *ctx, unsigned worker, size_t number)
{
	struct uniting *u = ctx;
	struct table *t = &u->tables[number];
	size_t nr = u->nr_items[number];
	uint32_t *at;

	t->hashes = xmalloc(MAX(nr, 1) * sizeof(*t->hashes));
	t->sorted = xmalloc(MAX(nr, 1) * sizeof(*t->sorted));
	t->starts = xcalloc(nr_ranges(u) + 2, sizeof(*t->starts));
	at = t->starts + 1;
	for (uint32_t i = 0; i < nr; i++) {
		t->hashes[i] = u->ops->hash(u->ctx, (struct unite_item){ (uint32_t)number, i }, t->hashes);
		at[range_of(u, t->hashes[i]) + 1]++;
	}
	for (size_t r = 0; r < nr_ranges(u); r++)
		at[r + 1] += at[r];
	for (uint32_t i = 0; i < nr; i++)
		t->sorted[at[range_of(u, t->hashes[i])]++] = (struct sorted_item){ t->hashes[i], i };
}

/* Returns the index in range.firsts of the item equal to @item. If no item is, adds @item, and sets IS_FIRST in the result. */
static uint32_t find_first(const struct uniting *u, struct range *r, struct unite_item item, uint64_t hash)
{
	uint32_t pos;

	index_for(at, &r->index, hash) {
		const struct first *known = &r->firsts.v[at];

		if (known->hash != hash || (u->ops->equal && !u->ops->equal(u->ctx, known->item, item)))
			continue;
		if (u->ops->add)
			u->ops->add(u->ctx, known->item, item);
		return at;
	}
	pos = (uint32_t)r->firsts.nr;
	index_add(&r->index, hash, pos);
	vec_push(&r->firsts, ((struct first){ .hash = hash, .item = item }));
	return pos | IS_FIRST;
}

/* Prefetches the memory of an item, or of a @first with the same hash. */
static void expect(const struct uniting *u, const struct range *r, struct unite_item item, uint64_t hash, bool first)
{
	uint32_t pos;

	if (first) {
		pos = index_at(&r->index, hash, hash);
		if (pos >= INDEX_OTHER)
			return;
		item = r->firsts.v[pos].item;
	}
	__builtin_prefetch(u->ops->address(u->ctx, item), 1);
}

static void unite_range(void *ctx, unsigned worker, size_t number)
{
	struct uniting *u = ctx;
	struct range *range = &u->ranges[number];
	size_t nr = 0;

	for (size_t t = 0; t < u->out->nr_tables; t++)
		nr += u->tables[t].starts[number + 1] - u->tables[t].starts[number];
	index_reserve(&range->index, nr);
	vec_reserve(&range->firsts, nr);
	for (uint32_t t = 0; t < u->out->nr_tables; t++) {
		const struct sorted_item *s = u->tables[t].sorted + u->tables[t].starts[number];
		const struct sorted_item *end = u->tables[t].sorted + u->tables[t].starts[number + 1];

		for (; s < end; s++) {
			if (u->ops->equal && end - s > 2 * AHEAD)
				expect(u, range, (struct unite_item){ t, s[2 * AHEAD].place }, s[2 * AHEAD].hash, false);
			if (u->ops->equal && end - s > AHEAD)
				expect(u, range, (struct unite_item){ t, s[AHEAD].place }, s[AHEAD].hash, true);
			u->out->numbers[t][s->place] = find_first(u, range, (struct unite_item){ t, s->place }, s->hash);
		}
	}
	index_release(&range->index);
}

static void count_firsts(void *ctx, unsigned worker, size_t number)
{
	struct uniting *u = ctx;
	uint32_t nr = 0;

	for (size_t i = 0; i < u->nr_items[number]; i++)
		nr += u->out->numbers[number][i] >> 31;
	u->out->from[number + 1] = nr;
}

static struct first *first_of(const struct uniting *u, size_t table, size_t place)
{
	return &u->ranges[range_of(u, u->tables[table].hashes[place])].firsts.v[u->out->numbers[table][place] & ~IS_FIRST];
}

static void number_firsts(void *ctx, unsigned worker, size_t number)
{
	struct uniting *u = ctx;
	uint32_t next = u->out->from[number];

	for (size_t i = 0; i < u->nr_items[number]; i++)
		if (u->out->numbers[number][i] & IS_FIRST)
			first_of(u, number, i)->number = next++;
}

static void number_all(void *ctx, unsigned worker, size_t number)
{
	struct uniting *u = ctx;
	struct table *t = &u->tables[number];

	for (size_t i = 0; i < u->nr_items[number]; i++)
		u->out->numbers[number][i] = first_of(u, number, i)->number;
	free(t->hashes);
	free(t->sorted);
	free(t->starts);
}

void unite(struct united *out, unsigned jobs, size_t nr_tables, const size_t *nr_items, const struct unite_ops *ops, void *ctx)
{
	struct uniting u = { .ops = ops, .ctx = ctx, .nr_items = nr_items, .out = out };
	size_t nr = 0;

	for (size_t t = 0; t < nr_tables; t++)
		nr += nr_items[t];
	jobs = (unsigned)MIN(jobs, nr / JOB_ITEMS + 1);
	while (nr >> u.range_bits > RANGE_ITEMS && u.range_bits < MOST_RANGE_BITS)
		u.range_bits++;
	*out = (struct united){ .nr_tables = nr_tables, .numbers = xcalloc(MAX(nr_tables, 1), sizeof(*out->numbers)),
				.from = xcalloc(nr_tables + 1, sizeof(*out->from)) };
	for (size_t t = 0; t < nr_tables; t++)
		out->numbers[t] = xmalloc(MAX(nr_items[t], 1) * sizeof(**out->numbers));
	u.tables = xcalloc(MAX(nr_tables, 1), sizeof(*u.tables));
	u.ranges = xcalloc(nr_ranges(&u), sizeof(*u.ranges));
	pool_run(jobs, nr_tables, sort_table, &u);
	pool_run(jobs, nr_ranges(&u), unite_range, &u);
	pool_run(jobs, nr_tables, count_firsts, &u);
	for (size_t t = 0; t < nr_tables; t++)
		out->from[t + 1] += out->from[t];
	pool_run(jobs, nr_tables, number_firsts, &u);
	pool_run(jobs, nr_tables, number_all, &u);
	for (size_t r = 0; r < nr_ranges(&u); r++)
		vec_free(&u.ranges[r].firsts);
	free(u.ranges);
	free(u.tables);
}

void united_release(struct united *u)
{
	for (size_t t = 0; t < u->nr_tables; t++)
		free(u->numbers[t]);
	free(u->numbers);
	free(u->from);
	*u = (struct united){0};
}
