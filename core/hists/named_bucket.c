/*
 * Replaces the addresses in buckets (sums of equal samples, bucket.h) and in call chains by functions, and merges buckets that are
 * then equal. naming.h looks up the functions. entry.c makes the rows of the report.
 */
#include "core/hists/hist.h"

#include "core/read/filter.h"
#include "core/hists/detail.h"
#include "core/hists/key.h"
#include "core/hists/mem_key.h"

#define ROOT 0u
#define AHEAD 24u	/* distance in nodes of prefetching their frames */

/* ---- the table ---- */

static uint64_t hash_named(const struct named_bucket *named)
{
	return hash_pair((uint64_t)named->sample_tuple << 32 | named->frame,
			 (uint64_t)named->location << 32 ^ (uint32_t)(named->member << 18 | named->classes << 3 | named->mode));
}

/* @cost NULL: the report needs no struct cost_sums. */
static void add_named(struct hists *h, const struct named_bucket *named, const struct cost_sums *cost, uint64_t hash)
{
	index_for(pos, &h->by_named_bucket, hash) {
		struct named_bucket *r = &h->buckets.v[pos];

		if (r->sample_tuple != named->sample_tuple || r->location != named->location || r->frame != named->frame ||
		    r->mode != named->mode || r->member != named->member || r->classes != named->classes)
			continue;
		add_saturated(&r->period, named->period);
		r->nr += named->nr;
		if (cost)
			cost_sums_add(&h->costs.v[pos], cost);
		return;
	}
	index_add(&h->by_named_bucket, hash, (uint32_t)h->buckets.nr);
	vec_push(&h->buckets, *named);
	if (cost)
		vec_push(&h->costs, *cost);
}

/* A batch of rows to be added: the memory for all is prefetched before the first is read. */
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
		uint32_t pos = index_at(&h->by_named_bucket, b->hashes[i], b->hashes[i]);

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

/* ---- names ---- */

/* With call chains, entries need names even if the columns show only files, because frames are locations with names. */
bool hists_want_names(const struct hists *h)
{
	unsigned needs = layout_needs(&h->opts.layout);

	return needs & NEED_ADDRESS || h->opts.branches || (needs & NEED_DSO && h->opts.chains) ||
	       filter_has_names(h->opts.filter) || h->opts.hide_unresolved;
}

/* Members of a group share their leader's entries, so the event is the leader. .parent has the function that --parent matches. */
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

static uint64_t word_at(const struct hists *h, const struct bucket *bucket, size_t at)
{
	return detail_word(&h->details, bucket->key.detail, (unsigned)(at / sizeof(uint64_t)));
}

/* The sums over all samples of @bucket: those of one sample, which are @nr words of its detail from @at on, times their number. */
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
		multiply(h, bucket, detail_at(plan, NEED_WEIGHTS), NR_WEIGHTS, cost.weights);
	if (plan->needs & NEED_BRANCH_SUMS)
		multiply(h, bucket, detail_at(plan, NEED_BRANCH_SUMS), NR_BRANCH_SUMS, cost.branches);
	if (plan->needs & NEED_RUNNING)
		cost.latency = bucket->period / word_at(h, bucket, detail_at(plan, NEED_RUNNING));
	if (plan->needs & NEED_DELAY)
		cost.delay = bucket->nr * word_at(h, bucket, detail_at(plan, NEED_DELAY));
	return cost;
}

/* Replaces a function that has a caller which --ignore-callees matches by that caller. True if a wanted parent is missing. */
static bool place_in_chain(const struct hists *h, uint32_t frame, struct bucket_place *place)
{
	const struct location_frame *f = &h->frames.v[frame];

	if (f->last)
		place->location = place->symbol = f->location;
	return h->opts.exclude_other && f->parent_frame == ROOT;
}

