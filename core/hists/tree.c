/*
 * Merges call chains with the same beginning into a tree, and draws it below a row of a report. The option -g chooses the form:
 * a graph with absolute or relative percentages, or separate paths (flat, folded).
 */
#include "core/hists/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/base/printable.h"

#define ROOT 0
#define MARGIN 12	/* columns that everything below an entry is indented by */
#define STEP 10		/* columns by which a level is indented, */
#define NARROW_STEP 2	/* and on a terminal */
#define LEAST_NAME 12u	/* minimum columns for a name, at any depth */

/* ---- building ---- */

static uint32_t child_of(struct call_tree *t, uint32_t parent, uint32_t location)
{
	uint64_t h = hash_pair(parent, location);
	uint32_t pos;

	index_for(at, &t->by_parent, h)
		if (t->nodes.v[at].parent == parent && t->nodes.v[at].location == location)
			return at;
	pos = (uint32_t)t->nodes.nr;
	index_add(&t->by_parent, h, pos);
	vec_push(&t->nodes, ((struct call_node){ .location = location, .parent = parent }));
	t->nodes.v[parent].nr_children++;
	return pos;
}

void call_tree_add(struct call_tree *t, const uint32_t *path, size_t nr, uint64_t period, uint64_t nr_samples)
{
	uint32_t node;
	size_t i = 0;

	if (!t->nodes.nr)
		vec_push(&t->nodes, ((struct call_node){ .location = UINT32_MAX }));
	while (i < nr && i < t->last.nr && t->last.v[i].location == path[i])
		i++;
	t->last.nr = i;
	node = i ? t->last.v[i - 1].node : ROOT;
	for (; i < nr; i++) {
		node = child_of(t, node, path[i]);
		vec_push(&t->last, ((struct call_step){ path[i], node }));
	}
	add_saturated(&t->nodes.v[node].period, period);
	t->nodes.v[node].nr += nr_samples;
}

/* A parent always stands before its children. */
static void add_up(struct call_tree *t)
{
	vec_for(n, &t->nodes) {
		n->all_period = n->period;
		n->all_nr = n->nr;
	}
	for (size_t i = t->nodes.nr - 1; i > ROOT; i--) {
		struct call_node *n = &t->nodes.v[i], *parent = &t->nodes.v[n->parent];

		add_saturated(&parent->all_period, n->all_period);
		parent->all_nr += n->all_nr;
	}
}

void call_tree_release(struct call_tree *t)
{
	vec_free(&t->nodes);
	vec_free(&t->last);
	index_release(&t->by_parent);
}

/* ---- what is drawn ---- */

struct drawing {
	const struct call_tree *tree;
	const struct locations *locations;
	const struct tree_opts *opts;
	const struct tree_scale *scale;
	struct buf *out;
	uint32_t *order;		/* node numbers, the children of a node together, the largest first */
	uint32_t *first, *nr;		/* by node: range in order[] of its children above the threshold */
	VEC(bool) bars;			/* by level: true if the line has a '|' there */
	unsigned margin;
};

struct sort_item { uint32_t node, parent; uint64_t period; const struct location *location; const struct locations *locations; };

/* Orders locations of the same function: the higher address first, and then in any order that does not depend on threads. */
static int compare_exact(const struct sort_item *x, const struct sort_item *y)
{
	size_t nx, ny;
	const char *a, *b;
	int order = compare_numbers(y->location->offset, x->location->offset);

	if (!order)
		order = compare_numbers(y->location->ip, x->location->ip);
	if (order || x->location == y->location)
		return order;
	a = locations_text(x->locations, x->location->line, &nx);
	b = locations_text(y->locations, y->location->line, &ny);
	return compare_bytes(a, nx, b, ny);
}

static int compare_siblings(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;
	int order = compare_numbers(x->parent, y->parent) ?: compare_numbers(y->period, x->period);

	if (order)
		return order;
	/* As in perf, the higher address in one file comes first. */
	order = x->location->dso == y->location->dso ? location_compare(y->location, x->location) :
		location_compare(x->location, y->location);
	return order ? order : compare_exact(x, y);
}

/* A threshold in periods: a share of @of, rounded up if it is relative. */
static uint64_t least(const struct drawing *d, uint64_t of)
{
	double min = (double)of * d->opts->min_percent / 100;

	return (uint64_t)(d->opts->form == TREE_FRACTAL ? ceil(min) : min);
}

