/*
 * Checks the call chains of a report for impossible return addresses and missing callers (chain_breaks.h). It checks each
 * distinct address and chain once. Several threads search for missing callers.
 */
#include "core/hists/chain_breaks.h"

#include <linux/perf_event.h>
#include <string.h>

#include "core/base/pool.h"
#include "core/base/util.h"
#include "core/unwind/dso_counts.h"
#include "core/perfdata/event_table.h"
#include "core/binary/symbol.h"
#include "core/model/machine.h"
#include "core/hists/bucket.h"
#include "core/unwind/caller.h"
#include "core/unwind/frameless.h"
#include "core/unwind/tables.h"

#define WHOLE UINT32_MAX

/*
 * By chain node: the node where the chain is broken, which is impossible as a caller or has an impossible caller; WHOLE: the chain
 * is not broken. @broken: by address key. Owned by the caller.
 */
static uint32_t *find_breaks(const struct chain_table *t, const bool *broken)
{
	const struct chain_node *nodes = t->nodes.v;
	uint32_t *breaks = xmalloc(MAX(t->nodes.nr, 1) * sizeof(*breaks));

	breaks[CHAIN_ROOT] = WHOLE;
	for (uint32_t i = 1; i < t->nodes.nr; i++) {	/* callers come before callees */
		uint32_t caller = nodes[i].parent;
		bool begins = broken[nodes[i].addr_key] || (caller != CHAIN_ROOT && broken[nodes[caller].addr_key]);

		breaks[i] = begins ? i : breaks[caller];
	}
	return breaks;
}

/* True for kernel functions that execve() runs until it leaves the old program (Linux 4.18 and later). Ignores ".isra.0". */
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

/* True if the node, which is in user space, lacks its caller, or has one that did not call it. */
static bool lacks_caller(const struct buckets *b, struct frameless *f, uint32_t node)
{
	const struct addr_key *keys = b->addr_keys.list.v;
	const struct chain_node *n = &b->chains.nodes.v[node];

	if (n->parent == CHAIN_ROOT)
		return true;
	return !keys[n->addr_key].calls &&
	       frameless_lacks_caller(f, &keys[n->addr_key], &keys[b->chains.nodes.v[n->parent].addr_key]);
}

#define BATCH 4096	/* nodes that a worker takes at a time */

struct uncalled_search {	/* finds the nodes in user space that lack their callers */
	const struct buckets *buckets;
	const struct machine *machine;
	const bool *kernel;		/* by address key */
	struct unwind_tables *tables;
	struct frameless **frameless;	/* by worker */
	uint32_t *uncalled;
};

static void search_batch(void *ctx, unsigned worker, size_t batch)
{
	const struct uncalled_search *a = ctx;
	const struct chain_node *nodes = a->buckets->chains.nodes.v;
	size_t end = MIN((batch + 1) * BATCH, a->buckets->chains.nodes.nr);

	if (!a->frameless[worker])
		a->frameless[worker] = frameless_new(a->machine, a->tables);
	for (uint32_t i = (uint32_t)(batch * BATCH); i < end; i++)
		if (i != CHAIN_ROOT && !a->kernel[nodes[i].addr_key])
			a->uncalled[i] = lacks_caller(a->buckets, a->frameless[worker], i) ? i : WHOLE;
}

static void search_all(struct uncalled_search *a)
{
	unsigned jobs = MAX(a->buckets->jobs, 1);

	a->tables = unwind_tables_of_machine(a->machine);
	a->frameless = xcalloc(jobs, sizeof(*a->frameless));
	pool_run(jobs, (a->buckets->chains.nodes.nr + BATCH - 1) / BATCH, search_batch, a);
	for (unsigned i = 0; i < jobs; i++)
		if (a->frameless[i])
			frameless_free(a->frameless[i]);
	free(a->frameless);
	unwind_tables_free(a->tables);
}

/*
 * By chain node: the innermost user-space frame, if its caller is missing (core/unwind/frameless.h); else WHOLE. Inside
 * execve() it is WHOLE, too, because the old program's stack is gone. Owned by the caller.
 */
