/* Lays out the columns of the table of prec report, and prints its titles and rows. table_cell.c prints the cells. */
#include "core/show/report/table.h"

#include <ctype.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/ui/terminal.h"
#include "core/show/report/table_impl.h"

/* The next number of a list of widths. Advances *list, which is NULL after the last. */
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

/* ---- rows ---- */

static void put_entry(struct table *t, const struct entry *e, struct buf *out)
{
	bool idle = false;

	if (!t->opts->separator && !t->opts->screen_width)
		buf_puts(out, "  ");
	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];

		table_put_gap(t, i, out);
		if (key_is_sum(c->key)) {
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
			table_put_cell(c, c->width, t->cell.data, t->cell.len, out);
		else
			table_put_padded(t, c, c->width, t->cell.data, t->cell.len, out);
	}
	put_style(out, t->opts->colors && idle, STYLE_PLAIN);
	buf_putc(out, '\n');
}

/* ---- columns ---- */

static const char *title_of(const struct table *t, const struct key *k)
{
	if (k->heading && t->opts->separator)
		return k->name;
	if (t->opts->screen_width && str_eq(k->name, "dso"))
		return "Object";
	return t->rows.hists->opts.layout.self && str_eq(k->name, "overhead") ? "Self" : k->title;
}

#define TASK_ROWS	1024u	/* rows that a worker takes at a time */

static size_t nr_tasks(size_t nr_rows)
{
	return (nr_rows + TASK_ROWS - 1) / TASK_ROWS;
}

struct measuring { const struct table *table; const struct column *column; size_t *widths; };	/* .widths: by task */

/* Measures consecutive cells of equal values once. */
static void measure_rows(void *ctx, unsigned worker, size_t task)
{
	const struct measuring *m = ctx;
	const struct hist *hist = m->table->rows.hist;
	size_t first = task * TASK_ROWS, end = MIN(first + TASK_ROWS, hist->sorted.nr);
	struct table t = *m->table;
	uint64_t last = 0;

	t.cell = (struct buf){0};
	for (size_t i = first; i < end; i++) {
		const struct entry *e = &hist->entries.v[hist->sorted.v[i]];
		uint64_t value = hists_value(t.rows.hists, e, m->column->of.value);

		if (i != first && value == last && !(m->column->key->flags & KEY_TIMES_NR))
			continue;
		table_make_cell(&t, m->column, e);
		m->widths[task] = MAX(m->widths[task], t.cell.len);
		last = value;
	}
	buf_release(&t.cell);
}

/* Makes a column as wide as its widest cell. */
static void measure(const struct table *t, struct column *c)
{
	size_t nr = nr_tasks(t->rows.hist->sorted.nr);
	struct measuring m = { .table = t, .column = c };

	c->width = MAX(strlen(c->title), t->opts->screen_width && !key_is_sum(c->key) ? 0 : c->key->min_width);
	if (key_is_sum(c->key))
		return;
	if (t->rows.hist->unnamed && !t->opts->screen_width)
		c->width = MAX(c->width, c->key->unnamed_width);
	m.widths = xcalloc(MAX(nr, 1), sizeof(*m.widths));
	pool_run(t->rows.hists->jobs, nr, measure_rows, &m);
	for (size_t i = 0; i < nr; i++)
		c->width = MAX(c->width, m.widths[i]);
	free(m.widths);
}

static void make_columns(struct table *t)
{
	const char *widths = t->opts->widths;
	size_t width;

	t->nr = 0;
	for (unsigned i = 0; i < t->rows.nr_columns; i++) {
		const struct row_column *of = &t->rows.columns[i];
		struct column *c = &t->columns[t->nr++];

		*c = (struct column){ .of = *of, .key = of->key, .title = title_of(t, of->key) };
		if (!t->opts->separator)
			measure(t, c);
		/* As with perf, columns below a heading are one, whose width is its own. */
		if (!table_goes_on(t, t->nr - 1) && widths && !next_width(&widths, &width) && width && !c->key->heading) {
			c->width = width;
			c->fixed = true;
		}
		screen_add_amounts(t);
	}
	if (t->opts->screen_width && !t->opts->wide)
		screen_fit(t);
}

static void put_titles(const struct table *t, struct buf *out)
{
	bool screen = t->opts->screen_width;

	table_put_headings(t, 0, out);
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

struct printing {
	const struct table *table;
	const uint32_t *shown;		/* the entries that have rows */
	size_t nr;
	struct buf *graphs;		/* the call graph of each */
	struct buf *texts;		/* by task */
};

static void print_rows(void *ctx, unsigned worker, size_t task)
{
	const struct printing *p = ctx;
	size_t end = MIN((task + 1) * TASK_ROWS, p->nr);
	struct table t = *p->table;
	struct buf *out = &p->texts[task];

	t.cell = (struct buf){0};
	for (size_t i = task * TASK_ROWS; i < end; i++) {
		put_entry(&t, &t.rows.hist->entries.v[p->shown[i]], out);
		buf_put(out, p->graphs[i].data, p->graphs[i].len);
		buf_release(&p->graphs[i]);
	}
	buf_release(&t.cell);
}

static void put_shown(const struct table *t, const uint32_t *shown, size_t nr, struct buf *out)
{
	struct printing p = { .table = t, .shown = shown, .nr = nr };

	p.graphs = xcalloc(MAX(nr, 1), sizeof(*p.graphs));
	p.texts = xcalloc(MAX(nr_tasks(nr), 1), sizeof(*p.texts));
	hists_draw(t->rows.hists, t->rows.hist, shown, nr, t->total, p.graphs);
	pool_run(t->rows.hists->jobs, nr_tasks(nr), print_rows, &p);
	for (size_t i = 0; i < nr_tasks(nr); i++) {
		buf_put(out, p.texts[i].data, p.texts[i].len);
		buf_release(&p.texts[i]);
	}
	free(p.graphs);
	free(p.texts);
}

static void put_rows(struct table *t, struct buf *out)
{
	const struct hist *hist = t->rows.hist;
	uint32_t *shown = xmalloc(MAX(hist->sorted.nr, 1) * sizeof(*shown));
	size_t nr = 0;

	if (!t->opts->no_titles)
		put_titles(t, out);
	if (t->opts->screen_width)
		nr = screen_choose(t, shown);
	else
		vec_for(number, &hist->sorted)
			if (table_shows(t, &hist->entries.v[*number]))
				shown[nr++] = *number;
	put_shown(t, shown, nr, out);
	if (t->opts->screen_width)
		screen_put_rest(t, out);
	free(shown);
}

void table_print(struct hists *h, const struct hist *hist, const struct table_opts *opts, struct buf *out)
{
	struct table t = { .opts = opts, .total = hist_total(hist, opts->relative) };

	rows_init(&t.rows, h, hist, opts->relative, opts->show_empty);
	make_columns(&t);
	if (opts->hierarchy)
		hierarchy_print(&t, out);
	else
		put_rows(&t, out);
	buf_puts(out, opts->screen_width ? "\n" : "\n\n");
	rows_release(&t.rows);
	buf_release(&t.cell);
}