static uint64_t children_period(const struct call_node *n)
{
	return n->all_period - n->period;
}

/* True if @n is drawn. @absolute: the threshold of all forms but fractal. */
static bool counts(const struct drawing *d, const struct call_node *n, uint64_t absolute)
{
	const struct call_node *parent = &d->tree->nodes.v[n->parent];

	if (d->opts->form != TREE_FRACTAL)
		return n->all_period >= absolute;
	return n->all_period >= least(d, children_period(parent));
}

static void sort_children(struct drawing *d)
{
	const struct call_tree *t = d->tree;
	struct sort_item *items = xmalloc(t->nodes.nr * sizeof(*items));
	uint64_t absolute = least(d, d->scale->total);
	size_t nr = 0;

	for (uint32_t i = 1; i < t->nodes.nr; i++)
		if (counts(d, &t->nodes.v[i], absolute))
			items[nr++] = (struct sort_item){ i, t->nodes.v[i].parent, t->nodes.v[i].all_period,
							  &d->locations->list.v[t->nodes.v[i].location], d->locations };
	qsort(items, nr, sizeof(*items), compare_siblings);
	d->order = xmalloc(t->nodes.nr * sizeof(*d->order));
	d->first = xcalloc(t->nodes.nr, sizeof(*d->first));
	d->nr = xcalloc(t->nodes.nr, sizeof(*d->nr));
	for (uint32_t i = 0; i < nr; i++) {
		d->order[i] = items[i].node;
		if (!d->nr[items[i].parent]++)
			d->first[items[i].parent] = i;
	}
	free(items);
}

/* The only child of @node, before thresholds; 0: there are several, or paths end at @node. */
static uint32_t only_way(const struct drawing *d, uint32_t node)
{
	const struct call_node *n = &d->tree->nodes.v[node];

	/* An only child has the weight of its parent, so it passes the threshold, too. */
	if (n->nr_children != 1 || n->nr || !d->nr[node])
		return 0;
	return d->order[d->first[node]];
}

static uint32_t end_of_run(const struct drawing *d, uint32_t node)
{
	for (uint32_t next; (next = only_way(d, node)); )
		node = next;
	return node;
}

/* ---- drawing ---- */

/* "function file.c:12", "function+0x1f" if the line is not known. */
static void put_exact_name(struct drawing *d, const struct location *location)
{
	size_t n;

	buf_puts(d->out, location->name);
	if (locations_know_line(d->locations, location)) {
		const char *line = locations_text(d->locations, location->line, &n);

		buf_putc(d->out, ' ');
		buf_put(d->out, line, n);
	} else if (location->offset) {
		buf_puts(d->out, "+0x");
		buf_hex(d->out, location->offset, 0);
	}
	if (location->inlined)
		buf_puts(d->out, " (inlined)");
}

/* The width of the line that ends at @at. */
static size_t columns_before(const struct buf *out, size_t at)
{
	const char *start = at ? memrchr(out->data, '\n', at) : NULL;
	size_t from = start ? (size_t)(start + 1 - out->data) : 0;

	return text_columns(out->data + from, at - from);
}

/* Shortens the name that begins at @at if it does not fit. */
static void fit_from(struct drawing *d, size_t at)
{
	size_t before = columns_before(d->out, at), room = d->opts->width > before ? d->opts->width - before : 0;
	char *name;

	if (!d->opts->width || text_columns(d->out->data + at, d->out->len - at) <= MAX(room, LEAST_NAME))
		return;
	name = xstrndup(d->out->data + at, d->out->len - at);
	d->out->len = at;
	fit_name(name, strlen(name), MAX(room, LEAST_NAME), d->out);
	free(name);
}

static void put_name(struct drawing *d, uint32_t node)
{
	const struct location *location = &d->locations->list.v[d->tree->nodes.v[node].location];
	size_t at = d->out->len;

	if (location->name && d->opts->key != TREE_BY_FUNCTION)
		put_exact_name(d, location);
	else if (location->name)
		location_put_name(location, d->out);
	else if (location->ip)
		buf_printf(d->out, "0x%" PRIx64, location->ip);
	else
		buf_putc(d->out, '0');
	fit_from(d, at);
}

