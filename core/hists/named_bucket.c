/*
 * Buckets to rows: addresses get their names, filters by name drop some, and equal rows are merged. Read from
 * hists_name_buckets(), at the end, upwards.
 * Layer: hists
 */
#include "core/hists/chain_breaks.h"
#include "core/hists/hist.h"

#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/model/interpreter.h"
#include "core/model/machine.h"
#include "core/hists/detail.h"
#include "core/hists/key.h"
#include "core/hists/mem_key.h"
#include "core/hists/trace_key.h"

#define ROOT 0u

/* ---- the table ---- */

static uint64_t hash_named(const struct named_bucket *named)
{
	return hash_pair((uint64_t)named->sample_tuple << 32 | named->frame,
			 (uint64_t)named->location << 32 ^ (uint32_t)(named->member << 18 | named->classes << 3 | named->mode));
}

/* @cost NULL: there are none. */
static void add_named(struct hists *h, const struct named_bucket *named, const struct cost_sums *cost, uint64_t hash)
{
	uint32_t pos;

	for (size_t i = index_first(&h->by_named_bucket, hash); (pos = index_at(&h->by_named_bucket, i, hash)) != INDEX_END; i++) {
		struct named_bucket *r = &h->buckets.v[pos];

		if (pos == INDEX_OTHER || r->sample_tuple != named->sample_tuple || r->location != named->location ||
		    r->frame != named->frame ||
		    r->mode != named->mode || r->member != named->member || r->classes != named->classes)
			continue;
		add_saturated(&r->period, named->period);
		r->nr += named->nr;
		if (cost) {
			for (unsigned n = 0; n < NR_WEIGHTS; n++)
				add_saturated(&h->costs.v[pos].weights[n], cost->weights[n]);
			for (unsigned n = 0; n < NR_BRANCH_SUMS; n++)
				add_saturated(&h->costs.v[pos].branches[n], cost->branches[n]);
			add_saturated(&h->costs.v[pos].latency, cost->latency);
			h->costs.v[pos].delay += cost->delay;
		}
		return;
	}
	index_add(&h->by_named_bucket, hash, (uint32_t)h->buckets.nr);
	vec_push(&h->buckets, *named);
	if (cost)
		vec_push(&h->costs, *cost);
}

/* Rows on their way into the table: the memory of all is asked for before the first is waited for. */
#define BATCH 32

struct named_batch {
	struct named_bucket buckets[BATCH];
	struct cost_sums costs[BATCH];
	uint64_t hashes[BATCH];
	unsigned nr;
	bool has_costs;
};

static void add_batch(struct hists *h, struct named_batch *b)
{
	for (unsigned i = 0; i < b->nr; i++) {
		uint32_t pos = index_at(&h->by_named_bucket, index_first(&h->by_named_bucket, b->hashes[i]), b->hashes[i]);

		if (pos < INDEX_OTHER)
			__builtin_prefetch(&h->buckets.v[pos], 1);
	}
	for (unsigned i = 0; i < b->nr; i++)
		add_named(h, &b->buckets[i], b->has_costs ? &b->costs[i] : NULL, b->hashes[i]);
	b->nr = 0;
}

static void add_named_later(struct hists *h, struct named_batch *b, const struct named_bucket *named, const struct cost_sums *cost)
{
	b->buckets[b->nr] = *named;
	b->costs[b->nr] = *cost;
	b->hashes[b->nr] = hash_named(named);
	index_expect(&h->by_named_bucket, b->hashes[b->nr++]);
	if (b->nr == BATCH)
		add_batch(h, b);
}

/* The tables that name buckets. */
struct translation {
	uint32_t *location;		/* by bucket: whose own time it is */
	uint32_t *symbol;		/* by bucket: that of the function with the code */
	uint32_t *node_frame;		/* by chain node */
	uint32_t *uncalled;		/* by chain node: chains_without_caller(); NULL: there are no chains */
	bool *hidden;			/* by location: a filter leaves its samples out */
	bool *interpreter;		/* by dso number: it is one */
};

