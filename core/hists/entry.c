/*
 * Makes the entries (rows) of a report from buckets (sums of equal samples, bucket.h), after their addresses were resolved to
 * symbols. With --children, it also adds each bucket to the entries of its callers.
 */
#include "core/hists/hist.h"

#include <stdlib.h>

#include "core/base/pool.h"
#include "core/base/unite.h"
#include "core/base/util.h"

#define ROOT 0u

void sums_add(struct sums *into, const struct sums *from)
{
	struct rare_sums *rare = into->rare;
	const struct rare_sums *other = from->rare;

	add_saturated(&into->period, from->period);
	into->nr += from->nr;
	add_saturated(&into->children, from->children);
	add_saturated(&into->period_sys, from->period_sys);
	add_saturated(&into->period_us, from->period_us);
	if (!other)
		return;
	add_saturated(&rare->period_guest_sys, other->period_guest_sys);
	add_saturated(&rare->period_guest_us, other->period_guest_us);
	cost_sums_add(&rare->cost, &other->cost);
	add_saturated(&rare->latency_children, other->latency_children);
	for (size_t i = 0; other->classes && i < NR_DATA_SRC_CLASSES; i++)
		add_saturated(&rare->classes[i], other->classes[i]);
}

static struct hist *hist_of(struct hists *h, uint32_t sample_tuple)
{
	return &h->list.v[tuples_event(&h->tuples, sample_tuple)];
}

/* True if the location is unresolved. If only files were looked up, it lacks a file, else a name. */
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
		vec_push(&hist->stamps, 0);
		for (uint32_t i = 1; i < hist->nr_members; i++)
			vec_push(&hist->others, ((struct sums){0}));
		if (h->locations.list.nr && is_unnamed(h, &h->locations.list.v[location]))
			hist->unnamed = true;
	}
	return &hist->entries.v[pos];
}

/* Stores the frames of a chain in h->path, the innermost first. */
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

/* Marks an entry as counted for the current bucket. Returns false if it was marked already. */
static bool stamp(const struct hists *h, struct hist *hist, const struct entry *e)
{
	uint32_t *last = &hist->stamps.v[e - hist->entries.v];

	if (*last == h->stamp)
		return false;
	*last = h->stamp;
	return true;
}

void hists_count_bucket(struct hists *h, const struct named_bucket *bucket, const bool *wanted, count_fn *count, void *ctx)
{
	struct hist *hist = hist_of(h, bucket->sample_tuple);
	bool caller_first = h->opts.tree.caller_first;
	struct entry *e;

	h->stamp++;
	if (is_wanted(h, bucket->location, wanted)) {
		e = entry_at(h, hist, bucket, bucket->location);
		stamp(h, hist, e);
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
		if (stamp(h, hist, e))
			count(h, bucket, e, frame, ctx);
	}
}

/* The number of frames from @from to the end of the chain. */
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
	if (h->costs.nr)
		cost_sums_add(&hists_rare_sums(h, sums)->cost, cost_at(h, bucket));
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
	/* The depth is that of the call graph, which shows only the leader of a group. */
	if (!bucket->member)
		e->depth = MAX(e->depth, path_length(h, bucket, from));
}

static void count_buckets(struct hists *h, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		bool own = true;

		hists_count_bucket(h, &h->buckets.v[i], NULL, add_sums, &own);
	}
}

/* ---- by several threads ---- */

#define SLICE 4096	/* buckets that a thread takes at a time */

struct hists hists_part(const struct hists *h, bool entries)
{
	struct hists part = *h;

	part.list.v = xcalloc(MAX(h->list.nr, 1), sizeof(*part.list.v));
	for (size_t i = 0; i < h->list.nr; i++) {
		struct hist *hist = &part.list.v[i];

		*hist = h->list.v[i];
		hist->stamps.v = entries ? xcalloc(MAX(hist->entries.nr, 1), sizeof(*hist->stamps.v)) : NULL;
		hist->stamps.nr = hist->stamps.cap = entries ? hist->entries.nr : 0;
		if (entries)
			continue;
		hist->entries.v = NULL;
		hist->others.v = NULL;
		hist->entries.nr = hist->entries.cap = hist->others.nr = hist->others.cap = 0;
	}
	part.rare.v = NULL;
	part.path.v = NULL;
	part.rare.nr = part.rare.cap = part.path.nr = part.path.cap = 0;
	part.stamp = 0;
	tuples_part(&part.tuples, &h->tuples, entries);
	return part;
}

void hists_part_release(struct hists *part)
{
	vec_for(hist, &part->list)
		vec_free(&hist->stamps);
	free(part->list.v);
	vec_free(&part->path);
	tuples_part_release(&part->tuples);
}

struct counting { const struct hists *hists; struct hists *parts; bool *begun; };	/* parts: by thread */

static void count_slice(void *ctx, unsigned worker, size_t slice)
{
	struct counting *c = ctx;

	if (!c->begun[worker])
		c->parts[worker] = hists_part(c->hists, false);
	c->begun[worker] = true;
	count_buckets(&c->parts[worker], slice * SLICE, MIN((slice + 1) * SLICE, c->hists->buckets.nr));
}

