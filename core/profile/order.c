/*
 * The order of entries: each becomes a row of words, the first that differs decides, the smaller word stands first. Names are
 * compared once for each name and not for each pair of entries: what a row has of a key is the rank of its value.
 * Layer: profile
 */
#include "core/profile/hist.h"

#include <string.h>

#include "core/base/radix.h"

/* ---- ranks ---- */

struct rank_value { uint64_t value, prefix; uint32_t number; };

struct ranking {
	const struct key *key;
	const struct view *view;
	const struct tuples *tuples;
	unsigned number;	/* of the key, in layout.keys */
	bool last;		/* by key_last_order() */
};

static struct rank_value rank_value_of(const struct ranking *r, uint32_t number)
{
	uint64_t (*prefix)(const struct view *v, uint64_t value) = r->last ? r->key->last_prefix : r->key->prefix;
	uint64_t value = tuples_value(r->tuples, number, number, r->number);

	return (struct rank_value){ value, prefix ? prefix(r->view, value) : 0, number };
}

static int compare_tuples(const void *pa, const void *pb, void *ranking)
{
	const struct ranking *r = ranking;
	const struct rank_value *a = pa, *b = pb;

	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return r->last ? key_last_order(r->key, r->view, a->value, b->value) : key_order(r->key, r->view, a->value, b->value);
}

/* Where there are no locations, one group stands for none, and has no values. */
static uint32_t nr_tuples(const struct ranking *r)
{
	if (r->key->flags & KEY_BY_ADDRESS)
		return r->tuples->location_values.nr ? r->tuples->nr_location_tuples : 0;
	return r->tuples->nr_sample_tuples;
}

/* By prefix, as numbers; only what has the same is compared. Owned by the caller. */
static struct rank_value *sort_tuples(const struct ranking *r, uint32_t nr)
{
	struct rank_value *sorted = xmalloc(MAX(nr, 1) * sizeof(*sorted));
	struct radix_item *items = xmalloc(MAX(nr, 1) * sizeof(*items));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ .high = rank_value_of(r, i).prefix, .number = i };
	radix_sort(items, nr);
	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = rank_value_of(r, items[i].number);
	free(items);
	for (uint32_t from = 0, to; from < nr; from = to) {
		for (to = from + 1; to < nr && sorted[to].prefix == sorted[from].prefix;)
			to++;
		if (to - from > 1)
			qsort_r(sorted + from, to - from, sizeof(*sorted), compare_tuples, (void *)(uintptr_t)r);
	}
	return sorted;
}

/* The rank of each tuple by its value; equal ones have equal ranks. Owned by the caller. */
static uint32_t *rank_tuples(const struct ranking *r)
{
	uint32_t nr = nr_tuples(r), rank = 0;
	struct rank_value *sorted = sort_tuples(r, nr);
	uint32_t *ranks = xmalloc(MAX(nr, 1) * sizeof(*ranks));

	for (uint32_t i = 0; i < nr; i++) {
		rank += i && compare_tuples(&sorted[i - 1], &sorted[i], (void *)(uintptr_t)r);
		ranks[sorted[i].number] = rank;
	}
	free(sorted);
	return ranks;
}

void hists_rank(struct hists *h)
{
	const struct layout *l = &h->opts.layout;

	for (unsigned i = 0; i < l->nr_keys; i++) {
		struct ranking r = { .key = l->keys[i], .view = &h->view, .tuples = &h->tuples, .number = i };

		h->ranks[i].order = rank_tuples(&r);
		r.last = true;
		h->ranks[i].last = l->keys[i]->last_order ? rank_tuples(&r) : NULL;
	}
}

void hists_release_ranks(struct hists *h)
{
	for (unsigned i = 0; i < h->opts.layout.nr_keys; i++) {
		free(h->ranks[i].order);
		free(h->ranks[i].last);
	}
}

/* ---- rows of words ---- */

struct word_rows {
	const struct hists *hists;
	const struct hist *hist;
	unsigned first_key, end_key;	/* of layout.keys: those that count */
	uint64_t *words;		/* of the row being made */
	unsigned width;
};

static void put_word(struct word_rows *r, uint64_t word)
{
	if (r->words)
		r->words[r->width] = word;
	r->width++;
}

static void put_sum(struct word_rows *r, const struct key *k, const struct entry *e)
{
	const struct hists *h = r->hists;
	uint32_t nr = r->hist->nr_members, first = h->opts.first_member < nr ? h->opts.first_member : 0;

	put_word(r, ~k->sum(hist_sums(r->hist, e, first)));
	if (!(k->flags & KEY_CHILDREN)) {
		for (uint32_t i = 0; nr > 1 && i < nr; i++)
			put_word(r, ~k->sum(hist_sums(r->hist, e, i)));
		return;
	}
	/* Callers go by what the leader counts there; of equal weights, the caller stands above what it calls. */
	if (h->opts.tree.form != TREE_NONE)
		put_word(r, h->opts.tree.caller_first ? ~(uint64_t)e->depth : e->depth);
}

