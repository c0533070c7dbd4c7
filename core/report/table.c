/* Widths, titles, cells. Layer: report */
#include "core/report/table.h"

#include <ctype.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/fit.h"
#include "core/base/log.h"
#include "core/base/terminal.h"
#include "core/format/event_table.h"
#include "core/profile/trace_key.h"
#include "core/report/table_impl.h"

/* The next number of a list of widths; *list moves on, and becomes NULL behind the last. */
static int next_width(const char **list, size_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**list))
		return -1;
	*out = strtoul(*list, &end, 10);
	if (*out > 4096 || (*end && *end != ','))
		return -1;
	*list = *end ? end + 1 : NULL;
	return 0;
}

int table_check(const struct table_opts *opts)
{
	size_t width;

	for (const char *w = opts->widths; w;)
		if (next_width(&w, &width))
			return error("'%s' is no list of column widths: a number up to 4096 is expected at '%s'",
				     opts->widths, w);
	return 0;
}

/* ---- cells ---- */

/* Rounded as printf does: from the nearest double, so that digits are perf's. It is asked only where it is close to call. */
static void put_percent(struct buf *out, uint64_t part, uint64_t total)
{
	double percent = total ? 100.0 * (double)part / (double)total : 0.0, hundredths = percent * 100;
	uint64_t below = hundredths < 1e9 ? (uint64_t)hundredths : 0;
	double rest = hundredths - (double)below;

	if (hundredths >= 1e9 || (rest > 0.499 && rest < 0.501)) {
		buf_printf(out, "%.2f%%", percent);
		return;
	}
	below += rest > 0.5;
	buf_dec(out, below / 100, 0);
	buf_putc(out, '.');
	buf_dec0(out, below % 100, 2);
	buf_putc(out, '%');
}

static void put_average(struct buf *out, uint64_t sum, uint64_t nr)
{
	buf_printf(out, "%.1f", nr ? (double)sum / (double)nr : 0.0);
}

void table_make_cell(struct table *t, const struct column *c, const struct entry *e)
{
	uint64_t value = hists_value(t->hists, e, c->value);

	t->cell.len = 0;
	if (c->key->flags & KEY_TIMES_NR)
		value *= e->sums.nr;
	c->key->print(&t->hists->view, value, &t->cell);
	if (screen_is_idle(c, &t->cell) && t->opts->screen_width)
		buf_puts(&t->cell, " (idle)");
}

static void put_event_amount(const struct event *event, uint64_t n, struct buf *out)
{
	if (attr_counts_time(&event->attr))
		put_duration(out, n);
	else
		put_amount(out, n);
}

/* Returns how its share looks, where it is one. */
static enum style make_sum(struct table *t, const struct column *c, const struct entry *e, uint32_t member)
{
	uint64_t sum = c->key->sum(hist_sums(t->hist, e, member)), total;

	t->cell.len = 0;
	if (c->key->flags & KEY_PERCENT) {
		total = hist_total_of(hist_member(t->hists, t->hist, member), c->key, t->opts->relative);
		put_percent(&t->cell, sum, total);
		return style_of_share(total ? 100.0 * (double)sum / (double)total : 0);
	}
	if (c->key->flags & KEY_AVERAGE)
		put_average(&t->cell, sum, hist_sums(t->hist, e, member)->nr);
	else if (c->key->flags & KEY_AMOUNT)
		put_event_amount(t->hist->event, sum, &t->cell);
	else
		buf_dec(&t->cell, sum, 0);
	return STYLE_PLAIN;
}

static void put_cell(const struct column *c, size_t width, const char *text, size_t len, struct buf *out)
{
	if (c->fitted)
		fit_name(text, len, width, out);
	else
		buf_put(out, text, c->fixed ? MIN(len, width) : len);
}

void table_put_padded(const struct table *t, const struct column *c, size_t width, const char *text, size_t len,
		       struct buf *out)
{
	size_t pad, columns = len;

