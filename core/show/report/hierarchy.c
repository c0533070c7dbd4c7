/*
 * Prints a report as a tree with a level for each sort key, for prec report --hierarchy. table.c, which prints the usual table
 * without levels, calls it.
 */
#include "core/show/report/table_impl.h"

#include <string.h>

#include "core/ui/fit.h"
#include "core/ui/terminal.h"

#define INDENT	3u	/* columns by which a level is indented */
#define NO_LEAF	UINT32_MAX	/* nor a parent */
#define LEAST_NAME 8u		/* minimum columns of a name, at any level */

struct node {
	uint32_t parent;
	uint32_t leaf;		/* at the last level: the place of the report's entry in hist->sorted; else NO_LEAF */
	VEC(uint32_t) below;	/* numbers of the nodes one level below */
};

/*
 * The first level has a row for each value of the first sort key. Below each row there is a row for each value of the second key
 * that occurs together with it, and so on.
 *
 * The rows are entries of a separate struct hist that sums the entries of the report. All samples of a row have the same values of
 * its keys, so any of the samples can give the text of a column.
 */
struct hierarchy {
	struct table *t;
	struct hist rows;	/* .entries[i] and .others belong to nodes[i]; node 0 is above the first level */
	VEC(struct node) nodes;
	struct index by_value;
	const struct column *levels[MAX_COLUMNS];
	unsigned nr_levels;
	const struct buf *graphs;	/* call graphs, in the order of hist->sorted, if drawn */
	size_t room;			/* on a terminal: columns for the names of the first level */
};

static void add_sums(struct hists *h, struct sums *into, const struct sums *from)
{
	if (from->rare)
		hists_rare_sums(h, into);
	if (from->rare && from->rare->classes)
		hists_class_sums(h, into);
	sums_add(into, from);
}

static uint32_t push_node(struct hierarchy *h, uint32_t parent, const struct entry *e)
{
	vec_push(&h->nodes, ((struct node){ .parent = parent, .leaf = NO_LEAF }));
	vec_push(&h->rows.entries, ((struct entry){ .sample_tuple = e->sample_tuple, .location_tuple = e->location_tuple }));
	for (uint32_t m = 1; m < h->rows.nr_members; m++)
		vec_push(&h->rows.others, ((struct sums){0}));
	return (uint32_t)h->nodes.nr - 1;
}

/* The node below @parent for the value of @e at @level. It is added if it is new. */
static uint32_t node_of(struct hierarchy *h, uint32_t parent, unsigned level, const struct entry *e)
{
	unsigned key = h->levels[level]->of.value;
	uint64_t value = hists_value(h->t->rows.hists, e, key), hash = hash_pair(parent, value);
	uint32_t pos;

	index_for(at, &h->by_value, hash) {
		if (h->nodes.v[at].parent == parent &&
		    hists_value(h->t->rows.hists, &h->rows.entries.v[at], key) == value)
			return at;
	}
	pos = push_node(h, parent, e);
	index_add(&h->by_value, hash, pos);
	vec_push(&h->nodes.v[parent].below, pos);
	return pos;
}

static struct sums *sums_at(struct hierarchy *h, uint32_t node, uint32_t member)
{
	size_t others = h->rows.nr_members - 1;

	return member ? &h->rows.others.v[node * others + member - 1] : &h->rows.entries.v[node].sums;
}

static void add_entry(struct hierarchy *h, uint32_t place)
{
	const struct hist *hist = h->t->rows.hist;
	const struct entry *e = &hist->entries.v[hist->sorted.v[place]];
	uint32_t node = 0;

	for (unsigned level = 0; level < h->nr_levels; level++) {
		node = node_of(h, node, level, e);
		for (uint32_t m = 0; m < hist->nr_members; m++)
			add_sums(h->t->rows.hists, sums_at(h, node, m), hist_sums(hist, e, m));
	}
	h->nodes.v[node].leaf = place;
}

static void find_levels(struct hierarchy *h)
{
	for (unsigned i = 0; i < h->t->nr; i++)
		if (!key_is_sum(h->t->columns[i].key))
			h->levels[h->nr_levels++] = &h->t->columns[i];
}

/* ---- text ---- */

static void put_sum_cells(struct hierarchy *h, const struct entry *e, struct buf *out)
{
	for (unsigned i = 0; i < h->t->nr; i++) {
		if (!key_is_sum(h->t->columns[i].key))
			continue;
		table_put_gap(h->t, i, out);
		table_put_sums(h->t, &h->t->columns[i], e, out);
	}
}

static void put_row(struct hierarchy *h, uint32_t number, unsigned level, struct buf *out)
{
	struct table *t = h->t;
	const struct node *node = &h->nodes.v[number];
	const struct column *c = h->levels[level];
	struct entry e = h->rows.entries.v[number];
	const char *text;
	size_t blanks, len;

	buf_fill(out, ' ', INDENT * level + (t->opts->separator || t->opts->screen_width ? 0 : 2));
	put_sum_cells(h, &h->rows.entries.v[number], out);
	buf_fill(out, ' ', t->opts->separator ? 0 : INDENT * (h->nr_levels - 1));
	table_put_gap(t, 1, out);
	table_make_cell(t, c, &e);
	blanks = strspn(buf_str(&t->cell), " ");
	text = t->cell.data + blanks;
	len = t->cell.len - blanks;
	if (t->opts->screen_width && !t->opts->wide)
		fit_name(text, len, h->room > INDENT * level + LEAST_NAME ? h->room - INDENT * level : LEAST_NAME, out);
	else if (c->key->flags & KEY_RAGGED && !t->opts->separator)
		buf_put(out, text, c->fixed ? MIN(len, c->width) : len);
	else
		table_put_padded(t, c, c->width, text, len, out);
	buf_putc(out, '\n');
	if (node->leaf != NO_LEAF)
		buf_put(out, h->graphs[node->leaf].data, h->graphs[node->leaf].len);
}

