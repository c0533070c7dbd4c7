/* Chains that leave the code. Layer: hists */
#include "core/hists/chain_breaks.h"

#include <linux/perf_event.h>

#include "core/read/dso_counts.h"
#include "core/perfdata/event_table.h"
#include "core/model/machine.h"
#include "core/hists/bucket.h"
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

uint32_t *chain_singles(const struct chain_table *t, const bool *kernel)
{
	const struct chain_node *nodes = t->nodes.v;
	uint32_t *singles = xmalloc(MAX(t->nodes.nr, 1) * sizeof(*singles));

	singles[CHAIN_ROOT] = CHAIN_WHOLE;
	for (uint32_t i = 1; i < t->nodes.nr; i++)
		if (kernel[nodes[i].addr_key])
			singles[i] = singles[nodes[i].parent];
		else
			singles[i] = nodes[i].parent == CHAIN_ROOT ? i : CHAIN_WHOLE;
	return singles;
}

bool *kernel_addresses(const struct buckets *b, const struct machine *m)
{
	bool *kernel = xcalloc(MAX(b->addr_keys.list.nr, 1), sizeof(*kernel));

	for (size_t i = 0; i < b->addr_keys.list.nr; i++)
		kernel[i] = machine_space_is_kernel(m, b->addr_keys.list.v[i].space);
	return kernel;
}

static const struct dso *dso_of(const struct machine *m, const struct addr_key *key)
{
	const struct map *map = machine_map(m, key->space, key->ip);

	return map ? map->dso : NULL;
}

bool chains_by_frame_pointers(const struct event *ev)
{
	return !(ev->attr.sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK));
}

void chain_breaks_count(const struct buckets *b, const struct event_table *events, const struct machine *m,
			struct broken_chains *out)
{
	const struct addr_key *keys = b->addr_keys.list.v;
	bool *bad = xcalloc(MAX(b->addr_keys.list.nr, 1), sizeof(*bad)), *kernel = kernel_addresses(b, m);
	uint32_t *breaks, *singles = chain_singles(&b->chains, kernel);

	for (size_t i = 0; i < b->addr_keys.list.nr; i++)
		bad[i] = is_broken_caller(m, &keys[i]);
	breaks = chain_breaks(&b->chains, bad);
	vec_for(bucket, &b->table.buckets) {
		uint32_t at = breaks[bucket->key.chain], single = singles[bucket->key.chain];

		if (bucket->key.chain == CHAIN_ROOT)
			continue;
		out->chains += bucket->nr;
		if (at != CHAIN_WHOLE)
			dso_counts_add(&out->broken, dso_of(m, &keys[b->chains.nodes.v[at].addr_key]), bucket->nr);
		else if (single != CHAIN_WHOLE && chains_by_frame_pointers(events->events.v[bucket->key.event]))
			dso_counts_add(&out->alone, dso_of(m, &keys[b->chains.nodes.v[single].addr_key]), bucket->nr);
	}
	free(breaks);
	free(singles);
	free(kernel);
	free(bad);
}
