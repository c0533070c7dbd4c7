/* Rows to entries, accumulated over chains; hists_new(), which makes all of it, is at the end. Layer: hists */
#include "core/hists/hist.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/phase.h"
#include "core/read/session.h"
#include "core/ui/finding.h"
#include "core/hists/detail.h"
#include "core/hists/mem_key.h"
#include "core/hists/trace_key.h"
#include "core/hists/weight.h"

#define ROOT 0u

/* ---- entries ---- */

static struct hist *hist_of(struct hists *h, uint32_t sample_tuple)
{
	return &h->list.v[tuples_event(&h->tuples, sample_tuple)];
}

/* Without names only files were looked up. */
static bool is_unnamed(const struct hists *h, const struct location *location)
{
	return hists_want_names(h) ? !location->name : !location->dso;
}

/* The entry that samples of @bucket count for at @location. Borrowed until the next entry is made. */
static struct entry *entry_at(struct hists *h, struct hist *hist, const struct named_bucket *bucket, uint32_t location)
{
	bool added = false;
	uint32_t pos = tuples_entry(&h->tuples, bucket->sample_tuple, location, (uint32_t)hist->entries.nr, &added);

	if (added) {
		vec_push(&hist->entries, ((struct entry){ .sample_tuple = bucket->sample_tuple,
							  .location_tuple = h->tuples.tuple_of_location.v[location] }));
		for (uint32_t i = 1; i < hist->nr_members; i++)
			vec_push(&hist->others, ((struct sums){0}));
		if (h->locations.list.nr && is_unnamed(h, &h->locations.list.v[location]))
			hist->unnamed = true;
	}
	return &hist->entries.v[pos];
}

/* The frames of a chain into h->path, the innermost first. */
static void find_path(struct hists *h, uint32_t frame)
{
	h->path.nr = 0;
	for (; frame != ROOT; frame = h->frames.v[frame].parent)
		vec_push(&h->path, frame);
}

static bool is_wanted(const struct hists *h, uint32_t location, const bool *wanted)
{
	return !wanted || wanted[h->tuples.tuple_of_location.v[location]];
}

void hists_count_bucket(struct hists *h, const struct named_bucket *bucket, const bool *wanted, count_fn *count, void *ctx)
{
	struct hist *hist = hist_of(h, bucket->sample_tuple);
	bool caller_first = h->opts.tree.caller_first;
	struct entry *e;

	h->stamp++;
	if (is_wanted(h, bucket->location, wanted)) {
		e = entry_at(h, hist, bucket, bucket->location);
		e->stamp = h->stamp;
		count(h, bucket, e, caller_first ? ROOT : bucket->frame, ctx);
	}
	if (!h->opts.children)
		return;
	find_path(h, bucket->frame);
	for (size_t i = 0; i < h->path.nr; i++) {
		uint32_t frame = h->path.v[caller_first ? h->path.nr - 1 - i : i];

		if (!is_wanted(h, h->frames.v[frame].location, wanted))
			continue;
		e = entry_at(h, hist, bucket, h->frames.v[frame].location);
		if (e->stamp == h->stamp)
			continue;
		e->stamp = h->stamp;
		count(h, bucket, e, frame, ctx);
	}
}

/* How many frames are on the way from @from to the end of the chain. */
static uint32_t path_length(const struct hists *h, const struct named_bucket *bucket, uint32_t from)
{
	uint32_t depth = h->frames.v[bucket->frame].depth;

	if (!h->opts.tree.caller_first)
		return h->frames.v[from].depth;
	return from == ROOT ? depth : depth - h->frames.v[from].depth + 1;
}

struct rare_sums *hists_rare_sums(struct hists *h, struct sums *sums)
{
	if (!sums->rare) {
		sums->rare = xcalloc(1, sizeof(*sums->rare));
		vec_push(&h->rare, sums->rare);
	}
	return sums->rare;
}

uint64_t *hists_class_sums(struct hists *h, struct sums *sums)
{
	struct rare_sums *rare = hists_rare_sums(h, sums);

	if (!rare->classes)
		rare->classes = xcalloc(NR_DATA_SRC_CLASSES, sizeof(*rare->classes));
	return rare->classes;
}

static const struct cost_sums *cost_at(const struct hists *h, const struct named_bucket *bucket)
{
	return &h->costs.v[bucket - h->buckets.v];
}