/* True if the row is printed. On a terminal, a row that is too small is added to the rest, with all rows below it. */
static bool shows(struct hierarchy *h, const struct entry *e)
{
	struct table *t = h->t;

	if (!t->opts->screen_width)
		return table_shows(t, e);
	if ((double)hists_weight(t->rows.hists, e) >= screen_least(t) * (double)t->total / 100)
		return true;
	t->nr_rest++;
	add_saturated(&t->rest, e->sums.period);
	return false;
}

static void put_level(struct hierarchy *h, uint32_t parent, unsigned level, struct buf *out)
{
	struct node *above = &h->nodes.v[parent];

	hists_sort_by(h->t->rows.hists, &h->rows, above->below.v, above->below.nr, h->levels[level]->of.value);
	vec_for(number, &above->below) {
		if (!shows(h, &h->rows.entries.v[*number]))
			continue;
		put_row(h, *number, level, out);
		if (level + 1 < h->nr_levels)
			put_level(h, *number, level + 1, out);
	}
}

static void put_dots(const struct hierarchy *h, size_t sums, size_t title, struct buf *out)
{
	size_t width = title;

	for (unsigned i = 0; i < h->nr_levels; i++)
		width = MAX(width, h->levels[i]->width + INDENT * i);
	buf_puts(out, "# ");
	buf_fill(out, '.', sums);
	buf_puts(out, "  ");
	buf_fill(out, '.', width);
	buf_puts(out, "\n#\n");
}

static void put_titles(const struct hierarchy *h, struct buf *out)
{
	const struct table *t = h->t;
	size_t start, sums, title;
	bool screen = t->opts->screen_width;

	table_put_headings(t, INDENT * (h->nr_levels - 1), out);
	buf_puts(out, screen ? "" : "# ");
	put_style(out, screen && t->opts->colors, STYLE_TITLE);
	start = out->len;
	buf_fill(out, ' ', t->opts->separator ? 0 : INDENT * (h->nr_levels - 1));
	for (unsigned i = 0; i < t->nr; i++) {
		const struct column *c = &t->columns[i];

		if (!key_is_sum(c->key))
			continue;
		table_put_gap(t, i, out);
		table_put_padded(t, c, table_full_width(t, c), c->title, strlen(c->title), out);
	}
	sums = out->len - start;
	table_put_gap(t, 1, out);
	title = out->len;
	for (unsigned i = 0; i < h->nr_levels; i++)
		buf_printf(out, "%s%s", i ? " / " : "", h->levels[i]->title + strspn(h->levels[i]->title, " "));
	title = out->len - title;
	put_style(out, screen && t->opts->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
	if (!t->opts->separator && !screen)
		put_dots(h, sums, title, out);
}

/* The columns of the terminal that sums and indentation leave for the names of the first level. */
static size_t room_of_names(const struct hierarchy *h)
{
	size_t taken = INDENT * (h->nr_levels - (h->nr_levels > 0));

	for (unsigned i = 0; i < h->t->nr; i++)
		taken += key_is_sum(h->t->columns[i].key) ? table_full_width(h->t, &h->t->columns[i]) + 2 : 0;
	return h->t->opts->screen_width > taken ? h->t->opts->screen_width - taken : 0;
}

static void hierarchy_release(struct hierarchy *h)
{
	vec_for(node, &h->nodes)
		vec_free(&node->below);
	vec_free(&h->nodes);
	vec_free(&h->rows.entries);
	vec_free(&h->rows.others);
	index_release(&h->by_value);
}

void hierarchy_print(struct table *t, struct buf *out)
{
	const struct hist *hist = t->rows.hist;
	size_t nr = hist->sorted.nr;
	struct hierarchy y = { .t = t, .rows = { .event = hist->event, .leader = hist->leader, .nr_members = hist->nr_members } };
	struct buf *graphs = xcalloc(MAX(nr, 1), sizeof(*graphs));

	find_levels(&y);
	y.graphs = graphs;
	push_node(&y, NO_LEAF, &(struct entry){0});
	hists_draw(t->rows.hists, hist, hist->sorted.v, nr, t->total, graphs);
	for (uint32_t i = 0; i < nr; i++)
		add_entry(&y, i);
	if (!t->opts->no_titles)
		put_titles(&y, out);
	t->rows.hist = &y.rows;
	y.room = room_of_names(&y);
	if (y.nr_levels)
		put_level(&y, 0, 0, out);
	t->rows.hist = hist;
	if (t->opts->screen_width)
		screen_put_rest(t, out);
	for (size_t i = 0; i < nr; i++)
		buf_release(&graphs[i]);
	free(graphs);
	hierarchy_release(&y);
}
