/*
 * Prints the table of prec diff -c in the format of perf diff(1): adds up the samples of each of the two recordings by their key
 * columns (such as symbol and dso), and computes a change for each row.
 */
#include "core/show/diff/perf_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/printable.h"
#include "core/base/vec.h"
#include "core/show/diff/key.h"
#include "core/profile/profile.h"

struct pair {
	const char *values[DIFF_KEYS_MAX];	/* by key column; interned */
	uint64_t a, b;			/* periods */
	bool in_a, in_b;
	double computed;
};

struct pairs {
	const struct perf_text_opts *opts;
	struct strtab *strings;
	struct index by_name;
	VEC(struct pair) list;
	uint64_t total_a, total_b;
	uint64_t baseline;		/* 100 % in the column Baseline; with -b only the shown rows, as in perf */
	const struct diff_key *keys[DIFF_KEYS_MAX];
	unsigned nr_keys;
	size_t widths[DIFF_KEYS_MAX];	/* by key column: the width of the longest value, or of the title */
};

int perf_compute_parse(struct perf_text_opts *out, const char *text)
{
	static const char *const words[] = { [PERF_DELTA] = "delta", [PERF_DELTA_ABS] = "delta-abs", [PERF_RATIO] = "ratio" };
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq(words[i], text)) {
			out->compute = (enum perf_compute)i;
			return 0;
		}
	if (!str_starts(text, "wdiff:"))
		return -1;
	out->compute = PERF_WDIFF;
	out->weight_a = strtoll(text + 6, &end, 10);
	if (end == text + 6 || *end != ',' || !out->weight_a)
		return -1;
	text = end + 1;
	out->weight_b = strtoll(text, &end, 10);
	return end == text || *end || !out->weight_b ? -1 : 0;
}

/* ---- rows ---- */

static struct pair *pair_named(struct pairs *p, const char *const *values)
{
	size_t size = p->nr_keys * sizeof(*values);
	uint64_t h = hash_bytes(values, size);
	struct pair new = {0};

	index_for(pos, &p->by_name, h)
		if (!memcmp(p->list.v[pos].values, values, size))
			return &p->list.v[pos];
	index_add(&p->by_name, h, (uint32_t)p->list.nr);
	memcpy(new.values, values, size);
	vec_push(&p->list, new);
	for (unsigned k = 0; k < p->nr_keys; k++)
		p->widths[k] = MAX(p->widths[k], strlen(values[k]));
	return &p->list.v[p->list.nr - 1];
}

static struct pair *pair_of(struct pairs *p, const struct profile *profile, const struct profile_weight *w)
{
	const struct diff_at at = { .profile = profile, .function = UINT32_MAX };
	const char *values[DIFF_KEYS_MAX] = {0};
	struct buf text = {0};

	for (unsigned k = 0; k < p->nr_keys; k++) {
		text.len = 0;
		p->keys[k]->put_perf(&at, w, &text);
		values[k] = intern_printable(p->strings, buf_str(&text));
	}
	buf_release(&text);
	return pair_named(p, values);
}

static void add_side(struct pairs *p, const struct profile *profile, uint32_t event, bool is_a)
{
	vec_for(w, &profile_data(profile)->weights) {
		struct pair *pair;

		if (w->event != event)
			continue;
		pair = pair_of(p, profile, w);
		*(is_a ? &pair->a : &pair->b) += w->period;
		*(is_a ? &pair->in_a : &pair->in_b) = true;
		*(is_a ? &p->total_a : &p->total_b) += w->period;
	}
}

static double percent(uint64_t period, uint64_t total)
{
	return total ? 100.0 * (double)period / (double)total : 0;
}

/* Computes the values of all rows as perf does. A row that only one side has gets at most a delta. */
static void compute(struct pairs *p)
{
	const struct perf_text_opts *o = p->opts;

	p->baseline = o->baseline_only ? 0 : p->total_a;
	vec_for(pair, &p->list) {
		double delta = percent(pair->b, p->total_b) - percent(pair->a, p->total_a);

		if (o->compute == PERF_RATIO)
			pair->computed = pair->in_a && pair->in_b ? (double)pair->b / (double)MAX(pair->a, 1) : 0;
		else if (o->compute == PERF_WDIFF)
			pair->computed = pair->in_a && pair->in_b ? (double)pair->b * (double)o->weight_b -
								    (double)pair->a * (double)o->weight_a : 0;
		else
			pair->computed = pair->in_b ? delta : 0;
		p->baseline += o->baseline_only && pair->in_b ? pair->a : 0;
	}
}

static int compare_pairs(const void *x, const void *y, void *ctx)
{
	const struct pairs *p = ctx;
	const struct perf_text_opts *o = p->opts;
	const struct pair *a = x, *b = y;
	double of_a = o->compute == PERF_DELTA_ABS ? fabs(a->computed) : a->computed;
	double of_b = o->compute == PERF_DELTA_ABS ? fabs(b->computed) : b->computed;

	int order = (o->order ? compare_numbers(of_b, of_a) : 0) ?: compare_numbers(b->a, a->a) ?: compare_numbers(b->b, a->b);

	for (unsigned k = 0; k < p->nr_keys && !order; k++)
		order = strcmp(a->values[k], b->values[k]);
	return order;
}

/* ---- columns ---- */

enum column { COLUMN_BASELINE, COLUMN_BASE_PERIOD, COLUMN_COMPUTED, COLUMN_FORMULA, COLUMN_PERIOD, NR_COLUMNS };

