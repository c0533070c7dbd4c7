/* Interned chains against the chains themselves: what goes in comes out, equal chains are equal numbers. */
#include "core/model/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/format/abi.h"
#include "core/model/machine.h"

#define CHECK(cond, ...) do {						\
	if (!(cond)) {							\
		printf("%s:%d: %s: ", __FILE__, __LINE__, #cond);	\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
		failures++;						\
	}								\
} while (0)

#define MOST 40

static unsigned failures;
static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static const struct where somewhere = { .user_space = 7, .kernel_space = 3 };

struct frame_model { uint64_t ip; uint32_t space; };

/* What a chain means, leaf first: markers say where the frames behind them are. */
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
			out[n++] = (struct frame_model){ words[i], space };
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

static bool node_is(const struct chain_table *t, uint32_t node, const struct frame_model *frames, unsigned nr)
{
	if (t->nodes.v[node].depth != nr)
		return false;
	for (unsigned i = 0; i < nr; i++) {
		const struct chain_node *n = &t->nodes.v[node];

		if (n->ip != frames[i].ip || n->space != frames[i].space)
			return false;
		node = n->parent;
	}
	return node == CHAIN_ROOT;
}

static uint32_t intern_random(struct chain_table *t, struct frame_model *frames, unsigned *nr_frames)
{
	static const uint16_t modes[] = { PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_USER, PERF_RECORD_MISC_GUEST_USER };
	uint64_t words[MOST];
	uint8_t unaligned[8 * MOST + 1];
	unsigned nr = random_chain(words), max = any(3) ? 127 : any(8);
	uint16_t mode = modes[any(ARRAY_SIZE(modes))];

	memcpy(unaligned + 1, words, 8 * nr);
	*nr_frames = read_chain(words, nr, mode, max, frames);
	return chain_intern(t, &(struct words){ nr, unaligned + 1 }, &somewhere, mode, max);
}

static void test_random(void)
{
	struct chain_table a, b, all;
	struct frame_model frames[MOST];
	unsigned nr;

	chain_table_init(&a);
	chain_table_init(&b);
	chain_table_init(&all);
	for (unsigned i = 0; i < 20000; i++) {
		struct chain_table *t = i % 2 ? &a : &b;
		uint32_t node = intern_random(t, frames, &nr), again = CHAIN_ROOT;

		CHECK(node_is(t, node, frames, nr), "chain %u", i);
		for (unsigned f = nr; f-- > 0; )
			again = chain_push(t, again, frames[f].space, frames[f].ip);
		CHECK(again == node, "chain %u: numbers %u and %u", i, node, again);
	}
	for (unsigned n = 0; n < 2; n++) {
		struct chain_table *t = n ? &a : &b;
		uint32_t *map = calloc(t->nodes.nr, sizeof(*map));

		chains_merge(&all, t, map);
		for (uint32_t i = 1; i < t->nodes.nr; i++) {
			const struct chain_node *was = &t->nodes.v[i], *is = &all.nodes.v[map[i]];

			CHECK(is->ip == was->ip && is->space == was->space && is->depth == was->depth &&
			      is->parent == map[was->parent], "node %u", i);
		}
		free(map);
	}
	CHECK(all.nodes.nr < a.nodes.nr + b.nodes.nr, "nothing was shared");
	chain_table_release(&a);
	chain_table_release(&b);
	chain_table_release(&all);
}

int main(void)
{
	struct chain_table t;

	chain_table_init(&t);
	CHECK(chain_intern(&t, &(struct words){ 0, NULL }, &somewhere, PERF_RECORD_MISC_USER, 127) == CHAIN_ROOT, "none");
	CHECK(t.nodes.v[CHAIN_ROOT].depth == 0, "root");
	chain_table_release(&t);
	test_random();
	return failures != 0;
}
