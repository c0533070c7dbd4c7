/*
 * Turns the addresses in a report's call chains into functions, or into source lines if the report distinguishes them. naming.h
 * gives the functions of each address. named_bucket.c uses the resulting chains.
 * Layer: hists
 */
#include "core/hists/hist.h"

#include "core/hists/naming.h"

#define ROOT 0u
#define AHEAD 24u	/* distance in nodes of prefetching their frames */

static bool matches(const regex_t *pattern, const struct location *location)
{
	return pattern && location->name && !regexec(pattern, location->name, 0, NULL, 0);
}

static uint32_t hash_of(uint32_t parent_hash, uint32_t location)
{
	return (uint32_t)hash_pair(parent_hash, location);
}

/*
 * The frame of @location called from @parent. With --ignore-callees, a chain ends at the outermost function that this option
 * matches, so the functions that it calls are left out. With --parent, each frame refers to the innermost frame that this option
 * matches, among itself and its callers.
 */
static uint32_t push_frame(void *ctx, uint32_t parent, uint32_t location)
{
	struct hists *h = ctx;
	uint32_t hash = hash_of(h->frames.v[parent].hash, location), pos;

	if (h->frames.v[parent].last)
		return parent;
	index_for(at, &h->by_frame, hash)
		if (h->frames.v[at].parent == parent && h->frames.v[at].location == location)
			return at;
	pos = (uint32_t)h->frames.nr;
	index_add(&h->by_frame, hash, pos);
	vec_push(&h->frames, ((struct location_frame){
		.location = location, .parent = parent, .hash = hash, .depth = h->frames.v[parent].depth + 1,
		.parent_frame = matches(h->opts.parent, &h->locations.list.v[location]) ? pos : h->frames.v[parent].parent_frame,
		.last = matches(h->opts.ignored_callers, &h->locations.list.v[location]),
	}));
	return pos;
}

/*
 * A node's parent has a lower number, so its frame is known. The hash of a node's frame is known in advance, unless a frame in
 * between was inlined or left out, so its memory can be prefetched.
 */
uint32_t *hists_make_frames(struct hists *h, const struct naming *n)
{
	const struct chain_node *nodes = n->buckets->chains.nodes.v;
	const struct named_addr_key *addr_keys = n->locations->addr_keys.v;
	size_t nr = n->buckets->chains.nodes.nr;
	uint32_t *node_frame = xcalloc(MAX(nr, 1), sizeof(*node_frame)), *hashes = xcalloc(MAX(nr, 1), sizeof(*hashes));

	vec_push(&h->frames, ((struct location_frame){0}));
	for (size_t i = 1, ahead = 1; i < nr; i++) {
		for (; ahead < nr && ahead < i + AHEAD; ahead++) {
			hashes[ahead] = hash_of(hashes[nodes[ahead].parent], addr_keys[nodes[ahead].addr_key].frame);
			index_expect(&h->by_frame, hashes[ahead]);
		}
		node_frame[i] = naming_frame(n, node_frame[nodes[i].parent], nodes[i].addr_key, push_frame, h);
	}
	free(hashes);
	return node_frame;
}
