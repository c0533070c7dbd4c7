/*
 * Prints the merged call tree of two recordings (joined_tree.h) for prec diff --tree: each node's weight in A, the first
 * recording, and in B, the second, with the largest changes first. For --folded it writes the tree as folded stacks.
 */
#include "core/show/diff/tree_print.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/show/diff/joined_tree.h"

/*
 * Without --all, nodes are left out if their .moved is below this share of the larger side's total. Because .moved adds up
 * differences without their signs, a node is printed even if one of its callees gained as much as another one lost.
 */
#define LEAST_MOVED	0.005
#define NAME_COLUMN	42
#define NAME_LEAST	20
#define DEPTH_MAX	40	/* a name is indented by at most this many columns */

struct printing {
	const struct joined_tree *tree;
	const struct terminal *screen;
	struct buf *out;
	uint32_t *first, *next;		/* lists of a node's children, the one that moved most first; owned */
	double least;			/* smaller movements are not shown */
	bool all;
};

static double most_of(const struct joined_node *n)
{
	return MAX(n->total[SIDE_A], n->total[SIDE_B]);
}

static int by_moved(const void *a, const void *b, void *arg)
{
	const struct joined_tree *t = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct joined_node *n = &t->nodes.v[x], *m = &t->nodes.v[y];

	return compare_numbers(m->moved, n->moved) ?: compare_numbers(most_of(m), most_of(n)) ?: strcmp(n->name, m->name);
}

/* Prepends the children to their parent's list from the least to the largest difference, so the largest is the first. */
static void link_children(struct printing *p)
{
	size_t nr = p->tree->nodes.nr;
	uint32_t *order = xmalloc(nr * sizeof(*order));

	p->first = xcalloc(nr, sizeof(*p->first));
	p->next = xcalloc(nr, sizeof(*p->next));
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), by_moved, (void *)(uintptr_t)p->tree);
	for (size_t i = nr; i-- > 0;) {
		uint32_t n = order[i], parent = p->tree->nodes.v[n].parent;

		if (n == JOINED_ROOT)
			continue;
		p->next[n] = p->first[parent];
		p->first[parent] = n;
	}
	free(order);
}

static bool is_shown(const struct printing *p, uint32_t n)
{
	const struct joined_node *node = &p->tree->nodes.v[n];

	return p->all || (node->moved >= p->least && node->moved > 0);
}

/* ---- a line ---- */

void tree_put_amount(enum profile_unit unit, enum diff_per per, double v, struct buf *out)
{
	double size = fabs(v);

	if (per == PER_TOTAL)
		buf_printf(out, "%.2f %%", 100 * size);
	else if (unit == PROFILE_NS && size >= 1)
		put_length(out, (uint64_t)size);
	else if (size >= 1000 && size < 1e18)
		put_amount(out, (uint64_t)size);
	else
		buf_printf(out, "%.4g", size);
}

static void put_value(enum profile_unit unit, enum diff_per per, double v, bool sign, struct buf *out)
{
	struct buf text = {0};

	tree_put_amount(unit, per, v, &text);
	buf_printf(out, "%*s%s%s", MAX(9 - (int)text.len, 0), "", !sign ? " " : v < 0 ? "-" : "+", buf_str(&text));
	buf_release(&text);
}

static void put_ratio(double a, double b, struct buf *out)
{
	double ratio = b / a;

	if (!(a > 0))
		buf_puts(out, "    only B");
	else if (!(b > 0))
		buf_puts(out, "    only A");
	else if (ratio >= 10)
		buf_printf(out, "%8.3g x", ratio);
	else
		buf_printf(out, "%+8.1f %%", 100 * (ratio - 1));
}

void tree_put_numbers(enum profile_unit unit, enum diff_per per, double a, double b, struct buf *out)
{
	put_value(unit, per, a, false, out);
	put_value(unit, per, b, false, out);
	put_value(unit, per, b - a, true, out);
	put_ratio(a, b, out);
	buf_puts(out, "  ");
}

static enum style style_of(const struct printing *p, const struct joined_node *n)
{
	double change = joined_change(n);

	if (fabs(change) < 4 * p->least)
		return fabs(change) < p->least ? STYLE_FAINT : STYLE_PLAIN;
	return change > 0 ? STYLE_HOT : STYLE_WARM;
}

