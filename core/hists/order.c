/*
 * Sorts the rows (entries) of a report, by the columns of -s and -F. entry.c makes the rows, and core/show/report prints them in
 * this order.
 */
#include "core/hists/hist.h"

#include <string.h>

#include "core/base/radix.h"

/* ---- ranks ---- */

struct ranking {
	const struct key *key;
	const struct key_context *view;
	const struct tuples *tuples;
	unsigned number;	/* of the key, in layout.keys */
	bool last;		/* compare by key_last_order(), else by key_order() */
};

static uint64_t prefix_of(const struct ranking *r, uint64_t value, unsigned word)
{
	uint64_t (*prefix)(const struct key_context *v, uint64_t value, unsigned word) =
		r->last ? r->key->last_prefix : r->key->prefix;

	return prefix ? prefix(r->view, value, word) : 0;
}

static int compare_values(const void *pa, const void *pb, void *ranking)
{
	const struct ranking *r = ranking;
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return r->last ? key_last_order(r->key, r->view, a, b) : key_order(r->key, r->view, a, b);
}

/* The number of tuples with values of the key. Without locations there is one location tuple, which has no values. */
static uint32_t nr_tuples(const struct ranking *r)
{
	if (r->key->flags & KEY_BY_ADDRESS)
		return r->tuples->location_values.nr ? r->tuples->nr_location_tuples : 0;
	return r->tuples->nr_sample_tuples;
}

/* The tuples, sorted by value. Owned by the caller. */
static struct radix_item *sort_by_value(const struct ranking *r, uint32_t nr)
{
	struct radix_item *items = xmalloc(MAX(nr, 1) * sizeof(*items));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ .low = tuples_value(r->tuples, i, i, r->number), .number = i };
	radix_sort(items, nr);
	return items;
}

static bool in_order(const struct ranking *r, const uint64_t *values, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (compare_values(&values[i - 1], &values[i], (void *)(uintptr_t)r) > 0)
			return false;
	return true;
}

static void sort_same_prefix(const struct ranking *r, uint64_t *values, size_t nr)
{
	if (!in_order(r, values, nr))
		qsort_r(values, nr, sizeof(*values), compare_values, (void *)(uintptr_t)r);
}

static bool same_prefix(const struct radix_item *a, const struct radix_item *b)
{
	return a->high == b->high && a->low == b->low;
}

/* Sorts distinct values, which are in ascending order of numbers, by prefix, and values with equal prefixes by comparison. */
static void sort_values(const struct ranking *r, uint64_t *values, uint32_t nr)
{
	struct radix_item *items = xmalloc(MAX(nr, 1) * sizeof(*items));
	uint64_t *unsorted = xmalloc(MAX(nr, 1) * sizeof(*unsorted));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ prefix_of(r, values[i], 0), prefix_of(r, values[i], 1), i };
	radix_sort(items, nr);
	memcpy(unsorted, values, nr * sizeof(*values));
	for (uint32_t i = 0; i < nr; i++)
		values[i] = unsorted[items[i].number];
	for (uint32_t from = 0, to; from < nr; from = to) {
		for (to = from + 1; to < nr && same_prefix(&items[from], &items[to]);)
			to++;
		sort_same_prefix(r, values + from, to - from);
	}
	free(items);
	free(unsorted);
}

/* The rank of each of @nr values in order; equal ones have equal ranks. As items by value: .low, .number. Owned by the caller. */
static struct radix_item *ranks_by_value(const struct ranking *r, const uint64_t *values, uint32_t nr)
{
	struct radix_item *ranks = xmalloc(MAX(nr, 1) * sizeof(*ranks));
	uint32_t rank = 0;

	for (uint32_t i = 0; i < nr; i++) {
		rank += i && compare_values(&values[i - 1], &values[i], (void *)(uintptr_t)r);
		ranks[i] = (struct radix_item){ .low = values[i], .number = rank };
	}
	radix_sort(ranks, nr);
	return ranks;
}

/* The rank of each tuple by its value. Many tuples have the same name, which is compared only once. Owned by the caller. */
static uint32_t *rank_sorted(const struct ranking *r, uint32_t nr)
{
	uint32_t *ranks = xmalloc(MAX(nr, 1) * sizeof(*ranks)), nr_values = 0, at = 0;
	uint64_t *values = xmalloc(MAX(nr, 1) * sizeof(*values));
	struct radix_item *tuples = sort_by_value(r, nr), *ranked;

	for (uint32_t i = 0; i < nr; i++)
		if (!i || tuples[i].low != tuples[i - 1].low)
			values[nr_values++] = tuples[i].low;
	sort_values(r, values, nr_values);
	ranked = ranks_by_value(r, values, nr_values);
	for (uint32_t i = 0; i < nr; i++) {
		at += i && tuples[i].low != tuples[i - 1].low;
		ranks[tuples[i].number] = ranked[at].number;
	}
	free(values);
	free(tuples);
	free(ranked);
	return ranks;
}

