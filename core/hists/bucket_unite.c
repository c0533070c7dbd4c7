/*
 * Merges the worker threads' tables of buckets (sums of equal samples, bucket.h) into one table. bucket.c calls
 * bucket_parts_unite() after the last sample.
 */
#include "core/hists/bucket.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/pool.h"
#include "core/base/util.h"

struct uniting {
	struct buckets *out;
	struct bucket_part *parts;
	unsigned needs;
	struct united addr_keys, chains, details, buckets;
};

/* Converts a bucket's key to the numbers of the merged tables. */
static uint64_t renumber(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	const struct uniting *u = ctx;
	struct bucket *b = &u->parts[item.table].table.buckets.v[item.place];
	const uint32_t *addr_keys = u->addr_keys.numbers[item.table];

	b->key.chain = u->chains.numbers[item.table][b->key.chain];
	if (u->needs & NEED_DETAIL)
		b->key.detail = u->details.numbers[item.table][b->key.detail];
	if (u->needs & NEED_BRANCH) {
		b->key.from = addr_keys[b->key.from];
		b->key.to = addr_keys[b->key.to];
	} else {
		b->addr_key = addr_keys[b->addr_key];
	}
	return bucket_hash(&b->key);
}

static struct bucket *bucket_at(const struct uniting *u, struct unite_item item)
{
	return &u->parts[item.table].table.buckets.v[item.place];
}

static const void *address_of_bucket(const void *ctx, struct unite_item item)
{
	return bucket_at(ctx, item);
}

static bool same_bucket(const void *ctx, struct unite_item a, struct unite_item b)
{
	return !memcmp(&bucket_at(ctx, a)->key, &bucket_at(ctx, b)->key, sizeof(struct bucket_key));
}

static void add_bucket(void *ctx, struct unite_item first, struct unite_item item)
{
	bucket_add(bucket_at(ctx, first), bucket_at(ctx, item));
}

static void copy_buckets(void *ctx, unsigned worker, size_t number)
{
	const struct uniting *u = ctx;
	struct bucket_part *part = &u->parts[number];
	uint32_t next = u->buckets.from[number];

	for (uint32_t i = 0; i < part->table.buckets.nr; i++) {
		struct bucket *b = &u->out->table.buckets.v[next];

		if (united_is_first(&u->buckets, (struct unite_item){ (uint32_t)number, i }, &next))
			*b = part->table.buckets.v[i];
	}
	vec_free(&part->table.buckets);
	index_release(&part->table.by_key);
	addr_key_table_release(&part->addr_keys);
	chain_table_release(&part->chains);
	byte_table_release(&part->details);
}

static void unite_buckets(struct uniting *u, size_t nr, unsigned jobs)
{
	static const struct unite_ops ops = {
		.hash = renumber, .address = address_of_bucket, .equal = same_bucket, .add = add_bucket,
	};
	size_t *nr_buckets = xcalloc(MAX(nr, 1), sizeof(*nr_buckets));

	for (size_t t = 0; t < nr; t++)
		nr_buckets[t] = u->parts[t].table.buckets.nr;
	unite(&u->buckets, jobs, nr, nr_buckets, &ops, u);
	free(nr_buckets);
	vec_reserve(&u->out->table.buckets, united_nr(&u->buckets));
	u->out->table.buckets.nr = united_nr(&u->buckets);
}

static void unite_references(struct uniting *u, size_t nr, unsigned jobs)
{
	struct addr_key_table **addr_keys = xcalloc(nr, sizeof(*addr_keys));
	struct chain_table **chains = xcalloc(nr, sizeof(*chains));
	struct byte_table **details = xcalloc(nr, sizeof(*details));

	for (size_t t = 0; t < nr; t++) {
		addr_keys[t] = &u->parts[t].addr_keys;
		chains[t] = &u->parts[t].chains;
		details[t] = &u->parts[t].details;
	}
	u->addr_keys = addr_key_tables_unite(&u->out->addr_keys, addr_keys, nr, jobs);
	u->chains = chain_tables_unite(&u->out->chains, chains, nr, u->addr_keys.numbers, jobs);
	u->details = byte_tables_unite(&u->out->details, details, nr, jobs);
	free(addr_keys);
	free(chains);
	free(details);
}

static void move_moments(struct uniting *u, size_t nr)
{
	for (size_t t = 0; t < nr; t++) {
		vec_push(&u->out->moments, ((struct worker_moments){ u->parts[t].moments, u->buckets.numbers[t] }));
		u->buckets.numbers[t] = NULL;
	}
}

/* If there is a single part, it is the result. */
static void use_only_part(struct buckets *out, struct bucket_part *part)
{
	chain_table_release(&out->chains);
	addr_key_table_release(&out->addr_keys);
	out->table = part->table;
	out->addr_keys = part->addr_keys;
	out->chains = part->chains;
	out->details = part->details;
	vec_push(&out->moments, ((struct worker_moments){ part->moments, NULL }));
}

/*
 * A bucket refers by number to its address keys (core/model/addr_key.h), call chain and detail (detail.h), and the numbers differ
 * from worker to worker. So first the address keys, chains and details of all workers are merged and get new numbers. Then the
 * buckets are converted to these numbers and merged. Each step is divided among all threads.
 */
void bucket_parts_unite(struct buckets *out, struct bucket_part *parts, size_t nr, unsigned needs, unsigned jobs)
{
	struct uniting u = { .out = out, .parts = parts, .needs = needs };

	if (nr == 1) {
		use_only_part(out, parts);
		return;
	}
	unite_references(&u, nr, jobs);
	unite_buckets(&u, nr, jobs);
	pool_run(jobs, nr, copy_buckets, &u);
	move_moments(&u, nr);
	united_release(&u.addr_keys);
	united_release(&u.chains);
	united_release(&u.details);
	united_release(&u.buckets);
}
