/* Chains that leave the code. Layer: profile */
#include "core/profile/chain_breaks.h"

#include "core/flow/dso_counts.h"
#include "core/model/machine.h"
#include "core/profile/bucket.h"
#include "core/unwind/caller.h"

uint32_t *chain_breaks(const struct chain_table *t, const bool *bad)
{
	const struct chain_node *nodes = t->nodes.v;
	uint32_t *breaks = xmalloc(MAX(t->nodes.nr, 1) * sizeof(*breaks));

	breaks[CHAIN_ROOT] = CHAIN_WHOLE;
	for (uint32_t i = 1; i < t->nodes.nr; i++) {	/* callers stand before what they call */
		uint32_t caller = nodes[i].parent;
		bool begins = bad[nodes[i].addr_key] || (caller != CHAIN_ROOT && bad[nodes[caller].addr_key]);

		breaks[i] = begins ? i : breaks[caller];
	}
	return breaks;
}

static const struct dso *dso_of(const struct machine *m, const struct addr_key *key)
{
	const struct map *map = machine_map(m, key->space, key->ip);

	return map ? map->dso : NULL;
}

void chain_breaks_count(const struct buckets *b, const struct machine *m, struct broken_chains *out)
{
	const struct addr_key *keys = b->addr_keys.list.v;
	bool *bad = xcalloc(MAX(b->addr_keys.list.nr, 1), sizeof(*bad));
	uint32_t *breaks;

	for (size_t i = 0; i < b->addr_keys.list.nr; i++)
		bad[i] = keys[i].calls && !can_be_caller(m, keys[i].space, keys[i].ip);
	breaks = chain_breaks(&b->chains, bad);
	vec_for(bucket, &b->table.buckets) {
		uint32_t at = breaks[bucket->key.chain];

		if (bucket->key.chain == CHAIN_ROOT)
			continue;
		out->chains += bucket->nr;
		if (at != CHAIN_WHOLE)
			dso_counts_add(&out->broken, dso_of(m, &keys[b->chains.nodes.v[at].addr_key]), bucket->nr);
	}
	free(breaks);
	free(bad);
}