/* ---- names ---- */

/* Frames of call chains are locations with names; so then is all that entries are made of. */
bool hists_want_names(const struct hists *h)
{
	unsigned needs = layout_needs(&h->opts.layout);

	return needs & NEED_ADDRESS || h->opts.branches || (needs & NEED_DSO && h->opts.chains) ||
	       filter_has_names(h->opts.filter) || h->opts.hide_unresolved;
}

static bool wants_dsos(const struct hists *h)
{
	return layout_needs(&h->opts.layout) & NEED_DSO && !hists_want_names(h);
}

static void find_locations(struct hists *h, struct buckets *buckets, const struct machine *m, struct translation *t)
{
	bool names = hists_want_names(h), dsos = wants_dsos(h), exact = h->opts.chains && h->opts.tree.key != TREE_BY_FUNCTION;
	size_t nr = buckets->table.buckets.nr;
	uint32_t *addr_key = xcalloc(MAX(nr, 1), sizeof(*addr_key));

	t->location = xcalloc(MAX(nr, 1), sizeof(*t->location));
	t->symbol = xcalloc(MAX(nr, 1), sizeof(*t->symbol));
	for (size_t i = 0; names && i < nr; i++)
		addr_key[i] = h->opts.branches ? buckets->table.buckets.v[i].key.to :
						 bucket_addr_key(&buckets->addr_keys, &buckets->table.buckets.v[i]);
	locations_resolve(&h->locations, &buckets->addr_keys, m, &(struct location_opts){
		.inlines = h->opts.inlines, .sample_inlines = h->opts.self_inlined, .jobs = h->jobs,
		.full_paths = h->opts.full_paths,
		.lines = exact || layout_needs(&h->opts.layout) & NEED_LINE, .line_texts = true, .call_lines = exact,
		.offsets = h->opts.tree.key == TREE_BY_ADDRESS || layout_needs(&h->opts.layout) & NEED_OFFSET,
	});
	for (size_t i = 0; i < nr; i++) {
		uint32_t dso = buckets->table.buckets.v[i].key.dso;

		if (names)
			t->symbol[i] = h->locations.addr_keys.v[addr_key[i]].location;
		else if (dsos)
			t->symbol[i] = locations_of_dso(&h->locations, dso == DSO_NONE ? NULL : machine_dso(m, dso));
		t->location[i] = names && h->opts.self_inlined ? locations_own(&h->locations, addr_key[i]) : t->symbol[i];
	}
	free(addr_key);
}

static void find_hidden(struct hists *h, struct translation *t)
{
	t->hidden = xcalloc(MAX(h->locations.list.nr, 1), sizeof(*t->hidden));
	if (!filter_has_names(h->opts.filter))
		return;
	for (size_t i = 0; i < h->locations.list.nr; i++) {
		const struct location *s = &h->locations.list.v[i];

		t->hidden[i] = !filter_names(h->opts.filter, s->dso, s->name);
	}
}

/*
 * Counts a bucket's chain, which ends at @frame; if it is broken or lacks a caller, it counts for the function with the
 * unknown caller.
 */
static void count_chain(struct hists *h, const struct bucket *bucket, uint32_t frame, const struct translation *t)
{
	const struct location_frame *f = &h->frames.v[frame];

	h->chains.chains += bucket->nr;
	if (!f->broken) {
		uint32_t last = t->uncalled[bucket->key.chain];

		if (last != CHAIN_WHOLE && chains_by_frame_pointers(h->list.v[bucket->key.event].event))
			dso_counts_add(&h->chains.alone, h->locations.list.v[h->frames.v[t->node_frame[last]].location].dso,
				       bucket->nr);
		return;
	}
	while (f->depth > 2)
		f = &h->frames.v[f->parent];
	dso_counts_add(&h->chains.broken, h->locations.list.v[f->location].dso, bucket->nr);
}