static void add_own(struct hists *h, struct sums *sums, const struct named_bucket *bucket)
{
	add_saturated(&sums->period, bucket->period);
	sums->nr += bucket->nr;
	if (h->costs.nr) {
		for (unsigned i = 0; i < NR_WEIGHTS; i++)
			add_saturated(&hists_rare_sums(h, sums)->weights[i], cost_at(h, bucket)->weights[i]);
		for (unsigned i = 0; i < NR_BRANCH_SUMS; i++)
			add_saturated(&sums->rare->branches[i], cost_at(h, bucket)->branches[i]);
		add_saturated(&sums->rare->latency, cost_at(h, bucket)->latency);
		sums->rare->delay += cost_at(h, bucket)->delay;
	}
	if (layout_needs(&h->opts.layout) & NEED_MEM_CLASSES)
		for (unsigned i = 0; i < NR_DATA_SRC_KINDS; i++)
			add_saturated(&hists_class_sums(h, sums)[data_src_class(bucket->classes, i)], bucket->period);
	if (bucket->mode == PERF_RECORD_MISC_KERNEL)
		add_saturated(&sums->period_sys, bucket->period);
	else if (bucket->mode == PERF_RECORD_MISC_USER)
		add_saturated(&sums->period_us, bucket->period);
	else if (bucket->mode == PERF_RECORD_MISC_GUEST_KERNEL)
		add_saturated(&hists_rare_sums(h, sums)->period_guest_sys, bucket->period);
	else if (bucket->mode == PERF_RECORD_MISC_GUEST_USER)
		add_saturated(&hists_rare_sums(h, sums)->period_guest_us, bucket->period);
}

static void add_sums(struct hists *h, const struct named_bucket *bucket, struct entry *e, uint32_t from, void *ctx)
{
	bool *own = ctx;	/* the first call for a row is for its own entry */
	struct hist *hist = hist_of(h, bucket->sample_tuple);
	struct sums *sums = bucket->member ? &hist->others.v[hist_sums_index(hist, e, bucket->member)] : &e->sums;

	if (*own)
		add_own(h, sums, bucket);
	*own = false;
	add_saturated(&sums->children, bucket->period);
	if (h->costs.nr)
		add_saturated(&hists_rare_sums(h, sums)->latency_children, cost_at(h, bucket)->latency);
	/* The call graph is the leader's. */
	if (!bucket->member)
		e->depth = MAX(e->depth, path_length(h, bucket, from));
}

static void make_entries(struct hists *h)
{
	vec_for(bucket, &h->buckets) {
		bool own = true;

		hists_count_bucket(h, bucket, NULL, add_sums, &own);
	}
}

/* ---- the rows of a table ---- */

uint64_t hists_value(const struct hists *h, const struct entry *e, unsigned key)
{
	return tuples_value(&h->tuples, e->sample_tuple, e->location_tuple, key);
}

static bool symbol_matches(const struct hists *h, const struct entry *e)
{
	const struct layout *l = &h->opts.layout;

	for (unsigned i = 0; i < l->nr_keys; i++)
		if (str_eq(l->keys[i]->name, "symbol")) {
			const char *name = h->locations.list.v[hists_value(h, e, i)].name;

			return name && strstr(name, h->opts.symbol_filter);
		}
	return true;
}

static void sort_hist(struct hists *h, struct hist *hist)
{
	for (uint32_t i = 0; i < hist->entries.nr; i++) {
		const struct entry *e = &hist->entries.v[i];

		if (!h->opts.symbol_filter || symbol_matches(h, e)) {
			vec_push(&hist->sorted, i);
			continue;
		}
		for (uint32_t m = 0; m < hist->nr_members; m++) {
			struct event_total *total = &h->list.v[hist->leader + m].total;

			const struct sums *sums = hist_sums(hist, e, m);

			total->nr_out += sums->nr;
			add_saturated(&total->period_out, sums->period);
			add_saturated(&h->list.v[hist->leader + m].latency_out, sums->rare ? sums->rare->latency : 0);
		}
	}
	hists_sort(h, hist, hist->sorted.v, hist->sorted.nr);
}

/* ---- all of it ---- */

/* Which events are shown side by side: a leader and those after it in the table. */
static void find_groups(struct hists *h, const struct event_table *events)
{
	uint32_t nr = (uint32_t)h->list.nr, step;
	bool all = h->opts.forced && !h->opts.separate && !event_table_has_groups(events) && nr <= MAX_MEMBERS;

	for (uint32_t i = 0; i < nr; i += step) {
		const struct event *leader = h->list.v[i].event;

		step = all ? nr : !h->opts.separate && leader->nr_members <= MAX_MEMBERS ? MAX(leader->nr_members, 1) : 1;
		for (uint32_t m = 0; m < step; m++)
			h->list.v[i + m].leader = i;
		h->list.v[i].nr_members = step;
	}
}