/* As above, for values up to @most, if these are not many more than tuples: a table replaces the sorting. */
static uint32_t *rank_by_table(const struct ranking *r, uint32_t nr, uint64_t most)
{
	uint32_t *ranks = xmalloc(nr * sizeof(*ranks)), nr_values = 0, rank = 0;
	uint32_t *of_value = xcalloc(most + 1, sizeof(*of_value));
	uint64_t *values = xmalloc(nr * sizeof(*values));

	for (uint32_t i = 0; i < nr; i++)
		of_value[tuples_value(r->tuples, i, i, r->number)] = 1;
	for (uint64_t value = 0; value <= most; value++)
		if (of_value[value])
			values[nr_values++] = value;
	sort_values(r, values, nr_values);
	for (uint32_t i = 0; i < nr_values; i++) {
		rank += i && compare_values(&values[i - 1], &values[i], (void *)(uintptr_t)r);
		of_value[values[i]] = rank;
	}
	for (uint32_t i = 0; i < nr; i++)
		ranks[i] = of_value[tuples_value(r->tuples, i, i, r->number)];
	free(values);
	free(of_value);
	return ranks;
}

static uint32_t *rank_tuples(const struct ranking *r)
{
	uint32_t nr = nr_tuples(r);
	uint64_t most = 0;

	for (uint32_t i = 0; i < nr; i++)
		most = MAX(most, tuples_value(r->tuples, i, i, r->number));
	return nr && most < 4ull * nr ? rank_by_table(r, nr, most) : rank_sorted(r, nr);
}

/* Replaces each name by its rank, so that names are compared only for the ranks, and not for every pair of entries. */
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

/* Each entry is turned into a row of 64-bit words, which are compared one after the other. */
struct word_rows {
	const struct hists *hists;
	const struct hist *hist;
	unsigned first_key, end_key;	/* range in layout.keys of the keys by which rows are sorted */
	uint64_t *words;		/* those of the row that is being made */
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

	put_word(r, ~key_sum(k, hist_sums(r->hist, e, first)));
	if (!(k->flags & KEY_CHILDREN)) {
		for (uint32_t i = 0; nr > 1 && i < nr; i++)
			put_word(r, ~key_sum(k, hist_sums(r->hist, e, i)));
		return;
	}
	/* Callers are sorted by the counts of the group's leader. Among equal counts, a caller comes before its callees. */
	if (h->opts.tree.form != TREE_NONE)
		put_word(r, h->opts.tree.caller_first ? ~(uint64_t)e->depth : e->depth);
}

static uint32_t rank_of(const struct hists *h, const struct entry *e, unsigned key, const uint32_t *ranks)
{
	return ranks[h->opts.layout.keys[key]->flags & KEY_BY_ADDRESS ? e->location_tuple : e->sample_tuple];
}

/* Writes the keys of -s and -F, and then tie-breakers. */
static void put_row(struct word_rows *r, const struct entry *e)
{
	const struct layout *l = &r->hists->opts.layout;
	bool done[MAX_COLUMNS] = {0};

	r->width = 0;
	for (unsigned i = 0; i < l->nr_order; i++) {
		if (key_is_sum(l->order[i])) {
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

static void sort_entries(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr, unsigned first_key,
			 unsigned end_key)
{
	struct word_rows r = { .hists = h, .hist = hist, .first_key = first_key, .end_key = end_key };
	uint32_t *unsorted = xmalloc(MAX(nr, 1) * sizeof(*unsorted));
	struct radix_item *items;
	uint64_t *all;

	if (nr)
		put_row(&r, &hist->entries.v[entries[0]]);	/* computes the width */
	all = xmalloc(MAX(nr * r.width, 1) * sizeof(*all));
	for (uint32_t i = 0; i < nr; i++) {
		r.words = all + (size_t)i * r.width;
		unsorted[i] = entries[i];
		put_row(&r, &hist->entries.v[entries[i]]);
	}
	items = radix_sort_rows(&(struct radix_rows){ all, nr, r.width * sizeof(*all), r.width, NULL });
	for (size_t i = 0; i < nr; i++)
		entries[i] = unsorted[items[i].number];
	free(all);
	free(unsorted);
	free(items);
}

void hists_sort(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr)
{
	sort_entries(h, hist, entries, nr, 0, h->opts.layout.nr_keys);
}

void hists_sort_by(const struct hists *h, const struct hist *hist, uint32_t *entries, size_t nr, unsigned key)
{
	sort_entries(h, hist, entries, nr, key, key + 1);
}