static void find_interpreters(const struct machine *m, struct translation *t)
{
	uint32_t nr = machine_nr_dsos(m);

	t->interpreter = xcalloc(MAX(nr, 1), sizeof(*t->interpreter));
	for (uint32_t i = 0; i < nr; i++)
		t->interpreter[i] = is_interpreter(machine_dso(m, i));
}

static void count_interpreted(struct hists *h, const struct translation *t, const struct bucket *bucket, uint32_t location)
{
	const struct dso *dso = h->locations.list.v[location].dso;

	if (dso && t->interpreter[dso->number])
		dso_counts_add(&h->interpreted, dso, bucket->nr);
}

/* Count a bucket, if it is without a symbol. False: it is to be left out. */
static bool count_unresolved(struct hists *h, const struct bucket *bucket, const struct location *location)
{
	struct event_total *total = &h->list.v[bucket->key.event].total;

	if (!unresolved_counts_add(&h->unresolved, bucket, location) || location->made || !h->opts.hide_unresolved)
		return true;
	total->nr -= bucket->nr;
	total->period -= bucket->period;
	return false;
}

/* Members of a group share their leader's entries; of its chain a sample keeps the function that --parent looks for. */
static uint32_t sample_tuple_of(struct hists *h, const struct bucket_key *key, uint32_t frame)
{
	struct bucket_key shared = *key;
	uint32_t parent = h->frames.v[frame].parent_frame;

	/* A sample's address is in its location; a branch has two in its key. */
	if (!h->opts.branches)
		shared.at = shared.owner = 0;
	shared.event = h->list.v[key->event].leader;
	shared.parent = parent == ROOT ? 0 : h->frames.v[parent].location + 1;
	return tuples_of_sample(&h->tuples, &shared);
}

/* True if a filter by names excludes it, or it lacks a parent. */
static bool is_out(const struct hists *h, const struct translation *t, const struct named_bucket *named,
		   uint32_t symbol)
{
	return (t->hidden[named->location] && t->hidden[symbol]) ||
	       (h->opts.exclude_other && h->frames.v[named->frame].parent_frame == ROOT);
}

static uint64_t word_at(const struct hists *h, const struct bucket *bucket, size_t at)
{
	return detail_word(&h->details, bucket->key.detail, (unsigned)(at / sizeof(uint64_t)));
}

/* The sums of all samples of @bucket by those of one, @nr words of its detail from @at on. */
static void multiply(const struct hists *h, const struct bucket *bucket, size_t at, unsigned nr, uint64_t *out)
{
	for (unsigned i = 0; i < nr; i++)
		if (__builtin_mul_overflow(bucket->nr, word_at(h, bucket, at + i * sizeof(uint64_t)), &out[i]))
			out[i] = UINT64_MAX;
}

/* The cost of all samples of @bucket: equal details have equal weights. */
static struct cost_sums cost_of(const struct hists *h, const struct bucket *bucket, const struct detail_plan *plan)
{
	struct cost_sums cost = {0};

	if (plan->needs & NEED_WEIGHTS)
		multiply(h, bucket, detail_weights_at(plan), NR_WEIGHTS, cost.weights);
	if (plan->needs & NEED_BRANCH_SUMS)
		multiply(h, bucket, detail_branches_at(plan), NR_BRANCH_SUMS, cost.branches);
	if (plan->needs & NEED_RUNNING)
		cost.latency = bucket->period / word_at(h, bucket, detail_running_at(plan));
	if (plan->needs & NEED_DELAY)
		cost.delay = bucket->nr * word_at(h, bucket, detail_delay_at(plan));
	return cost;
}