static void put_value(struct drawing *d, uint64_t period, uint64_t nr, uint64_t total)
{
	switch (d->opts->value) {
	case TREE_PERCENT:
		buf_printf(d->out, "%.2f%%", total ? 100.0 * (double)period / (double)total : 0.0);
		break;
	case TREE_PERIOD:
		buf_dec(d->out, period, 0);
		break;
	case TREE_COUNT:
		buf_dec(d->out, nr, 0);
		break;
	}
}

static void put_margin(struct drawing *d)
{
	buf_fill(d->out, ' ', d->margin);
}

static void put_bars(struct drawing *d, size_t levels)
{
	put_margin(d);
	for (size_t i = 0; i < levels; i++) {
		buf_putc(d->out, d->bars.v[i] ? '|' : ' ');
		buf_fill(d->out, ' ', d->opts->width ? NARROW_STEP : STEP);
	}
}

/* Draws "|--12.34%--", or " --12.34%--" for the last child. */
static void put_branch(struct drawing *d, size_t level, uint64_t period, uint64_t nr, uint64_t total)
{
	put_bars(d, level);
	buf_puts(d->out, d->bars.v[level] ? "|--" : " --");
	put_value(d, period, nr, total);
	buf_puts(d->out, "--");
}

/* Draws the frames from @node up to a fork; the first one follows its share. Returns the last. */
static uint32_t put_run(struct drawing *d, uint32_t node, size_t level, uint64_t total)
{
	const struct call_node *n = &d->tree->nodes.v[node];

	put_branch(d, level, n->all_period, n->all_nr, total);
	put_name(d, node);
	buf_putc(d->out, '\n');
	for (uint32_t next; (next = only_way(d, node)); node = next) {
		put_bars(d, level + 1);
		put_name(d, next);
		buf_putc(d->out, '\n');
	}
	return node;
}

/* Draws the part that the threshold left out of a fractal tree. */
static void put_rest(struct drawing *d, size_t level, uint64_t period, uint64_t nr, uint64_t total)
{
	d->bars.v[level] = false;
	put_branch(d, level, period, nr, total);
	buf_puts(d->out, "[...]\n");
}

static void put_children(struct drawing *d, uint32_t parent, size_t level, uint64_t total)
{
	bool fractal = d->opts->form == TREE_FRACTAL;
	uint64_t rest = total, nr_rest = d->tree->nodes.v[parent].all_nr - d->tree->nodes.v[parent].nr;
	uint32_t shown = 0;

	vec_push(&d->bars, true);
	for (uint32_t i = 0; i < d->nr[parent]; i++) {
		uint32_t node = d->order[d->first[parent] + i], end;
		const struct call_node *n = &d->tree->nodes.v[node];

		rest -= MIN(n->all_period, rest);
		nr_rest -= MIN(n->all_nr, nr_rest);
		if (!d->opts->width) {
			put_bars(d, level + 1);
			buf_putc(d->out, '\n');
		}
		if (i + 1 == d->nr[parent] && !(fractal && rest))
			d->bars.v[level] = false;
		end = put_run(d, node, level, total);
		put_children(d, end, level + 1, fractal ? children_period(&d->tree->nodes.v[end]) : total);
		if (++shown == d->opts->print_limit)
			break;
	}
	if (fractal && rest && rest != total)
		put_rest(d, level, rest, nr_rest, total);
	d->bars.nr--;
}

/* Draws the block before the first fork, if all paths of the entry go through it. Returns the node where the rest begins. */
static uint32_t put_trunk(struct drawing *d)
{
	uint32_t node = d->order[d->first[ROOT]], last = ROOT;
	uint64_t nr = 0;
	bool skip = d->scale->skip_first, begun = false;

	for (; node; last = node, node = only_way(d, node)) {
		if (skip) {
			skip = false;
			continue;
		}
		if (!begun) {
			put_margin(d);
			buf_puts(d->out, "|\n");
		}
		put_margin(d);
		if (!begun) {
			buf_puts(d->out, "---");
			d->margin += 3;
			begun = true;
		}
		put_name(d, node);
		buf_putc(d->out, '\n');
		if (++nr == d->opts->print_limit)
			return end_of_run(d, node);
	}
	return last;
}

