/*
 * Implements byte_table.h, a table of numbered byte strings. One buffer holds the bytes of all strings, and a hash index finds
 * the number of a string by its bytes.
 */
#include "core/base/byte_table.h"

#include <stdlib.h>

#include "core/base/pool.h"
#include "core/base/util.h"

const char *byte_table_get(const struct byte_table *b, uint32_t number, size_t *n)
{
	size_t from = number ? b->ends.v[number - 1] : 0;

	*n = b->ends.v[number] - from;
	return b->bytes.data + from;
}

uint32_t byte_table_add(struct byte_table *b, const void *bytes, size_t n)
{
	uint64_t h = hash_bytes(bytes, n);
	uint32_t pos;
	size_t size;

	index_for(at, &b->by_hash, h) {
		const char *old = byte_table_get(b, at, &size);

		if (size == n && (!n || !memcmp(old, bytes, n)))
			return at;
	}
	pos = (uint32_t)b->ends.nr;
	buf_put(&b->bytes, bytes, n);
	vec_push(&b->ends, b->bytes.len);
	index_add(&b->by_hash, h, pos);
	return pos;
}

void byte_table_release(struct byte_table *b)
{
	buf_release(&b->bytes);
	vec_free(&b->ends);
	index_release(&b->by_hash);
}

struct uniting {
	struct byte_table *out, *const *tables;
	struct united united;
	size_t *bytes;		/* [table]: offset in out->bytes of the strings whose first occurrence is in this table */
};

static const char *string_at(const struct uniting *u, struct unite_item item, size_t *n)
{
	return byte_table_get(u->tables[item.table], item.place, n);
}

static uint64_t hash_item(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	size_t n;
	const char *p = string_at(ctx, item, &n);

	return hash_bytes(p, n);
}

static const void *address_of_item(const void *ctx, struct unite_item item)
{
	size_t n;

	return string_at(ctx, item, &n);
}

static bool same_item(const void *ctx, struct unite_item a, struct unite_item b)
{
	size_t n, m;
	const char *x = string_at(ctx, a, &n), *y = string_at(ctx, b, &m);

	return n == m && (!n || !memcmp(x, y, n));
}

static void measure_table(void *ctx, unsigned worker, size_t table)
{
	const struct uniting *u = ctx;
	uint32_t next = u->united.from[table];
	size_t n;

	for (uint32_t i = 0; i < u->tables[table]->ends.nr; i++) {
		const struct unite_item item = { (uint32_t)table, i };

		if (united_is_first(&u->united, item, &next)) {
			string_at(u, item, &n);
			u->bytes[table + 1] += n;
		}
	}
}

static void copy_strings(void *ctx, unsigned worker, size_t table)
{
	const struct uniting *u = ctx;
	uint32_t next = u->united.from[table];
	size_t at = u->bytes[table], n;

	for (uint32_t i = 0; i < u->tables[table]->ends.nr; i++) {
		const struct unite_item item = { (uint32_t)table, i };
		const char *p = string_at(u, item, &n);

		if (!united_is_first(&u->united, item, &next))
			continue;
		if (n)
			memcpy(u->out->bytes.data + at, p, n);
		at += n;
		u->out->ends.v[next - 1] = at;
	}
}

struct united byte_tables_unite(struct byte_table *out, struct byte_table *const tables[], size_t nr, unsigned jobs)
{
	static const struct unite_ops ops = { .hash = hash_item, .address = address_of_item, .equal = same_item };
	struct uniting u = { .out = out, .tables = tables, .bytes = xcalloc(nr + 1, sizeof(*u.bytes)) };
	size_t *nr_strings = xcalloc(MAX(nr, 1), sizeof(*nr_strings));

	for (size_t t = 0; t < nr; t++)
		nr_strings[t] = tables[t]->ends.nr;
	unite(&u.united, jobs, nr, nr_strings, &ops, &u);
	free(nr_strings);
	pool_run(jobs, nr, measure_table, &u);
	for (size_t t = 0; t < nr; t++)
		u.bytes[t + 1] += u.bytes[t];
	buf_room(&out->bytes, u.bytes[nr]);
	out->bytes.len = u.bytes[nr];
	vec_reserve(&out->ends, united_nr(&u.united));
	out->ends.nr = united_nr(&u.united);
	pool_run(jobs, nr, copy_strings, &u);
	free(u.bytes);
	return u.united;
}