static void name_buckets(struct hists *h, const struct buckets *buckets, const struct translation *t,
			 const struct detail_plan *plan)
{
	struct named_batch batch = { .has_costs = plan->needs & (NEED_WEIGHTS | NEED_RUNNING | NEED_DELAY | NEED_BRANCH_SUMS) };
	bool names = hists_want_names(h);
	bool modes = layout_needs(&h->opts.layout) & NEED_MODE;

	for (size_t i = 0; i < buckets->table.buckets.nr; i++) {
		const struct bucket *bucket = &buckets->table.buckets.v[i];
		struct hist *hist = &h->list.v[bucket->key.event];
		struct event_total *total = &hist->total;
		struct named_bucket named = { .period = bucket->period, .nr = bucket->nr, .location = t->location[i],
				   .frame = t->node_frame[bucket->key.chain] };
		struct cost_sums cost = {0};

		if (batch.has_costs)
			cost = cost_of(h, bucket, plan);
		if (h->frames.v[named.frame].last)
			named.location = t->symbol[i] = h->frames.v[named.frame].location;
		if (is_out(h, t, &named, t->symbol[i])) {
			total->nr_out += bucket->nr;
			add_saturated(&total->period_out, bucket->period);
			add_saturated(&hist->latency, cost.latency);
			add_saturated(&hist->latency_out, cost.latency);
			continue;
		}
		h->nr_samples += bucket->nr;
		if (h->opts.chains && bucket->key.chain)
			count_chain(h, bucket, named.frame, t);
		if (names)
			count_interpreted(h, t, bucket, named.location);
		if (names && !count_unresolved(h, bucket, &h->locations.list.v[named.location]))
			continue;
		named.sample_tuple = sample_tuple_of(h, &bucket->key, named.frame);
		named.member = (bucket->key.event - h->list.v[bucket->key.event].leader) & MAX_MEMBERS;
		named.mode = modes ? bucket->key.mode & 7 : 0;
		if (plan->needs & NEED_MEM_CLASSES)
			named.classes = data_src_classes(mem_source(h->mem, bucket->key.detail)) & DATA_SRC_CLASSES_MASK;
		add_saturated(&hist->latency, cost.latency);
		add_named_later(h, &batch, &named, &cost);
	}
	add_batch(h, &batch);
}

static void add_details(struct hists *h, struct buckets *buckets, const struct detail_plan *plan)
{
	h->details = buckets->details;
	buckets->details = (struct byte_table){ 0 };
	h->view.details = &h->details;
	if (plan->needs & NEED_MEM)
		h->view.mem = h->mem = mem_values_new(&h->details, detail_access_at(plan));
	if (plan->needs & NEED_TRACE)
		h->view.traces = h->traces = trace_values_new(h->opts.traces, &h->details, detail_trace_at(plan));
}

static uint32_t nr_comms(const struct buckets *buckets)
{
	uint32_t nr = 0;

	vec_for(named, &buckets->table.buckets)
		nr = MAX(nr, named->key.comm + 1);
	return nr;
}

void hists_name_buckets(struct hists *h, struct buckets *buckets, const struct detail_plan *plan, const struct session *s)
{
	const struct machine *m = plan->mem.machine;
	struct translation t = {0};

	find_locations(h, buckets, m, &t);
	key_context_init(&h->view, m, &h->locations, h->opts.slot_ns);
	if (layout_has_flag(&h->opts.layout, KEY_TASK))
		key_context_name_tasks(&h->view);
	h->view.slot_from = h->opts.slot_from;
	h->view.features = session_features(s);
	h->view.session = s;
	h->view.nanoseconds = h->opts.nanoseconds;
	if (plan->needs & NEED_FOLDED)
		key_context_fold_comms(&h->view, nr_comms(buckets));
	add_details(h, buckets, plan);
	tuples_init(&h->tuples, &h->opts.layout, &h->view);
	find_hidden(h, &t);
	find_interpreters(m, &t);
	t.node_frame = hists_make_frames(h, buckets);
	if (h->opts.chains)
		t.uncalled = chains_without_caller(buckets, m);
	name_buckets(h, buckets, &t, plan);
	dso_counts_sort(&h->unresolved.files);
	dso_counts_sort(&h->interpreted);
	free(t.location);
	free(t.symbol);
	free(t.node_frame);
	free(t.uncalled);
	free(t.hidden);
	free(t.interpreter);
}