static const char *title_of(const struct perf_text_opts *o, int column)
{
	static const char *const computed[] = {
		[PERF_DELTA] = "Delta", [PERF_DELTA_ABS] = "Delta Abs", [PERF_RATIO] = "Ratio", [PERF_WDIFF] = "Weighted diff",
	};
	static const char *const titles[] = {
		[COLUMN_BASELINE] = "Baseline", [COLUMN_BASE_PERIOD] = "Base period", [COLUMN_FORMULA] = "Formula",
		[COLUMN_PERIOD] = "Period",
	};

	return column == COLUMN_COMPUTED ? computed[o->compute] : titles[column];
}

static int width_of(const struct perf_text_opts *o, int column)
{
	static const int computed[] = { [PERF_DELTA] = 7, [PERF_DELTA_ABS] = 9, [PERF_RATIO] = 14, [PERF_WDIFF] = 14 };

	if (column == COLUMN_COMPUTED)
		return computed[o->compute];
	return column == COLUMN_BASELINE ? 8 : column == COLUMN_FORMULA ? 70 : 14;
}

/* Appends how the value was computed, for a row that B has. */
static void put_formula(const struct pairs *p, const struct pair *pair, struct buf *out)
{
	const struct perf_text_opts *o = p->opts;
	unsigned long long a = pair->a, b = pair->b;

	if (!pair->in_b)
		return;
	if (o->compute == PERF_RATIO)
		buf_printf(out, "%llu / %llu", b, a);
	else if (o->compute == PERF_WDIFF)
		buf_printf(out, "(%llu * %lld) - (%llu * %lld)", b, (long long)o->weight_b, a, (long long)o->weight_a);
	else
		buf_printf(out, "(%llu * 100 / %llu) - (%llu * 100 / %llu)", b, (unsigned long long)p->total_b, a,
			   (unsigned long long)p->total_a);
}

static void put_cell_text(const struct pairs *p, const struct pair *pair, int column, struct buf *out)
{
	switch (column) {
	case COLUMN_BASELINE:
		if (pair->in_a)
			buf_printf(out, "%.2f%%", percent(pair->a, p->baseline));
		break;
	case COLUMN_FORMULA:
		put_formula(p, pair, out);
		break;
	case COLUMN_BASE_PERIOD:
		buf_dec(out, pair->a, 0);
		break;
	case COLUMN_PERIOD:
		if (pair->in_b)
			buf_dec(out, pair->b, 0);
		break;
	default:
		if (!pair->in_b)
			break;
		if (p->opts->compute <= PERF_DELTA_ABS)
			buf_printf(out, "%+.2f%%", pair->computed);
		else if (!pair->in_a)
			buf_puts(out, "N/A");
		else
			buf_printf(out, p->opts->compute == PERF_RATIO ? "%.6f" : "%.0f", pair->computed);
	}
}

static bool has_column(const struct perf_text_opts *o, int column)
{
	if (column == COLUMN_FORMULA)
		return o->formula;
	return o->period || column == COLUMN_BASELINE || column == COLUMN_COMPUTED;
}

static void put_row(const struct pairs *p, const struct pair *pair, struct buf *out)
{
	const char *separator = p->opts->separator;
	struct buf text = {0};

	for (int c = 0; c < NR_COLUMNS; c++) {
		if (!has_column(p->opts, c))
			continue;
		text.len = 0;
		put_cell_text(p, pair, c, &text);
		if (separator)
			buf_printf(out, "%s%s", buf_str(&text), separator);
		else
			buf_printf(out, "  %*s", width_of(p->opts, c), buf_str(&text));
	}
	for (unsigned k = 0; k < p->nr_keys; k++) {
		bool last = k + 1 == p->nr_keys;

		if (separator)
			buf_printf(out, "%s%s", pair->values[k], last ? "" : separator);
		else
			buf_printf(out, "  %-*s", last ? 0 : (int)p->widths[k], pair->values[k]);
	}
	buf_putc(out, '\n');
	buf_release(&text);
}

/* Appends the titles and the line of dots below them. */
static void put_head(const struct pairs *p, struct buf *out)
{
	for (int line = 0; line < 2; line++) {
		buf_puts(out, "#");
		for (int c = 0; c < NR_COLUMNS; c++) {
			const char *text = line ? "" : title_of(p->opts, c);

			if (!has_column(p->opts, c))
				continue;
			buf_puts(out, c ? "  " : " ");
			buf_fill(out, line ? '.' : ' ', (size_t)width_of(p->opts, c) - strlen(text));
			buf_puts(out, text);
		}
		for (unsigned k = 0; k < p->nr_keys; k++) {
			buf_puts(out, "  ");
			if (line)
				buf_fill(out, '.', p->widths[k]);
			else
				buf_left(out, p->keys[k]->title_perf, (unsigned)p->widths[k]);
		}
		buf_putc(out, '\n');
	}
	buf_puts(out, "#\n");
}

void perf_text_print(const struct profile *a, uint32_t event_a, const struct profile *b, uint32_t event_b,
		     const struct perf_text_opts *opts, struct buf *out)
{
	struct pairs p = { .opts = opts, .strings = strtab_new() };

	p.nr_keys = diff_keys_parse(p.keys, opts->keys);
	for (unsigned k = 0; k < p.nr_keys; k++)
		p.widths[k] = strlen(p.keys[k]->title_perf);
	add_side(&p, a, event_a, true);
	add_side(&p, b, event_b, false);
	compute(&p);
	if (p.list.nr)
		qsort_r(p.list.v, p.list.nr, sizeof(*p.list.v), compare_pairs, &p);
	buf_puts(out, "# Event '");
	buf_put_printable(out, profile_string(a, profile_data(a)->events.v[event_a].name));
	buf_puts(out, "'\n#\n");
	put_head(&p, out);
	vec_for(pair, &p.list)
		if ((pair->in_a && pair->in_b) || !opts->baseline_only)
			put_row(&p, pair, out);
	vec_free(&p.list);
	index_release(&p.by_name);
	strtab_free(p.strings);
}