static void put_node(const struct printing *p, uint32_t number, unsigned depth)
{
	const struct joined_node *n = &p->tree->nodes.v[number];
	size_t room = MAX(p->screen->width, 80) - NAME_COLUMN - MIN(depth, DEPTH_MAX);
	struct buf name = {0};

	buf_put_printable(&name, number ? n->name : "[all]");
	put_style(p->out, p->screen->colors, style_of(p, n));
	tree_put_numbers(p->tree->unit, p->tree->per, n->total[SIDE_A], n->total[SIDE_B], p->out);
	buf_printf(p->out, "%*s", (int)MIN(depth, DEPTH_MAX), "");
	if (p->screen->is_terminal)
		fit_name(name.data, name.len, MAX(room, NAME_LEAST), p->out);
	else
		buf_put(p->out, name.data, name.len);
	put_style(p->out, p->screen->colors, STYLE_PLAIN);
	buf_putc(p->out, '\n');
	buf_release(&name);
}

/* ---- the tree ---- */

static unsigned shown_children(const struct printing *p, uint32_t n)
{
	unsigned nr = 0;

	for (uint32_t c = p->first[n]; c; c = p->next[c])
		nr += is_shown(p, c);
	return nr;
}

/* A list, because files determine the depth. Below two levels, children are indented only if several are shown. */
static void put_tree(const struct printing *p)
{
	struct level { uint32_t node; unsigned depth; };
	VEC(struct level) todo = {0};

	vec_push(&todo, (struct level){ JOINED_ROOT, 0 });
	while (todo.nr) {
		struct level at = todo.v[--todo.nr];
		size_t begin = todo.nr;

		put_node(p, at.node, at.depth);
		for (uint32_t c = p->first[at.node]; c; c = p->next[c])
			if (is_shown(p, c))
				vec_push(&todo, (struct level){ c, at.depth + (shown_children(p, at.node) > 1 || at.depth < 2) });
		for (size_t i = begin, k = todo.nr; i + 1 < k; i++) {
			struct level one = todo.v[i];

			todo.v[i] = todo.v[--k];
			todo.v[k] = one;
		}
	}
	vec_free(&todo);
}

void tree_print(const struct joined_tree *t, const char *event, bool all, const struct terminal *screen, struct buf *out)
{
	struct printing p = { .tree = t, .screen = screen, .out = out, .all = all };
	size_t hidden = 0;

	p.least = LEAST_MOVED * most_of(&t->nodes.v[JOINED_ROOT]);
	link_children(&p);
	buf_puts(out, "# '");
	buf_put_printable(out, event);
	buf_puts(out, "', by caller: what moved most first\n# What may be chance: the errors are in the table of functions\n");
	if (!t->has_chains)
		buf_puts(out, "# There are no call chains: record -g keeps them\n");
	match_put_files(t->match, "# ", out);
	put_style(out, screen->colors, STYLE_TITLE);
	buf_puts(out, "\n" TREE_TITLES "function");
	put_style(out, screen->colors, STYLE_PLAIN);
	buf_putc(out, '\n');
	put_tree(&p);
	for (uint32_t i = 1; i < t->nodes.nr; i++)
		hidden += !is_shown(&p, i);
	if (hidden)
		buf_printf(out, "%12s%zu more, which moved less than %.1f %% of the whole (--all)\n", "", hidden,
			   100 * LEAST_MOVED);
	free(p.first);
	free(p.next);
}

/* ---- folded stacks ---- */

/* Replaces characters that would end a frame or a line, and blanks of comms, as stackcollapse-perf.pl does. */
static void put_folded_name(const struct joined_node *n, struct buf *out)
{
	for (const char *c = n->name; *c; c++)
		if (*c == ';')
			buf_putc(out, ':');
		else if ((unsigned char)*c < ' ' || *c == 0x7f)
			buf_putc(out, '?');
		else
			buf_putc(out, n->comm && *c == ' ' ? '_' : *c);
}

static void put_stack(const struct joined_tree *t, uint32_t stack, struct buf *out)
{
	VEC(uint32_t) path = {0};

	for (uint32_t n = stack; n != JOINED_ROOT; n = t->nodes.v[n].parent)
		vec_push(&path, n);
	for (size_t i = path.nr; i-- > 0;) {
		put_folded_name(&t->nodes.v[path.v[i]], out);
		buf_puts(out, i ? ";" : "");
	}
	buf_printf(out, " %.0f %.0f\n", t->nodes.v[stack].self[SIDE_A], t->nodes.v[stack].self[SIDE_B]);
	vec_free(&path);
}

void tree_print_folded(const struct joined_tree *t, struct buf *out)
{
	for (uint32_t i = 1; i < t->nodes.nr; i++)
		if (t->nodes.v[i].self[SIDE_A] > 0 || t->nodes.v[i].self[SIDE_B] > 0)
			put_stack(t, i, out);
}
