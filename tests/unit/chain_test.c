/* Interned chains against the chains themselves: what goes in comes out, equal chains are equal numbers. */
#include "core/model/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/perfdata/abi.h"
#include "core/model/addr_key.h"
#include "core/model/machine.h"
#include "tests/unit/check.h"

#define MOST 40

static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static const struct task_context somewhere = {
	.user_space = 7, .kernel_space = 3, .guest_kernel_space = SPACE_NONE, .guest_user_space = SPACE_NONE,
};

struct frame_model { uint64_t ip; uint32_t space; bool calls; };

/* The meaning of a chain, leaf first: markers give the space of the frames after them, of which the first is no caller. */
static unsigned read_chain(const uint64_t *words, unsigned nr, uint16_t cpumode, unsigned max, struct frame_model *out)
{
	uint32_t space = chain_space(&somewhere, cpumode);
	unsigned n = 0;

	for (unsigned i = 0; i < nr && n < max; i++) {
		if (words[i] == PERF_CONTEXT_KERNEL)
			space = somewhere.kernel_space;
		else if (words[i] == PERF_CONTEXT_USER)
			space = somewhere.user_space;
		else if (words[i] >= CHAIN_CONTEXT_MAX)
			space = SPACE_NONE;
		else
			out[n++] = (struct frame_model){ words[i], space, i && words[i - 1] < CHAIN_CONTEXT_MAX };
	}
	return n;
}

static unsigned random_chain(uint64_t *words)
{
	static const uint64_t markers[] = {
		PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER, PERF_CONTEXT_HV, PERF_CONTEXT_GUEST, PERF_CONTEXT_GUEST_KERNEL,
	};
	unsigned nr = any(MOST);

	for (unsigned i = 0; i < nr; i++)
		words[i] = any(4) ? 0x1000 + any(4) : markers[any(ARRAY_SIZE(markers))];
	return nr;
}

/* Chains with the address keys that they are made of. */
struct tables { struct chain_table chains; struct addr_key_table addr_keys; };

static void tables_init(struct tables *t)
{
	chain_table_init(&t->chains);
	addr_key_table_init(&t->addr_keys, NULL);
}

static void tables_release(struct tables *t)
{
	chain_table_release(&t->chains);
	addr_key_table_release(&t->addr_keys);
}

static bool node_is(const struct tables *t, uint32_t node, const struct frame_model *frames, unsigned nr)
{
	if (t->chains.nodes.v[node].depth != nr)
		return false;
	for (unsigned i = 0; i < nr; i++) {
		const struct chain_node *n = &t->chains.nodes.v[node];
		const struct addr_key *addr_key = &t->addr_keys.list.v[n->addr_key];

		if (addr_key->ip != frames[i].ip || addr_key->space != frames[i].space || addr_key->calls != frames[i].calls)
			return false;
		node = n->parent;
	}
	return node == CHAIN_ROOT;
}

/* A chain's frames, leaf first, and the result of chain_intern(). */
struct chain_model { struct frame_model frames[MOST]; unsigned nr; uint32_t chain; };

static void intern_random(struct tables *t, struct chain_model *out)
{
	static const uint16_t modes[] = { PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_USER, PERF_RECORD_MISC_GUEST_USER };
	uint64_t words[MOST];
	uint8_t unaligned[8 * MOST + 1];
	unsigned nr = random_chain(words), max = any(3) ? 127 : any(8);
	uint16_t mode = modes[any(ARRAY_SIZE(modes))];

	memcpy(unaligned + 1, words, 8 * nr);
	out->nr = read_chain(words, nr, mode, max, out->frames);
	out->chain = chain_intern(&t->chains, &t->addr_keys, &(struct words){ nr, unaligned + 1 }, &somewhere, mode, false, max);
}

/* Some chains together, as they are interned: of none is its node known before all have theirs. */
static void test_some(struct tables *t)
{
	static struct chain_model chains[32];
	unsigned nr = 1 + any(ARRAY_SIZE(chains));

	for (unsigned i = 0; i < nr; i++)
		intern_random(t, &chains[i]);
	chains_settle(&t->chains, &t->addr_keys);
	for (unsigned i = 0; i < nr; i++) {
		const struct chain_model *c = &chains[i];
		uint32_t node = chain_settled(&t->chains, c->chain), again = CHAIN_ROOT;

		CHECK(node_is(t, node, c->frames, c->nr), "chain %u", i);
		for (unsigned f = c->nr; f-- > 0; )
			again = chain_push(&t->chains, again,
					   addr_keys_frame(&t->addr_keys, c->frames[f].space, c->frames[f].ip, c->frames[f].calls));
		CHECK(again == node, "chain %u: numbers %u and %u", i, node, again);
	}
}

static struct chain_node *copy_nodes(const struct chain_table *t)
{
	struct chain_node *nodes = malloc(t->nodes.nr * sizeof(*nodes));

	return memcpy(nodes, t->nodes.v, t->nodes.nr * sizeof(*nodes));
}