	if (t->opts->separator) {
		for (size_t i = 0; i < len; i++)
			buf_putc(out, text[i] == *t->opts->separator ? '.' : text[i]);
		return;
	}
	if (c->fixed)
		columns = len = MIN(len, width);
	if (c->fitted)
		columns = MIN(text_columns(text, len), width);
	pad = width > columns ? width - columns : 0;
	if (c->key->flags & KEY_RIGHT)
		buf_fill(out, ' ', pad);
	put_cell(c, width, text, len, out);
	if (!(c->key->flags & KEY_RIGHT))
		buf_fill(out, ' ', pad);
}

void table_put_gap(const struct table *t, unsigned column, struct buf *out)
{
	if (column)
		buf_puts(out, t->opts->separator ? t->opts->separator : "  ");
}

/* A sum has a cell for each member of the group, side by side. */
void table_put_sums(struct table *t, const struct column *c, const struct entry *e, struct buf *out)
{
	enum style style;
	bool colored;

	vec_for(member, &t->members) {
		if (t->opts->separator && member != t->members.v)
			buf_putc(out, ' ');
		style = make_sum(t, c, e, *member);
		colored = t->opts->colors && style != STYLE_PLAIN;
		put_style(out, colored, style);
		table_put_padded(t, c, c->width, t->cell.data, t->cell.len, out);
		put_style(out, colored, STYLE_PLAIN);
	}
}

static void put_entry(struct table *t, const struct entry *e, struct buf *out)
{
	bool idle = false;

	if (!t->opts->separator && !t->opts->screen_width)
		buf_puts(out, "  ");
	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];

		table_put_gap(t, i, out);
		if (c->key->sum) {
			table_put_sums(t, c, e, out);
			continue;
		}
		table_make_cell(t, c, e);
		if (!idle && t->opts->screen_width && screen_is_idle(c, &t->cell)) {
			put_style(out, t->opts->colors, STYLE_FAINT);
			idle = true;
		}
		/* A symbol at the end of the line is not padded. */
		if (i + 1 == t->nr && (c->key->flags & KEY_RAGGED || t->opts->screen_width) && !t->opts->separator)
			put_cell(c, c->width, t->cell.data, t->cell.len, out);
		else
			table_put_padded(t, c, c->width, t->cell.data, t->cell.len, out);
	}
	put_style(out, t->opts->colors && idle, STYLE_PLAIN);
	buf_putc(out, '\n');
}

/* ---- columns ---- */

static const char *title_of(const struct table *t, const struct key *k)
{
	if (t->opts->screen_width && str_eq(k->name, "dso"))
		return "Object";
	return t->hists->opts.layout.self && str_eq(k->name, "overhead") ? "Self" : k->title;
}

/* As wide as the widest cell; cells of equal values in a row are measured once. */
static void measure(struct table *t, struct column *c)
{
	const struct hist *hist = t->hist;
	uint64_t last = 0;

	c->width = MAX(strlen(c->title), t->opts->screen_width && !c->key->sum ? 0 : c->key->min_width);
	if (c->key->sum)
		return;
	if (hist->unnamed && !t->opts->screen_width)
		c->width = MAX(c->width, c->key->unnamed_width);
	vec_for(number, &hist->sorted) {
		const struct entry *e = &hist->entries.v[*number];
		uint64_t value = hists_value(t->hists, e, c->value);

		if (number != hist->sorted.v && value == last && !(c->key->flags & KEY_TIMES_NR))
			continue;
		table_make_cell(t, c, e);
		c->width = MAX(c->width, t->cell.len);
		last = value;
	}
}

/* The field of a tracepoint is no column of others. */
static bool has_column(const struct table *t, const struct key *k)
{
	if (!k->column)
		return true;
	for (uint32_t m = 0; m < t->hist->nr_members; m++)
		if (trace_keys_has(t->hists->opts.traces, k, t->hist->leader + m))
			return true;
	return false;
}

