/* Interning of call chains. Layer: model */
#include "core/model/chain.h"

#include "core/format/abi.h"
#include "core/model/machine.h"
#include "core/model/site.h"

void chain_table_init(struct chain_table *t)
{
	*t = (struct chain_table){0};
	vec_push(&t->nodes, (struct chain_node){0});
}

void chain_table_release(struct chain_table *t)
{
	vec_free(&t->nodes);
	index_release(&t->by_node);
	vec_free(&t->last);
}

uint32_t chain_push(struct chain_table *t, uint32_t parent, uint32_t site)
{
	uint64_t h = hash_pair(site, parent);
	uint32_t pos;

	for (size_t i = index_first(&t->by_node, h); (pos = index_at(&t->by_node, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && t->nodes.v[pos].site == site && t->nodes.v[pos].parent == parent)
			return pos;
	pos = (uint32_t)t->nodes.nr;
	index_add(&t->by_node, h, pos);
	vec_push(&t->nodes, ((struct chain_node){ site, parent, t->nodes.v[parent].depth + 1 }));
	return pos;
}

uint32_t chain_space(const struct where *where, uint16_t cpumode)
{
	switch (cpumode & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return where->kernel_space;
	case PERF_RECORD_MISC_USER:
		return where->user_space;
	default:
		return SPACE_NONE;
	}
}

/* The cpumode of the frames behind a context marker (enum perf_callchain_context). */
static uint16_t marker_cpumode(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	default:
		return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	}
}

/*
 * The chain is recorded from the leaf, the nodes are made from the root. So it is walked backwards, and a stretch of
 * frames meets its marker last: at each marker passed, the next stretch's is looked up ahead.
 */

/* Words [0, end) hold the @max_depth innermost frames. */
static uint64_t frames_end(const struct words *chain, unsigned max_depth)
{
	unsigned depth = 0;
	uint64_t i;

	for (i = 0; i < chain->nr && depth < max_depth; i++)
		depth += words_at(chain, i) < CHAIN_CONTEXT_MAX;
	return i;
}

/* The space of the frames that end before word @end: the marker before them, or the sample's own cpumode. */
static uint32_t space_before(const struct words *chain, uint64_t end, const struct where *where, uint16_t cpumode)
{
	for (uint64_t i = end; i-- > 0; ) {
		uint64_t word = words_at(chain, i);

		if (word >= CHAIN_CONTEXT_MAX)
			return chain_space(where, marker_cpumode(word));
	}
	return chain_space(where, cpumode);
}

/*
 * chain_push() for the frame at @depth below the root of the chain being interned. As long as the chains are @alike,
 * the node is where the last chain had it, and no table is searched.
 */
static uint32_t push_next(struct chain_table *t, struct site_table *sites, uint32_t parent, uint32_t space, uint64_t ip,
			  size_t depth, bool *alike)
{
	uint32_t node;

	if (*alike && depth < t->last.nr) {
		const struct chain_step *step = &t->last.v[depth];

		if (step->ip == ip && step->space == space)
			return step->node;
	}
	*alike = false;
	node = chain_push(t, parent, sites_frame(sites, space, ip));
	t->last.nr = depth;
	vec_push(&t->last, ((struct chain_step){ ip, space, node }));
	return node;
}

uint32_t chain_intern(struct chain_table *t, struct site_table *sites, const struct words *chain,
		      const struct where *where, uint16_t cpumode, unsigned max_depth)
{
	uint64_t end = frames_end(chain, max_depth);
	uint32_t node = CHAIN_ROOT, space = space_before(chain, end, where, cpumode);
	size_t depth = 0;
	bool alike = true;

	for (uint64_t i = end; i-- > 0; ) {
		uint64_t word = words_at(chain, i);

		if (word < CHAIN_CONTEXT_MAX)
			node = push_next(t, sites, node, space, word, depth++, &alike);
		else
			space = space_before(chain, i, where, cpumode);
	}
	return node;
}

void chains_merge(struct chain_table *into, const struct chain_table *from, const uint32_t *sites, uint32_t *map)
{
	if (!from->nodes.nr)
		return;
	map[CHAIN_ROOT] = CHAIN_ROOT;
	/* A parent is always older than its child, so it has its number already. */
	for (uint32_t i = 1; i < from->nodes.nr; i++) {
		const struct chain_node *n = &from->nodes.v[i];

		map[i] = chain_push(into, map[n->parent], sites[n->site]);
	}
}