static void test_random(void)
{
	struct tables a, b, all;
	struct united keys, nodes;
	struct chain_node *was[2];

	tables_init(&a);
	tables_init(&b);
	tables_init(&all);
	for (unsigned i = 0; i < 1200; i++)
		test_some(i % 2 ? &a : &b);
	was[0] = copy_nodes(&a.chains);
	was[1] = copy_nodes(&b.chains);
	keys = addr_key_tables_unite(&all.addr_keys, (struct addr_key_table *[]){ &a.addr_keys, &b.addr_keys }, 2, 3);
	nodes = chain_tables_unite(&all.chains, (struct chain_table *[]){ &a.chains, &b.chains }, 2, keys.numbers, 3);
	for (unsigned n = 0; n < 2; n++) {
		const struct tables *t = n ? &b : &a;

		for (uint32_t i = 1; i < t->chains.nodes.nr; i++) {
			const struct chain_node *is = &all.chains.nodes.v[nodes.numbers[n][i]];
			const struct addr_key *old = &t->addr_keys.list.v[was[n][i].addr_key];
			const struct addr_key *now = &all.addr_keys.list.v[is->addr_key];

			CHECK(old->ip == now->ip && old->space == now->space && old->calls == now->calls &&
			      is->depth == was[n][i].depth && is->parent == nodes.numbers[n][was[n][i].parent] &&
			      is->parent < nodes.numbers[n][i], "node %u", i);
		}
		free(was[n]);
	}
	united_release(&keys);
	united_release(&nodes);
	CHECK(all.chains.nodes.nr < a.chains.nodes.nr + b.chains.nodes.nr, "nothing was shared");
	tables_release(&a);
	tables_release(&b);
	tables_release(&all);
}

/* ---- paths with one hash ---- */

struct path { uint64_t product; uint32_t key; };

static int by_product(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return compare_numbers(x->product, y->product);
}

/* Two keys below the root, of which two callees have one hash under hash_pair(), from seed 1. */
static void find_colliding(uint32_t keys[2], uint32_t callees[2])
{
	enum { NR = 1 << 18 };
	static struct path paths[NR];

	for (uint32_t i = 0; i < NR; i++)
		paths[i] = (struct path){ hash_pair(1, i) * 0x9e3779b97f4a7c15ull, i };
	qsort(paths, NR, sizeof(*paths), by_product);
	for (uint32_t i = 1; i < NR; i++)
		if (paths[i].product >> 32 == paths[i - 1].product >> 32) {
			keys[0] = paths[i - 1].key;
			keys[1] = paths[i].key;
			callees[0] = 5;
			callees[1] = 5 ^ (uint32_t)paths[i].product ^ (uint32_t)paths[i - 1].product;
			return;
		}
}

/* One table has one of two chains that collide, and the other; both have a chain of key 0, which is no root. */
static void test_colliding(void)
{
	struct chain_table tables[2], out;
	uint32_t keys[2] = {0}, callees[2] = {0}, *same[2], nodes[2], zeros[2];
	struct united u;

	find_colliding(keys, callees);
	CHECK(hash_pair(hash_pair(1, keys[0]), callees[0]) == hash_pair(hash_pair(1, keys[1]), callees[1]) && keys[0] != keys[1],
	      "they do not collide");
	chain_table_init(&out);
	for (unsigned t = 0; t < 2; t++) {
		chain_table_init(&tables[t]);
		nodes[t] = chain_push(&tables[t], chain_push(&tables[t], CHAIN_ROOT, 0), 1);
		zeros[t] = chain_push(&tables[t], chain_push(&tables[t], CHAIN_ROOT, 2), 2);
		same[t] = calloc(3, sizeof(**same));
		same[t][0] = keys[t];
		same[t][1] = callees[t];
	}
	u = chain_tables_unite(&out, (struct chain_table *[]){ &tables[0], &tables[1] }, 2, same, 2);
	for (unsigned t = 0; t < 2; t++) {
		const struct chain_node *n = &out.nodes.v[u.numbers[t][nodes[t]]], *z = &out.nodes.v[u.numbers[t][zeros[t]]];

		CHECK(n->depth == 2 && n->addr_key == callees[t] && out.nodes.v[n->parent].addr_key == keys[t], "chain %u", t);
		CHECK(z->depth == 2 && z->addr_key == 0 && out.nodes.v[z->parent].depth == 1, "chain of key 0 of table %u", t);
		chain_table_release(&tables[t]);
		free(same[t]);
	}
	CHECK(out.nodes.nr == 7, "%zu nodes", out.nodes.nr);
	chain_table_release(&out);
	united_release(&u);
}

int main(void)
{
	struct tables t;

	tables_init(&t);
	CHECK(chain_intern(&t.chains, &t.addr_keys, &(struct words){ 0, NULL }, &somewhere, PERF_RECORD_MISC_USER, false, 127) ==
	      CHAIN_ROOT,
	      "none");
	CHECK(t.chains.nodes.v[CHAIN_ROOT].depth == 0, "root");
	tables_release(&t);
	test_random();
	test_colliding();
	return checks_done();
}
