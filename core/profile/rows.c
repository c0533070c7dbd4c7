/*
 * Chooses the columns of a report table, and finds the text or the number in each cell, for the text report and the row formats
 * of prec export.
 */
#include "core/profile/rows.h"

#include "core/hists/trace_key.h"

/* True if an entry has samples in @part, which is a part of a total, such as one cpumode. Other parts get no column. */
static bool part_counts(const struct rows *r, const struct key *part)
{
	vec_for(e, &r->hist->entries)
		for (uint32_t m = 0; m < r->hist->nr_members; m++)
			if (key_sum(part, hist_sums(r->hist, e, m)))
				return true;
	return false;
}

/* True if the report has a column for @k. Parts without samples have none, nor have fields of other events' tracepoints. */
static bool has_column(const struct rows *r, const struct key *k)
{
	if (k->heading)
		return part_counts(r, k);
	if (!k->column)
		return true;
	for (uint32_t m = 0; m < r->hist->nr_members; m++)
		if (trace_keys_has(r->hists->opts.traces, k, r->hist->leader + m))
			return true;
	return false;
}

static enum row_cell cell_of(const struct key *k)
{
	return !key_is_sum(k) ? ROW_TEXT : k->of ? ROW_RATIO : k->flags & KEY_PERCENT ? ROW_SHARE :
	       k->flags & KEY_AVERAGE ? ROW_AVERAGE : k->flags & KEY_AMOUNT ? ROW_AMOUNT : ROW_COUNT;
}

static void add_column(struct rows *r, const struct key *k)
{
	const struct layout *l = &r->hists->opts.layout;
	struct row_column *c = &r->columns[r->nr_columns++];

	*c = (struct row_column){ .key = k, .cell = cell_of(k) };
	for (unsigned i = 0; i < l->nr_keys; i++)
		if (l->keys[i] == k)
			c->value = i;
}

void rows_init(struct rows *r, struct hists *h, const struct hist *hist, bool relative, bool empty)
{
	const struct layout *l = &h->opts.layout;

	*r = (struct rows){ .hists = h, .hist = hist, .relative = relative };
	for (uint32_t m = 0; m < hist->nr_members; m++)
		if (hist->nr_members == 1 || empty || hist_member(h, hist, m)->total.nr)
			vec_push(&r->members, m);
	for (unsigned i = 0; i < l->nr_columns; i++)
		if (has_column(r, l->columns[i]))
			add_column(r, l->columns[i]);
}

void rows_release(struct rows *r)
{
	vec_free(&r->members);
}

void rows_put_text(const struct rows *r, const struct row_column *c, const struct entry *e, struct buf *out)
{
	uint64_t value = hists_value(r->hists, e, c->value);

	if (c->key->flags & KEY_TIMES_NR)
		value *= e->sums.nr;
	key_print(c->key, &r->hists->view, value, out);
}

struct row_sum rows_sum(const struct rows *r, const struct row_column *c, const struct entry *e, uint32_t member)
{
	const struct sums *sums = hist_sums(r->hist, e, member);
	uint64_t of = 0;

	if (c->cell == ROW_SHARE)
		of = hist_total_of(hist_member(r->hists, r->hist, member), c->key, r->relative);
	else if (c->cell == ROW_AVERAGE)
		of = sums->nr;
	else if (c->cell == ROW_RATIO)
		of = c->key->of(sums);
	return (struct row_sum){ key_sum(c->key, sums), of };
}