static uint32_t rank_of(const struct hists *h, const struct entry *e, unsigned key, const uint32_t *ranks)
{
	return ranks[h->opts.layout.keys[key]->flags & KEY_BY_ADDRESS ? e->location_tuple : e->sample_tuple];
}

/* What -s and -F ask for, and then all that still tells two entries apart. */
static void put_row(struct word_rows *r, const struct entry *e)
{
	const struct layout *l = &r->hists->opts.layout;
	bool done[MAX_COLUMNS] = {0};

	r->width = 0;
	for (unsigned i = 0; i < l->nr_order; i++) {
		if (l->order[i]->sum) {
			put_sum(r, l->order[i], e);
			continue;
		}
		for (unsigned k = r->first_key; k < r->end_key; k++)
			if (l->keys[k] == l->order[i]) {
				put_word(r, rank_of(r->hists, e, k, r->hists->ranks[k].order));
				done[k] = true;
			}
	}
	for (unsigned k = r->first_key; k < r->end_key; k++)
		if (r->hists->ranks[k].last || !done[k])
			put_word(r, rank_of(r->hists, e, k, r->hists->ranks[k].last ? r->hists->ranks[k].last :
								    r->hists->ranks[k].order));
}

/* ---- sorting ---- */

struct sort_row { uint64_t first; uint32_t entry, row; };	/* first: the first word, which mostly decides */

struct sort_words { const uint64_t *words; unsigned width; };

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct sort_row *a = pa, *b = pb;
	const struct sort_words *s = ctx;
	const uint64_t *x, *y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	x = s->words + (size_t)a->row * s->width;
	y = s->words + (size_t)b->row * s->width;
	for (unsigned i = 0; i < s->width; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* What the words of rows are where each takes no more bits than its values differ in. */
struct packing { uint64_t least[2 * MAX_COLUMNS + 1]; unsigned bits[2 * MAX_COLUMNS + 1]; };

/* False: all of them take more than 128. */
static bool find_packing(const uint64_t *words, unsigned width, size_t nr, struct packing *p)
{
	unsigned sum = 0;

	if (width > ARRAY_SIZE(p->bits))
		return false;
	for (unsigned k = 0; k < width; k++) {
		uint64_t least = UINT64_MAX, most = 0;

		for (size_t i = 0; i < nr; i++) {
			least = MIN(least, words[i * width + k]);
			most = MAX(most, words[i * width + k]);
		}
		p->least[k] = least;
		p->bits[k] = most > least ? 64 - (unsigned)__builtin_clzll(most - least) : 0;
		sum += p->bits[k];
	}
	return sum <= 128;
}

static struct radix_item packed_row(const struct packing *p, const uint64_t *words, unsigned width)
{
	unsigned __int128 v = 0;

	for (unsigned k = 0; k < width; k++)
		v = v << p->bits[k] | (words[k] - p->least[k]);
	return (struct radix_item){ .high = (uint64_t)(v >> 64), .low = (uint64_t)v };
}

/* False: that is not possible. */
static bool sort_packed(const struct sort_words *words, uint32_t *entries, size_t nr)
{
	struct radix_item *items;
	struct packing p;

	if (!find_packing(words->words, words->width, nr, &p))
		return false;
	items = xmalloc(MAX(nr, 1) * sizeof(*items));
	for (size_t i = 0; i < nr; i++) {
		items[i] = packed_row(&p, words->words + i * words->width, words->width);
		items[i].number = entries[i];
	}
	radix_sort(items, nr);
	for (size_t i = 0; i < nr; i++)
		entries[i] = items[i].number;
	free(items);
	return true;
}

static void sort_compared(struct sort_words *words, uint32_t *entries, size_t nr)
{
	struct sort_row *rows = xmalloc(MAX(nr, 1) * sizeof(*rows));

	for (uint32_t i = 0; i < nr; i++)
		rows[i] = (struct sort_row){ words->width ? words->words[(size_t)i * words->width] : 0, entries[i], i };
	if (nr)
		qsort_r(rows, nr, sizeof(*rows), compare_rows, words);
	for (size_t i = 0; i < nr; i++)
		entries[i] = rows[i].entry;
	free(rows);
}

static void sort_entries(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr, unsigned first_key,
			 unsigned end_key)
{
	struct word_rows r = { .hists = h, .hist = hist, .first_key = first_key, .end_key = end_key };
	struct sort_words words;
	uint64_t *all;

	if (nr)
		put_row(&r, &hist->entries.v[entries[0]]);	/* how wide? */
	all = xmalloc(MAX(nr * r.width, 1) * sizeof(*all));
	for (uint32_t i = 0; i < nr; i++) {
		r.words = all + (size_t)i * r.width;
		put_row(&r, &hist->entries.v[entries[i]]);
	}
	words = (struct sort_words){ all, r.width };
	if (!sort_packed(&words, entries, nr))
		sort_compared(&words, entries, nr);
	free(all);
}

void hists_sort(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr)
{
	sort_entries(h, hist, entries, nr, 0, h->opts.layout.nr_keys);
}

void hists_sort_by(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr, unsigned key)
{
	sort_entries(h, hist, entries, nr, key, key + 1);
}