struct hists *hists_new(struct session *s, const struct hists_opts *opts)
{
	struct hists *h = xcalloc(1, sizeof(*h));
	struct buckets buckets = {0};
	struct bucket_opts bucket = { .event = opts->event,
				.slot_ns = opts->slot_ns ? opts->slot_ns : HISTS_SLOT_NS, .slot_from = opts->slot_from,
				.max_depth = opts->max_depth, .filter = opts->filter,
				.branch_history = opts->branch_history,
				.count = opts->by_weight ? mem_weight : NULL };
	struct phase phase;
	struct detail_plan plan = { .layout = &h->opts.layout, .traces = opts->traces, .mem.machine = session_machine(s) };

	h->opts = *opts;
	/* Branches and addresses are of code; inlined functions have none of their own. */
	h->opts.self_inlined &= !opts->branches && !(layout_needs(&opts->layout) & NEED_OFFSET);
	h->opts.slot_ns = bucket.slot_ns;
	h->jobs = session_jobs(s);
	bucket.needs = (layout_needs(&opts->layout) & ~(unsigned)NEED_CHAIN) | (hists_want_names(h) ? NEED_ADDRESS : 0) |
		    (opts->chains ? NEED_CHAIN : 0) | (opts->branches ? NEED_BRANCH : 0) |
		    (opts->wanted_running ? NEED_RUNNING : 0);
	plan.needs = plan.mem.needs = bucket.needs;
	bucket.describe = detail_put;
	bucket.describe_ctx = &plan;
	bucket.describes_raw = (bucket.needs & NEED_DETAIL) == NEED_TRACE;
	bucket.queues = opts->queues;
	bucket.running = opts->running;
	bucket.wanted_running = opts->wanted_running;
	buckets_collect(&buckets, s, &bucket);
	phase = phase_begin();
	vec_for(event, &session_events(s)->events)
		vec_push(&h->list, ((struct hist){ .event = *event,
						  .latency = buckets.totals.v[(*event)->number].latency_out,
						  .latency_out = buckets.totals.v[(*event)->number].latency_out }));
	find_groups(h, session_events(s));
	hists_name_buckets(h, &buckets, &plan, s);
	phase_end(&phase, "naming");
	buckets_release(&buckets);
	make_entries(h);
	hists_rank(h);
	vec_for(hist, &h->list)
		sort_hist(h, hist);
	phase_end(&phase, "sorting");
	return h;
}

void hists_free(struct hists *h)
{
	if (!h)
		return;
	vec_for(hist, &h->list) {
		vec_free(&hist->entries);
		vec_free(&hist->others);
		vec_free(&hist->sorted);
	}
	vec_free(&h->list);
	vec_free(&h->buckets);
	vec_free(&h->costs);
	vec_for(rare, &h->rare) {
		free((*rare)->classes);
		free(*rare);
	}
	vec_free(&h->rare);
	index_release(&h->by_named_bucket);
	vec_free(&h->frames);
	index_release(&h->by_frame);
	hists_release_ranks(h);
	vec_free(&h->path);
	name_counts_release(&h->counts);
	tuples_release(&h->tuples);
	detail_context_release(&h->view);
	byte_table_release(&h->details);
	locations_release(&h->locations);
	free(h);
}

uint64_t hist_total(const struct hist *hist, bool relative)
{
	return hist->total.period - (relative ? hist->total.period_out : 0);
}

uint64_t hist_total_of(const struct hist *hist, const struct key *sum, bool relative)
{
	return sum->flags & KEY_LATENCY ? hist->latency - (relative ? hist->latency_out : 0) : hist_total(hist, relative);
}

/* As for perf: 99 %. */
bool hists_are_single(const struct hists *h)
{
	uint64_t nr = 0, single = 0;

	vec_for(hist, &h->list) {
		nr += hist->total.nr;
		single += hist->total.nr_single;
	}
	return single >= nr - nr / 100;
}

uint64_t hists_weight(const struct hists *h, const struct entry *e)
{
	return h->opts.children ? e->sums.children : e->sums.period;
}

void hists_findings(const struct hists *h, const struct session *s, struct findings *out)
{
	uint64_t no_chain = 0, nr = 0;

	vec_for(hist, &h->list) {
		no_chain += hist->total.nr_no_chain;
		nr += hist->total.nr;
		findings_add(out, FINDING_PERIOD_OVERFLOW, hist->total.period == UINT64_MAX, 0, hist->event->name);
	}
	name_counts_findings(&h->counts, s, h->opts.branches, out);
	if (!nr)
		session_without_samples(s, out);
	findings_add(out, FINDING_NO_CHAIN, no_chain, nr, NULL);
}
