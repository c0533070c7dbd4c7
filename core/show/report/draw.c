/*
 * Draws the call graphs below the rows of prec report: merges the call chains of each row's samples into a tree, and writes it as
 * text. table.c and hierarchy.c call it.
 */
#include "core/hists/hist.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/pool.h"

#define ROOT 0u
#define SLICE 4096	/* buckets that a thread takes at a time */

struct call_path { uint32_t bucket, from; };	/* a path below an entry: the chain of .bucket from frame .from on */

struct call_paths { VEC(struct call_path) list; };

struct searcher {			/* the state of a thread */
	struct hists part;
	struct call_paths *paths;	/* by draw.place: paths of the entry; NULL: the thread has not begun */
};

struct draw {
	struct hists *hists;
	const uint32_t *entries;
	const struct hist *hist;
	uint64_t total;
	struct searcher *searchers;	/* by thread */
	uint32_t nr_drawn;
	uint32_t *place;	/* by entry of the hist: its number among the entries that are drawn, or NOT_DRAWN */
	bool *drawn;		/* by location tuple: true if some entry with it is drawn */
	struct buf *out;
};

#define NOT_DRAWN UINT32_MAX

struct path_search { const struct draw *draw; struct searcher *by; };

static void add_path(struct hists *h, const struct named_bucket *bucket, struct entry *e, uint32_t from, void *ctx)
{
	const struct path_search *n = ctx;
	uint32_t place = n->draw->place[e - n->draw->hist->entries.v];

	if (place != NOT_DRAWN && bucket->frame != ROOT)
		vec_push(&n->by->paths[place].list, ((struct call_path){ (uint32_t)(bucket - h->buckets.v), from }));
}

static void search_slice(void *ctx, unsigned worker, size_t slice)
{
	const struct draw *d = ctx;
	const struct hists *h = d->hists;
	struct path_search n = { d, &d->searchers[worker] };
	size_t end = MIN((slice + 1) * SLICE, h->buckets.nr);

	if (!n.by->paths) {
		n.by->paths = xcalloc(MAX(d->nr_drawn, 1), sizeof(*n.by->paths));
		n.by->part = hists_part(h, true);
	}
	for (size_t i = slice * SLICE; i < end; i++) {
		const struct named_bucket *bucket = &h->buckets.v[i];

		if (!bucket->member && &h->list.v[tuples_event(&h->tuples, bucket->sample_tuple)] == d->hist)
			hists_count_bucket(&n.by->part, bucket, d->drawn, add_path, &n);
	}
}

/* The location that stands for a frame in the tree: that of the whole function, if no line is known. */
static uint32_t location_of(const struct hists *h, uint32_t frame)
{
	uint32_t number = h->frames.v[frame].location;
	const struct location *location = &h->locations.list.v[number];
	enum tree_key key = h->opts.tree.key;

	bool exact = key == TREE_BY_ADDRESS || (key == TREE_BY_LINE && locations_know_line(&h->locations, location));

	return exact ? number : location->function;
}

/* The locations of a path as the tree has them, from the first to the last. */
static size_t locations_of_path(const struct hists *h, const struct call_path *c, uint32_t *path)
{
	bool caller_first = h->opts.tree.caller_first;
	size_t nr = 0;

	for (uint32_t f = caller_first ? h->buckets.v[c->bucket].frame : c->from; f != ROOT; f = h->frames.v[f].parent) {
		path[nr++] = location_of(h, f);
		if (caller_first && f == c->from)
			break;
	}
	for (size_t i = 0; caller_first && i < nr / 2; i++) {
		uint32_t swap = path[i];

		path[i] = path[nr - 1 - i];
		path[nr - 1 - i] = swap;
	}
	return nr;
}

static void draw_one(void *ctx, unsigned worker, size_t i)
{
	struct draw *d = ctx;
	const struct hists *h = d->hists;
	const struct entry *e = &d->hist->entries.v[d->entries[i]];
	struct tree_scale scale = { .total = d->total, .entry = hists_weight(h, e), .skip_first = h->opts.layout.symbol_first };
	struct call_tree tree = {0};
	uint32_t place = d->place[d->entries[i]];
	VEC(uint32_t) path = {0};

	for (unsigned t = 0; place != NOT_DRAWN && t < h->jobs; t++) {
		if (!d->searchers[t].paths)
			continue;
		vec_for(c, &d->searchers[t].paths[place].list) {
			const struct named_bucket *bucket = &h->buckets.v[c->bucket];

			vec_reserve(&path, h->frames.v[bucket->frame].depth);
			call_tree_add(&tree, path.v, locations_of_path(h, c, path.v), bucket->period, bucket->nr);
		}
	}
	call_tree_print(&tree, &h->locations, &h->opts.tree, &scale, &d->out[i]);
	call_tree_release(&tree);
	vec_free(&path);
}

/* True if anything below @e can be above the threshold. */
static bool worth_drawing(const struct hists *h, const struct entry *e, uint64_t total)
{
	return h->opts.tree.form == TREE_FRACTAL ||
	       hists_weight(h, e) >= (uint64_t)((double)total * h->opts.tree.min_percent / 100);
}

static void release_searcher(const struct draw *d, struct searcher *n)
{
	if (!n->paths)
		return;
	for (uint32_t i = 0; i < d->nr_drawn; i++)
		vec_free(&n->paths[i].list);
	free(n->paths);
	hists_part_release(&n->part);
}

/*
 * First searches all buckets (sums of equal samples, core/hists/bucket.h) once for the call chains of the entries that are printed.
 * Then merges and writes the chains of each entry, in parallel for all entries.
 */
void hists_draw(struct hists *h, const struct hist *hist, const uint32_t *entries, size_t nr, uint64_t total,
		struct buf *out)
{
	struct draw d = { .hists = h, .entries = entries, .hist = hist, .total = total, .out = out };

	if (!h->opts.chains || h->opts.tree.form == TREE_NONE || !nr)
		return;
	d.place = xmalloc(hist->entries.nr * sizeof(*d.place));
	d.drawn = xcalloc(h->tuples.nr_location_tuples, sizeof(*d.drawn));
	d.searchers = xcalloc(h->jobs, sizeof(*d.searchers));
	memset(d.place, 0xff, hist->entries.nr * sizeof(*d.place));
	for (uint32_t i = 0; i < nr; i++)
		if (worth_drawing(h, &hist->entries.v[entries[i]], total)) {
			d.place[entries[i]] = d.nr_drawn++;
			d.drawn[hist->entries.v[entries[i]].location_tuple] = true;
		}
	pool_run(h->jobs, (h->buckets.nr + SLICE - 1) / SLICE, search_slice, &d);
	pool_run(h->jobs, nr, draw_one, &d);
	for (unsigned t = 0; t < h->jobs; t++)
		release_searcher(&d, &d.searchers[t]);
	free(d.searchers);
	free(d.place);
	free(d.drawn);
}