/* Adds the sums of @from to @into. May move the rare part of @from to @into. */
static void join_sums(struct sums *into, const struct sums *from)
{
	struct sums rest = *from;

	if (rest.rare && !into->rare) {
		into->rare = rest.rare;
		rest.rare = NULL;
	}
	if (rest.rare && rest.rare->classes && !into->rare->classes)
		into->rare->classes = xcalloc(NR_DATA_SRC_CLASSES, sizeof(*into->rare->classes));
	sums_add(into, &rest);
}

/* Merges the entries that the threads made for one event. .parts are the threads' copies of struct hists. */
struct uniting { struct hists *parts; size_t event; };

static struct hist *part_hist(const struct uniting *u, uint32_t part)
{
	return &u->parts[part].list.v[u->event];
}

static struct entry *entry_of(const struct uniting *u, struct unite_item item)
{
	return &part_hist(u, item.table)->entries.v[item.place];
}

static uint64_t hash_entry(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	const struct entry *e = entry_of(ctx, item);

	return hash_pair(e->sample_tuple, e->location_tuple);
}

static bool same_entry(const void *ctx, struct unite_item a, struct unite_item b)
{
	const struct entry *x = entry_of(ctx, a), *y = entry_of(ctx, b);

	return x->sample_tuple == y->sample_tuple && x->location_tuple == y->location_tuple;
}

static const void *address_of_entry(const void *ctx, struct unite_item item)
{
	return entry_of(ctx, item);
}

static void add_entry(void *ctx, struct unite_item first, struct unite_item item)
{
	const struct uniting *u = ctx;
	struct entry *into = entry_of(u, first);
	const struct entry *e = entry_of(u, item);
	uint32_t members = part_hist(u, item.table)->nr_members;

	into->depth = MAX(into->depth, e->depth);
	join_sums(&into->sums, &e->sums);
	for (uint32_t m = 1; m < members; m++)
		join_sums(&part_hist(u, first.table)->others.v[hist_sums_index(part_hist(u, first.table), into, m)],
			  hist_sums(part_hist(u, item.table), e, m));
}

static void copy_entries(struct hists *h, struct uniting *u, const struct united *united)
{
	struct hist *hist = &h->list.v[u->event];

	for (uint32_t p = 0; p < united->nr_tables; p++) {
		struct hist *from = part_hist(u, p);
		uint32_t next = united->from[p];

		hist->unnamed |= from->unnamed;
		for (uint32_t i = 0; i < from->entries.nr; i++) {
			const struct entry *e = &from->entries.v[i];

			if (!united_is_first(united, (struct unite_item){ p, i }, &next))
				continue;
			tuples_note_entry(&h->tuples, e->sample_tuple, e->location_tuple, (uint32_t)hist->entries.nr);
			vec_push(&hist->entries, *e);
			for (uint32_t m = 1; m < hist->nr_members; m++)
				vec_push(&hist->others, *hist_sums(from, e, m));
		}
		vec_free(&from->entries);
		vec_free(&from->others);
	}
}

static void unite_event(struct hists *h, struct hists *parts, size_t nr_parts, size_t event)
{
	static const struct unite_ops ops = {
		.hash = hash_entry, .equal = same_entry, .address = address_of_entry, .add = add_entry,
	};
	struct uniting u = { .parts = parts, .event = event };
	size_t *nr = xcalloc(MAX(nr_parts, 1), sizeof(*nr));
	struct united united;

	for (size_t p = 0; p < nr_parts; p++)
		nr[p] = parts[p].list.v[event].entries.nr;
	unite(&united, h->jobs, nr_parts, nr, &ops, &u);
	copy_entries(h, &u, &united);
	united_release(&united);
	free(nr);
}

/* Each thread makes its own entries, which are merged afterwards. */
static void make_in_parts(struct hists *h)
{
	struct counting c = { .hists = h, .parts = xcalloc(h->jobs, sizeof(*c.parts)), .begun = xcalloc(h->jobs, 1) };
	size_t nr = 0;

	pool_run(h->jobs, (h->buckets.nr + SLICE - 1) / SLICE, count_slice, &c);
	for (unsigned i = 0; i < h->jobs; i++)
		if (c.begun[i])
			c.parts[nr++] = c.parts[i];
	for (size_t i = 0; i < h->list.nr; i++)
		unite_event(h, c.parts, nr, i);
	for (size_t i = 0; i < nr; i++) {
		vec_append(&h->rare, &c.parts[i].rare);
		vec_free(&c.parts[i].rare);
		hists_part_release(&c.parts[i]);
	}
	free(c.parts);
	free(c.begun);
}

/* Uses several threads only with call chains. Without them, merging the threads' entries takes as long as counting them. */
void hists_make_entries(struct hists *h)
{
	if (h->opts.children && h->jobs > 1 && h->buckets.nr > 2 * SLICE)
		make_in_parts(h);
	else
		count_buckets(h, 0, h->buckets.nr);
}