static void name_buckets(struct hists *h, struct naming *n, const uint32_t *node_frame, const struct detail_plan *plan)
{
	struct named_batch batch = { .has_costs = plan->needs & (NEED_WEIGHTS | NEED_RUNNING | NEED_DELAY | NEED_BRANCH_SUMS) };
	bool modes = layout_needs(&h->opts.layout) & NEED_MODE;

	for (size_t i = 0; i < n->buckets->table.buckets.nr; i++) {
		const struct bucket *bucket = &n->buckets->table.buckets.v[i];
		struct hist *hist = &h->list.v[bucket->key.event];
		struct named_bucket named = { .period = bucket->period, .nr = bucket->nr, .frame = node_frame[bucket->key.chain] };
		struct cost_sums cost = {0};
		struct bucket_place place = naming_place(n, bucket);
		bool is_out = place_in_chain(h, named.frame, &place);
		enum bucket_fate fate = naming_count(n, bucket, &place, is_out);

		if (batch.has_costs)
			cost = cost_of(h, bucket, plan);
		if (fate != BUCKET_HIDDEN)
			add_saturated(&hist->latency, cost.latency);
		if (fate == BUCKET_FILTERED)
			add_saturated(&hist->latency_out, cost.latency);
		if (fate != BUCKET_COUNTS)
			continue;
		named.location = place.location;
		named.sample_tuple = sample_tuple_of(h, &bucket->key, named.frame);
		named.member = (bucket->key.event - hist->leader) & MAX_MEMBERS;
		named.mode = modes ? bucket->key.mode & 7 : 0;
		if (plan->needs & NEED_MEM_CLASSES)
			named.classes = data_src_classes(mem_source(h->view.mem, bucket->key.detail)) & DATA_SRC_CLASSES_MASK;
		add_named_later(h, &batch, &named, &cost);
	}
	add_batch(h, &batch);
}

/* ---- frames of chains ---- */

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
 * Fills .frames. Returns the frame of each node of the raw chains; owned by the caller. A node's parent has a lower number, so its
 * frame is known. The hash of a node's frame is known in advance, unless a frame in between was inlined or left out, so its memory
 * can be prefetched.
 */
static uint32_t *make_frames(struct hists *h, const struct naming *n)
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

/* ---- all of it ---- */

static struct naming naming_of(struct hists *h, struct buckets *buckets)
{
	const struct hists_opts *o = &h->opts;
	unsigned needs = layout_needs(&o->layout);
	bool names = hists_want_names(h), exact = o->chains && o->tree.key != TREE_BY_FUNCTION;

	return (struct naming){
		.buckets = buckets, .locations = &h->locations, .counts = &h->counts,
		.opts = {
			.filter = o->filter, .names = names, .dsos = needs & NEED_DSO && !names, .branches = o->branches,
			.hide_unresolved = o->hide_unresolved,
			.lookup = {
				.inlines = o->inlines, .sample_inlines = o->self_inlined, .jobs = h->jobs,
				.full_paths = o->full_paths, .lines = exact || needs & NEED_LINE, .line_texts = true,
				.call_lines = exact, .offsets = o->tree.key == TREE_BY_ADDRESS || needs & NEED_OFFSET,
			},
		},
	};
}

/* Looks up names, drops the buckets that filters leave out, and merges buckets that have equal names. */
void hists_name_buckets(struct hists *h, struct buckets *buckets, const struct detail_plan *plan, const struct session *s)
{
	struct naming n = naming_of(h, buckets);
	uint32_t *node_frame;

	naming_make(&n, s);
	h->details = buckets->details;
	buckets->details = (struct byte_table){ 0 };
	detail_context_init(&h->view, s, plan, &h->details, &h->locations);
	h->view.slot_ns = h->opts.slot_ns;
	h->view.slot_from = h->opts.slot_from;
	h->view.nanoseconds = h->opts.nanoseconds;
	tuples_init(&h->tuples, &h->opts.layout, &h->view);
	node_frame = make_frames(h, &n);
	name_buckets(h, &n, node_frame, plan);
	naming_finish(&n);
	vec_for(hist, &h->list)
		hist->total = buckets->totals.v[hist->event->number];
	naming_release(&n);
	free(node_frame);
}
