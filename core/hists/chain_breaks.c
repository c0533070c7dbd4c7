/* Chains that leave the code. Layer: hists */
#include "core/hists/chain_breaks.h"

#include <linux/perf_event.h>
#include <string.h>

#include "core/read/dso_counts.h"
#include "core/perfdata/event_table.h"
#include "core/binary/symbol.h"
#include "core/model/machine.h"
#include "core/hists/bucket.h"
#include "core/unwind/caller.h"
#include "core/unwind/frameless.h"

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

/* All ways into execve(), of Linux 4.18 and later, and what it calls to leave the old program; without suffixes as .isra.0. */
static bool is_exec_name(const char *name)
{
	static const char *const names[] = {
		"do_execveat_common", "__do_execve_file", "bprm_execve", "begin_new_exec",
		"__x64_sys_execve", "__x64_sys_execveat", "__arm64_sys_execve", "__arm64_sys_execveat",
	};
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == n && !memcmp(name, names[i], n))
			return true;
	return false;
}

static bool is_exec(const struct machine *m, const struct addr_key *key)
{
	struct addr_location at;

	machine_resolve(m, key->space, key->ip, &at);
	return at.symbol && is_exec_name(at.symbol->name);
}

/* True if the node, in user space, has no caller, or one that did not call it. */
static bool lacks_caller(const struct buckets *b, struct frameless *f, uint32_t node)
{
	const struct addr_key *keys = b->addr_keys.list.v;
	const struct chain_node *n = &b->chains.nodes.v[node];

	if (n->parent == CHAIN_ROOT)
		return true;
	return !keys[n->addr_key].calls &&
	       frameless_lacks_caller(f, &keys[n->addr_key], &keys[b->chains.nodes.v[n->parent].addr_key]);
}

uint32_t *chains_without_caller(const struct buckets *b, const struct machine *m)
{
	const struct chain_node *nodes = b->chains.nodes.v;
	size_t nr_keys = MAX(b->addr_keys.list.nr, 1);
	bool *kernel = kernel_addresses(b, m), *asked = xcalloc(nr_keys, sizeof(*asked)), *exec = xcalloc(nr_keys, sizeof(*exec));
	uint32_t *uncalled = xmalloc(MAX(b->chains.nodes.nr, 1) * sizeof(*uncalled));
	struct frameless *frameless = frameless_new(m, NULL);

	uncalled[CHAIN_ROOT] = CHAIN_WHOLE;
	for (uint32_t i = 1; i < b->chains.nodes.nr; i++) {
		uint32_t key = nodes[i].addr_key;

		if (!kernel[key]) {
			uncalled[i] = lacks_caller(b, frameless, i) ? i : CHAIN_WHOLE;
			continue;
		}
		uncalled[i] = uncalled[nodes[i].parent];
		if (uncalled[i] == CHAIN_WHOLE)
			continue;
		if (!asked[key])	/* seldom: the kernel's symbols may be needed for nothing else */
			exec[key] = is_exec(m, &b->addr_keys.list.v[key]);
		asked[key] = true;
		if (exec[key])
			uncalled[i] = CHAIN_WHOLE;
	}
	frameless_free(frameless);
	free(exec);
	free(asked);
	free(kernel);
	return uncalled;
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
	bool *bad = xcalloc(MAX(b->addr_keys.list.nr, 1), sizeof(*bad));
	uint32_t *breaks, *uncalled = chains_without_caller(b, m);

	for (size_t i = 0; i < b->addr_keys.list.nr; i++)
		bad[i] = is_broken_caller(m, &keys[i]);
	breaks = chain_breaks(&b->chains, bad);
	vec_for(bucket, &b->table.buckets) {
		uint32_t at = breaks[bucket->key.chain], last = uncalled[bucket->key.chain];

		if (bucket->key.chain == CHAIN_ROOT)
			continue;
		out->chains += bucket->nr;
		if (at != CHAIN_WHOLE)
			dso_counts_add(&out->broken, dso_of(m, &keys[b->chains.nodes.v[at].addr_key]), bucket->nr);
		else if (last != CHAIN_WHOLE && chains_by_frame_pointers(events->events.v[bucket->key.event]))
			dso_counts_add(&out->alone, dso_of(m, &keys[b->chains.nodes.v[last].addr_key]), bucket->nr);
	}
	free(breaks);
	free(uncalled);
	free(bad);
}