/*
 * Draws the usual form. Frames without a fork are one block, and at a fork each branch begins with a line that has its share. On a
 * terminal, levels are indented less and there are no empty lines:
 *
 *	|
 *	---main
 *	   |
 *	   |--70.00%--work
 *	   |          leaf
 *	   |
 *	    --30.00%--other
 */
static void print_graph(struct drawing *d)
{
	size_t before = d->out->len;
	uint64_t total = d->opts->form == TREE_FRACTAL ? d->scale->entry : d->scale->total;
	uint32_t from = ROOT;

	if (d->nr[ROOT] == 1 && d->tree->nodes.v[d->order[d->first[ROOT]]].all_period == d->scale->entry)
		from = put_trunk(d);
	put_children(d, from, 0, total);
	if (d->out->len != before)
		buf_putc(d->out, '\n');
}

struct path_end { uint32_t node, rank; uint64_t period; };

ORDER(compare_ends, struct path_end, compare_numbers(b->period, a->period) ?: compare_numbers(a->rank, b->rank))

/* Stores the nodes from the root to @node in @path. Returns their number. */
static size_t path_to(const struct drawing *d, uint32_t node, uint32_t *path)
{
	size_t nr = 0;

	for (uint32_t n = node; n != ROOT; n = d->tree->nodes.v[n].parent)
		path[nr++] = n;
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t swap = path[i];

		path[i] = path[nr - 1 - i];
		path[nr - 1 - i] = swap;
	}
	return nr;
}

static void put_flat(struct drawing *d, const uint32_t *path, size_t nr, const struct call_node *end)
{
	buf_fill(d->out, ' ', MARGIN - 1);
	put_value(d, end->period, end->nr, d->scale->total);
	buf_putc(d->out, '\n');
	for (size_t i = 0; i < nr; i++) {
		buf_fill(d->out, ' ', MARGIN + 4);
		put_name(d, path[i]);
		buf_putc(d->out, '\n');
	}
	buf_putc(d->out, '\n');
}

static void put_folded(struct drawing *d, const uint32_t *path, size_t nr, const struct call_node *end)
{
	put_value(d, end->period, end->nr, d->scale->total);
	for (size_t i = 0; i < nr; i++) {
		buf_putc(d->out, i ? ';' : ' ');
		put_name(d, path[i]);
	}
	buf_putc(d->out, '\n');
}

/* Numbers the nodes in the order of a walk over the sorted tree. Paths of equal weight are sorted by these numbers. */
static void walk_order(const struct drawing *d, uint32_t *rank)
{
	VEC(uint32_t) stack = {0};
	uint32_t next = 0;

	vec_push(&stack, (uint32_t)ROOT);
	while (stack.nr) {
		uint32_t node = stack.v[--stack.nr];

		rank[node] = next++;
		for (uint32_t i = d->nr[node]; i-- > 0;)
			vec_push(&stack, d->order[d->first[node] + i]);
	}
	vec_free(&stack);
}

/* Draws the forms flat and folded, which print each path by itself, the heaviest first. */
static void print_paths(struct drawing *d)
{
	const struct call_tree *t = d->tree;
	uint64_t min = least(d, d->scale->total), nr_paths = 0;
	struct path_end *ends = xmalloc(t->nodes.nr * sizeof(*ends));
	uint32_t *path = xmalloc(t->nodes.nr * sizeof(*path)), *rank = xcalloc(t->nodes.nr, sizeof(*rank));
	size_t nr = 0;

	walk_order(d, rank);
	for (uint32_t i = 1; i < t->nodes.nr; i++)
		if (t->nodes.v[i].nr && t->nodes.v[i].period >= min)
			ends[nr++] = (struct path_end){ i, rank[i], t->nodes.v[i].period };
	qsort(ends, nr, sizeof(*ends), compare_ends);
	for (size_t i = 0; i < nr; i++) {
		const struct call_node *end = &t->nodes.v[ends[i].node];
		size_t length = path_to(d, ends[i].node, path);

		if (d->opts->form == TREE_FLAT)
			put_flat(d, path, length, end);
		else
			put_folded(d, path, length, end);
		if (++nr_paths == d->opts->print_limit)
			break;
	}
	free(ends);
	free(path);
	free(rank);
}