static uint32_t *find_uncalled(const struct buckets *b, const struct machine *m)
{
	const struct chain_node *nodes = b->chains.nodes.v;
	size_t nr_keys = MAX(b->addr_keys.list.nr, 1);
	bool *kernel = kernel_addresses(b, m), *asked = xcalloc(nr_keys, sizeof(*asked)), *exec = xcalloc(nr_keys, sizeof(*exec));
	uint32_t *uncalled = xmalloc(MAX(b->chains.nodes.nr, 1) * sizeof(*uncalled));
	struct uncalled_search search = { .buckets = b, .machine = m, .kernel = kernel, .uncalled = uncalled };

	search_all(&search);
	uncalled[CHAIN_ROOT] = WHOLE;
	for (uint32_t i = 1; i < b->chains.nodes.nr; i++) {
		uint32_t key = nodes[i].addr_key;

		if (!kernel[key])
			continue;
		uncalled[i] = uncalled[nodes[i].parent];
		if (uncalled[i] == WHOLE)
			continue;
		if (!asked[key])	/* rarely, as nothing else may need the kernel's symbols */
			exec[key] = is_exec(m, &b->addr_keys.list.v[key]);
		asked[key] = true;
		if (exec[key])
			uncalled[i] = WHOLE;
	}
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

static bool *find_broken(const struct buckets *b, const struct machine *m)
{
	bool *broken = xcalloc(MAX(b->addr_keys.list.nr, 1), sizeof(*broken));

	for (size_t i = 0; i < b->addr_keys.list.nr; i++)
		broken[i] = is_broken_caller(m, &b->addr_keys.list.v[i]);
	return broken;
}

static uint32_t kind_of(const struct buckets *b, const struct machine *m, uint32_t node, bool uncalled)
{
	const struct addr_key *key = &b->addr_keys.list.v[b->chains.nodes.v[node].addr_key];
	const struct map *map = machine_map(m, key->space, key->ip);

	return 1 + 2 * (map ? map->dso->number + 1 : 0) + uncalled;
}

void chain_breaks_find(struct chain_breaks *c, const struct buckets *b, const struct event_table *events, const struct machine *m,
		       const bool *broken)
{
	bool *found = broken ? NULL : find_broken(b, m);
	uint32_t *breaks = find_breaks(&b->chains, broken ? broken : found), *uncalled = find_uncalled(b, m);

	*c = (struct chain_breaks){
		.events = events, .machine = m, .kind = xcalloc(MAX(b->chains.nodes.nr, 1), sizeof(*c->kind)),
		.counts = xcalloc(1 + 2 * ((size_t)machine_nr_dsos(m) + 1), sizeof(*c->counts)),
	};
	for (uint32_t i = 1; i < b->chains.nodes.nr; i++) {
		uint32_t at = breaks[i] != WHOLE ? breaks[i] : uncalled[i];

		if (at != WHOLE)
			c->kind[i] = at != i ? c->kind[at] : kind_of(b, m, i, breaks[i] == WHOLE);
	}
	free(breaks);
	free(uncalled);
	free(found);
}

/*
 * True if the kernel made the event's chains by frame pointers. Stacks that were unwound, while recording or by their copies, and
 * branches have findings of their own.
 */
static bool by_frame_pointers(const struct event *ev)
{
	return !(ev->attr.sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK)) && !ev->attr.exclude_callchain_user;
}

void chain_breaks_count(struct chain_breaks *c, const struct bucket *bucket)
{
	uint32_t kind = c->kind[bucket->key.chain];
	bool uncalled = kind && kind % 2 == 0;

	c->nr_chains += bucket->key.chain == CHAIN_ROOT ? 0 : bucket->nr;
	if (!uncalled || by_frame_pointers(c->events->events.v[bucket->key.event]))
		c->counts[kind] += bucket->nr;
}

void chain_breaks_sum(const struct chain_breaks *c, struct broken_chains *out)
{
	out->chains += c->nr_chains;
	for (uint32_t i = 0; c->counts && i <= machine_nr_dsos(c->machine); i++) {
		const struct dso *dso = i ? machine_dso(c->machine, i - 1) : NULL;

		if (c->counts[1 + 2 * i])
			dso_counts_add(&out->broken, dso, c->counts[1 + 2 * i]);
		if (c->counts[2 + 2 * i])
			dso_counts_add(&out->alone, dso, c->counts[2 + 2 * i]);
	}
}

void chain_breaks_release(struct chain_breaks *c)
{
	free(c->kind);
	free(c->counts);
	*c = (struct chain_breaks){ 0 };
}
