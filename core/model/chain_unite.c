/*
 * Merges the trees in which several worker threads have stored call chains (chain.h), and gives equal chains one number.
 * core/hists/bucket_unite.c calls it. core/base/unite.h finds equal nodes by hash.
 */
#include "core/model/chain.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/pool.h"
#include "core/base/util.h"

struct uniting {
	struct chain_table *out, *const *tables;
	uint32_t *const *addr_keys;
	uint64_t seed;		/* the hash of the root */
	struct united united;
	atomic_bool mixed_up;	/* two paths have one hash */
};

static void renumber_keys(void *ctx, unsigned worker, size_t table)
{
	const struct uniting *u = ctx;
	struct chain_table *t = u->tables[table];

	for (size_t i = 1; i < t->nodes.nr; i++)
		t->nodes.v[i].addr_key = u->addr_keys[table][t->nodes.v[i].addr_key];
}

/* The hash of the path from the root. A parent is older than its child. */
static uint64_t hash_path(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	const struct uniting *u = ctx;
	const struct chain_node *n = &u->tables[item.table]->nodes.v[item.place];

	return item.place == CHAIN_ROOT ? u->seed : hash_pair(hashes[n->parent], n->addr_key);
}

static void copy_nodes(void *ctx, unsigned worker, size_t table)
{
	const struct uniting *u = ctx;
	const struct chain_table *t = u->tables[table];
	const uint32_t *numbers = u->united.numbers[table];
	uint32_t next = u->united.from[table];

	for (uint32_t i = 0; i < t->nodes.nr; i++) {
		struct chain_node *n = &u->out->nodes.v[next];

		if (!united_is_first(&u->united, (struct unite_item){ (uint32_t)table, i }, &next))
			continue;
		*n = t->nodes.v[i];
		n->parent = numbers[n->parent];
		n->hash = 0;
	}
}

static void check_nodes(void *ctx, unsigned worker, size_t table)
{
	struct uniting *u = ctx;
	const struct chain_table *t = u->tables[table];
	const uint32_t *numbers = u->united.numbers[table];

	for (uint32_t i = 1; i < t->nodes.nr; i++) {
		const struct chain_node *is = &u->out->nodes.v[numbers[i]], *was = &t->nodes.v[i];

		if (is->addr_key == was->addr_key && is->depth == was->depth && is->parent == numbers[was->parent])
			continue;
		atomic_store_explicit(&u->mixed_up, true, memory_order_relaxed);
		return;
	}
}

/*
 * Returns false if two paths were taken for one. A node is identified by the hash of its path from the root, so a node can be
 * merged before its parent has a number in the merged tree. If two different paths have the same hash, a check of address keys and
 * parents finds this, and the caller repeats the merge with other hashes.
 */
static bool unite_paths(struct uniting *u, size_t nr, const size_t *nr_nodes, unsigned jobs)
{
	static const struct unite_ops ops = { .hash = hash_path };

	unite(&u->united, jobs, nr, nr_nodes, &ops, u);
	u->out->nodes.nr = 0;
	vec_reserve(&u->out->nodes, united_nr(&u->united));
	u->out->nodes.nr = united_nr(&u->united);
	pool_run(jobs, nr, copy_nodes, u);
	atomic_store(&u->mixed_up, false);
	pool_run(jobs, nr, check_nodes, u);
	return !atomic_load(&u->mixed_up);
}

struct united chain_tables_unite(struct chain_table *out, struct chain_table *const tables[], size_t nr,
				 uint32_t *const addr_keys[], unsigned jobs)
{
	struct uniting u = { .out = out, .tables = tables, .addr_keys = addr_keys, .seed = 1 };
	size_t *nr_nodes = xcalloc(MAX(nr, 1), sizeof(*nr_nodes));

	for (size_t t = 0; t < nr; t++)
		nr_nodes[t] = tables[t]->nodes.nr;
	pool_run(jobs, nr, renumber_keys, &u);
	/* A file made so that its paths collide cannot know the next seed. */
	while (!unite_paths(&u, nr, nr_nodes, jobs)) {
		united_release(&u.united);
		u.seed = hash_u64(now_ns());
	}
	free(nr_nodes);
	return u.united;
}