/* Keeps the first @max lines after @from, and appends the number of the other lines. */
static void keep_lines(struct buf *out, size_t from, uint64_t max)
{
	uint64_t nr = 0;
	size_t end = from;

	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == '\n' && ++nr == max)
			end = i + 1;
	if (nr <= max + 1)	/* the line with that number counts, too */
		return;
	out->len = end;
	buf_fill(out, ' ', MARGIN);
	buf_printf(out, "... %" PRIu64 " more lines (--all)\n\n", nr - max);
}

void call_tree_print(struct call_tree *t, const struct locations *locations, const struct tree_opts *opts,
		     const struct tree_scale *scale, struct buf *out)
{
	struct drawing d = { .tree = t, .locations = locations, .opts = opts, .scale = scale, .out = out, .margin = MARGIN };
	size_t from = out->len;

	if (!t->nodes.nr)
		return;
	add_up(t);
	sort_children(&d);
	if (opts->form == TREE_FLAT || opts->form == TREE_FOLDED)
		print_paths(&d);
	else if (opts->form != TREE_NONE)
		print_graph(&d);
	if (opts->screen)
		buf_escape_from(out, from, "\n\t");
	if (opts->max_lines)
		keep_lines(out, from, opts->max_lines);
	vec_free(&d.bars);
	free(d.order);
	free(d.first);
	free(d.nr);
}

/* ---- -g ---- */

struct word {
	const char *name;
	enum { WORD_FORM, WORD_ORDER, WORD_VALUE, WORD_KEY, WORD_BRANCH } kind;
	int value;
};

static const struct word words[] = {
	{ "graph", WORD_FORM, TREE_GRAPH },
	{ "fractal", WORD_FORM, TREE_FRACTAL },
	{ "flat", WORD_FORM, TREE_FLAT },
	{ "folded", WORD_FORM, TREE_FOLDED },
	{ "none", WORD_FORM, TREE_NONE },
	{ "caller", WORD_ORDER, true },
	{ "callee", WORD_ORDER, false },
	{ "percent", WORD_VALUE, TREE_PERCENT },
	{ "period", WORD_VALUE, TREE_PERIOD },
	{ "count", WORD_VALUE, TREE_COUNT },
	{ "function", WORD_KEY, TREE_BY_FUNCTION },
	{ "address", WORD_KEY, TREE_BY_ADDRESS },
	{ "srcline", WORD_KEY, TREE_BY_LINE },
	{ "branch", WORD_BRANCH, 0 },
};

static int apply_word(struct tree_opts *out, const struct word *w)
{
	switch (w->kind) {
	case WORD_FORM:
		out->form = (enum tree_form)w->value;
		break;
	case WORD_ORDER:
		out->caller_first = w->value;
		out->order_given = true;
		break;
	case WORD_VALUE:
		out->value = (enum tree_value)w->value;
		break;
	case WORD_KEY:
		out->key = (enum tree_key)w->value;
		break;
	case WORD_BRANCH:
		out->branches = true;
		break;
	}
	return 0;
}

static bool is_way_to_record(const char *text, size_t len)
{
	static const char *const ways[] = { "fp", "dwarf", "lbr" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (strlen(ways[i]) == len && !memcmp(ways[i], text, len))
			return true;
	return false;
}

static int parse_word(struct tree_opts *out, const char *text, size_t len, unsigned *nr_numbers)
{
	char *end;
	double number;

	for (const struct word *w = words; w < words + ARRAY_SIZE(words); w++)
		if (strlen(w->name) == len && !memcmp(w->name, text, len))
			return apply_word(out, w);
	if (is_way_to_record(text, len))
		return error("'%.*s' is how call graphs are recorded (record --call-graph %.*s); here -g says how they are drawn",
			     (int)len, text, (int)len, text);
	number = strtod(text, &end);
	if (end != text + len || !isfinite(number) || number < 0 || *nr_numbers == 2)
		return error("unknown call graph option '%.*s': see -g in prec-report(1)", (int)len, text);
	if ((*nr_numbers)++)
		out->print_limit = (uint64_t)MIN(number, 1e18);
	else
		out->min_percent = number;
	return 0;
}

int tree_opts_parse(struct tree_opts *out, const char *arg)
{
	unsigned nr_numbers = 0;

	while (*arg) {
		size_t len = strcspn(arg, ",");

		if (len && parse_word(out, arg, len, &nr_numbers))
			return -1;
		arg += len + (arg[len] != '\0');
	}
	return 0;
}
