/*
 * Fits the table of prec report to a terminal. Long names are shortened until each line fits. A column of amounts (time or events)
 * is added after the first percentage. Small entries are summed up in one line.
 */
#include "core/show/report/table_impl.h"

#include <inttypes.h>
#include <string.h>

#include "core/ui/terminal.h"

#define LEAST_PERCENT	0.5	/* smallest share of an entry that has a row of its own */
#define FIRST_ROWS	10	/* the first rows, which are printed even if they are smaller */
#define LEAST_WIDTH	8u	/* minimum width of a column that shrinks */

static uint64_t sum_period(const struct sums *s) { return s->period; }
static uint64_t sum_children(const struct sums *s) { return s->children; }

/* Amounts in the unit of the event. If the first column includes callees, the amounts also do. */
static const struct key amounts[] = {
	{ "amount", NULL, "Count", 0, KEY_RIGHT | KEY_AMOUNT, 7, .sum = sum_period },
	{ "amount_children", NULL, "Count", 0, KEY_RIGHT | KEY_AMOUNT, 7, .sum = sum_children },
};

void screen_add_amounts(struct table *t)
{
	const struct key *first = t->columns[0].key, *k = &amounts[first->flags & KEY_CHILDREN ? 1 : 0];

	if (!t->opts->screen_width || !t->opts->amounts || t->opts->separator || t->nr != 1 || t->rows.members.nr != 1 ||
	    !(str_eq(first->name, "overhead") || str_eq(first->name, "overhead_children")))
		return;
	t->columns[t->nr++] = (struct column){
		.of = { k, ROW_AMOUNT, 0 }, .key = k, .title = event_counts_time(t->rows.hist->event) ? "Time" : k->title,
		.width = k->min_width,
	};
}

/* ---- widths ---- */

/* True if the column may shrink; others are numbers, and widths that the user chose. */
static bool is_shrinkable(const struct column *c)
{
	return !key_is_sum(c->key) && !c->fixed;
}

/* The width of all columns, if columns that may shrink have at most @most each (the last one twice that). */
static size_t width_with(const struct table *t, size_t most)
{
	size_t width = 0;

	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];
		size_t full = table_full_width(t, c);

		width += i ? 2 : 0;
		width += is_shrinkable(c) ? MIN(full, i + 1 == t->nr ? 2 * most : most) : full;
	}
	return width;
}

/* Shortens the widest columns first. The last one, usually the symbol, stays twice as wide as the others. */
void screen_fit(struct table *t)
{
	size_t most = t->opts->screen_width;

	while (most > LEAST_WIDTH && width_with(t, most) > t->opts->screen_width)
		most--;
	for (unsigned i = 0; i < t->nr; i++) {
		struct column *c = &t->columns[i];

		if (!is_shrinkable(c))
			continue;
		c->width = MIN(c->width, i + 1 == t->nr ? 2 * most : most);
		c->fitted = true;
	}
	/* The last column gets the rest. */
	if (t->nr && is_shrinkable(&t->columns[t->nr - 1])) {
		size_t others = width_with(t, most) - t->columns[t->nr - 1].width;

		t->columns[t->nr - 1].width = MAX(t->opts->screen_width > others ? t->opts->screen_width - others : 0, LEAST_WIDTH);
	}
}

/* ---- rows ---- */

double screen_least(const struct table *t)
{
	return t->opts->all ? 0 : t->opts->min_percent ? t->opts->min_percent : LEAST_PERCENT;
}

size_t screen_choose(struct table *t, uint32_t *shown)
{
	const struct hist *hist = t->rows.hist;
	double least = screen_least(t) * (double)t->total / 100;
	size_t nr = 0, first = t->opts->min_percent ? 0 : FIRST_ROWS;
	uint32_t last = 0;

	vec_for(number, &hist->sorted) {
		const struct entry *e = &hist->entries.v[*number];

		if (nr < first || (double)hists_weight(t->rows.hists, e) >= least) {
			shown[nr++] = *number;
			continue;
		}
		t->nr_rest++;
		add_saturated(&t->rest, e->sums.period);
		last = *number;
	}
	/* A single entry takes no more lines than the sum of the rest. */
	if (t->nr_rest == 1 && !t->opts->min_percent) {
		shown[nr++] = last;
		t->nr_rest = 0;
	}
	return nr;
}

void screen_put_rest(const struct table *t, struct buf *out)
{
	if (!t->nr_rest)
		return;
	put_style(out, t->opts->colors, STYLE_FAINT);
	buf_printf(out, "%" PRIu64 " more below %g %%: %.1f %%", t->nr_rest, screen_least(t),
		   t->total ? 100 * (double)t->rest / (double)t->total : 0.0);
	put_style(out, t->opts->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
}

bool screen_is_idle(const struct column *c, const struct buf *cell)
{
	static const char idle[] = "swapper";

	return str_eq(c->key->name, "comm") && cell->len >= sizeof(idle) - 1 && !memcmp(cell->data, idle, sizeof(idle) - 1) &&
	       (cell->len == sizeof(idle) - 1 || cell->data[sizeof(idle) - 1] == ' ');
}
