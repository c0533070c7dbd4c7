/*
 * Prints the cells of the table of prec report, such as percentages, amounts and the texts of sort keys. table.c lays out the
 * columns.
 */
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/perfdata/event_table.h"
#include "core/show/report/table_impl.h"

bool table_shows(const struct table *t, const struct entry *e)
{
	double weight = (double)hists_weight(t->rows.hists, e);

	return !t->opts->min_percent || (t->total && 100 * weight / (double)t->total >= t->opts->min_percent);
}

/* Rounds as printf does, from the nearest double, so that digits are equal to perf's. Calls printf only in close cases. */
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

void table_make_cell(struct table *t, const struct column *c, const struct entry *e)
{
	t->cell.len = 0;
	rows_put_text(&t->rows, &c->of, e, &t->cell);
	if (!t->opts->screen_width)
		return;
	buf_escape_from(&t->cell, 0, "\n\t");
	if (screen_is_idle(c, &t->cell))
		buf_puts(&t->cell, " (idle)");
}

/* Returns the style of its share, if it is one. */
static enum style make_sum(struct table *t, const struct column *c, const struct entry *e, uint32_t member)
{
	struct row_sum n = rows_sum(&t->rows, &c->of, e, member);

	t->cell.len = 0;
	switch (c->of.cell) {
	case ROW_SHARE:
		if (c->key->heading)
			buf_printf(&t->cell, "%.1f%%", n.of ? 100.0 * (double)n.sum / (double)n.of : 0.0);
		else
			put_percent(&t->cell, n.sum, n.of);
		return style_of_share(n.of ? 100.0 * (double)n.sum / (double)n.of : 0);
	case ROW_RATIO:
		buf_printf(&t->cell, "%.1f%%", n.of ? 100.0 * (double)n.sum / (double)n.of : 0.0);
		break;
	case ROW_AVERAGE:
		buf_printf(&t->cell, "%.1f", n.of ? (double)n.sum / (double)n.of : 0.0);
		break;
	case ROW_AMOUNT:
		if (event_counts_time(t->rows.hist->event))
			put_duration(&t->cell, n.sum);
		else
			put_amount(&t->cell, n.sum);
		break;
	default:
		buf_dec(&t->cell, n.sum, 0);
	}
	return STYLE_PLAIN;
}

void table_put_cell(const struct column *c, size_t width, const char *text, size_t len, struct buf *out)
{
	if (c->fitted)
		fit_name(text, len, width, out);
	else
		buf_put(out, text, c->fixed ? MIN(len, width) : len);
}

void table_put_padded(const struct table *t, const struct column *c, size_t width, const char *text, size_t len,
		       struct buf *out)
{
	struct buf fitted = {0};
	size_t pad, columns = len;

	if (t->opts->separator) {
		for (size_t i = 0; i < len; i++)
			buf_putc(out, text[i] == *t->opts->separator ? '.' : text[i]);
		return;
	}
	if (c->fixed)
		columns = len = MIN(len, width);
	if (c->fitted) {
		fit_name(text, len, width, &fitted);
		text = fitted.data;
		len = fitted.len;
		columns = text_columns(text, len);
	}
	pad = width > columns ? width - columns : 0;
	if (c->key->flags & KEY_RIGHT)
		buf_fill(out, ' ', pad);
	buf_put(out, text, len);
	if (!(c->key->flags & KEY_RIGHT))
		buf_fill(out, ' ', pad);
	buf_release(&fitted);
}

bool table_goes_on(const struct table *t, unsigned column)
{
	const char *heading = t->columns[column].key->heading;

	return column && heading && t->columns[column - 1].key->heading == heading;
}

void table_put_gap(const struct table *t, unsigned column, struct buf *out)
{
	if (column && (t->opts->separator || !table_goes_on(t, column)))
		buf_puts(out, t->opts->separator ? t->opts->separator : "  ");
}

/* Appends "---- Text ----", @width columns wide. */
static void put_heading(const char *text, size_t width, struct buf *out)
{
	size_t len = strlen(text) + 2, rest = width > len ? width - len : 0;

	buf_fill(out, '-', rest / 2);
	buf_printf(out, " %s ", text);
	buf_fill(out, '-', rest - rest / 2);
}

void table_put_headings(const struct table *t, size_t indent, struct buf *out)
{
	bool any = false;
	size_t width;

	for (unsigned i = 0; i < t->nr; i++)
		any |= t->columns[i].key->heading != NULL;
	if (!any || t->opts->separator)
		return;
	buf_puts(out, t->opts->screen_width ? "" : "# ");
	buf_fill(out, ' ', indent);
	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];

		table_put_gap(t, i, out);
		if (table_goes_on(t, i))
			continue;
		width = table_full_width(t, c);
		for (unsigned k = i + 1; k < t->nr && table_goes_on(t, k); k++)
			width += table_full_width(t, &t->columns[k]);
		if (c->key->heading)
			put_heading(c->key->heading, width, out);
		else
			buf_fill(out, ' ', width);
	}
	buf_putc(out, '\n');
}

/* A sum has a cell for each member of the group, side by side. */
void table_put_sums(struct table *t, const struct column *c, const struct entry *e, struct buf *out)
{
	enum style style;
	bool colored;

	vec_for(member, &t->rows.members) {
		if (t->opts->separator && member != t->rows.members.v)
			buf_putc(out, ' ');
		style = make_sum(t, c, e, *member);
		colored = t->opts->colors && style != STYLE_PLAIN;
		put_style(out, colored, style);
		table_put_padded(t, c, c->width, t->cell.data, t->cell.len, out);
		put_style(out, colored, STYLE_PLAIN);
	}
}