static void make_columns(struct table *t)
{
	const struct layout *l = &t->hists->opts.layout;
	const char *widths = t->opts->widths;
	size_t width;

	t->nr = 0;
	for (unsigned k = 0; k < l->nr_columns; k++) {
		struct column *c = &t->columns[t->nr];

		if (!has_column(t, l->columns[k]))
			continue;
		t->nr++;
		*c = (struct column){ .key = l->columns[k], .title = title_of(t, l->columns[k]) };
		for (unsigned i = 0; i < l->nr_keys; i++)
			if (l->keys[i] == c->key)
				c->value = i;
		if (!t->opts->separator)
			measure(t, c);
		if (widths && !next_width(&widths, &width) && width) {
			c->width = width;
			c->fixed = true;
		}
		if (screen_adds_amounts(t))
			screen_add_amounts(t);
	}
	if (t->opts->screen_width && !t->opts->wide)
		screen_fit(t);
}

size_t table_full_width(const struct table *t, const struct column *c)
{
	return c->key->sum ? c->width * t->members.nr : c->width;
}

static void put_titles(const struct table *t, struct buf *out)
{
	bool screen = t->opts->screen_width;

	buf_puts(out, screen ? "" : "# ");
	put_style(out, screen && t->opts->colors, STYLE_TITLE);
	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];

		table_put_gap(t, i, out);
		table_put_padded(t, c, table_full_width(t, c), c->title, strlen(c->title), out);
	}
	put_style(out, screen && t->opts->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
	if (t->opts->separator || screen)
		return;
	buf_puts(out, "# ");
	for (unsigned i = 0; i < t->nr; i++) {
		table_put_gap(t, i, out);
		buf_fill(out, '.', table_full_width(t, &t->columns[i]));
	}
	buf_puts(out, "\n#\n");
}

/* ---- the table ---- */

bool table_shows(const struct table *t, const struct entry *e)
{
	double weight = (double)hists_weight(t->hists, e);

	return !t->opts->min_percent || (t->total && 100 * weight / (double)t->total >= t->opts->min_percent);
}

static void put_rows(struct table *t, struct buf *out)
{
	const struct hist *hist = t->hist;
	uint32_t *shown = xmalloc(MAX(hist->sorted.nr, 1) * sizeof(*shown));
	struct buf *graphs;
	size_t nr = 0;

	if (!t->opts->no_titles)
		put_titles(t, out);
	if (t->opts->screen_width)
		nr = screen_choose(t, shown);
	else
		vec_for(number, &hist->sorted)
			if (table_shows(t, &hist->entries.v[*number]))
				shown[nr++] = *number;
	graphs = xcalloc(MAX(nr, 1), sizeof(*graphs));
	hists_draw(t->hists, hist, shown, nr, t->total, graphs);
	for (size_t i = 0; i < nr; i++) {
		put_entry(t, &hist->entries.v[shown[i]], out);
		buf_put(out, graphs[i].data, graphs[i].len);
		buf_release(&graphs[i]);
	}
	if (t->opts->screen_width)
		screen_put_rest(t, out);
	free(graphs);
	free(shown);
}

void table_print(struct hists *h, const struct hist *hist, const struct table_opts *opts, struct buf *out)
{
	struct table t = { .hists = h, .hist = hist, .opts = opts, .total = hist_total(hist, opts->relative) };

	for (uint32_t m = 0; m < hist->nr_members; m++)
		if (hist->nr_members == 1 || opts->show_empty || hist_member(h, hist, m)->total.nr)
			vec_push(&t.members, m);
	make_columns(&t);
	if (opts->hierarchy)
		hierarchy_print(&t, out);
	else
		put_rows(&t, out);
	buf_puts(out, opts->screen_width ? "\n" : "\n\n");
	vec_free(&t.members);
	buf_release(&t.cell);
}
