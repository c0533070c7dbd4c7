/*
 * Computes the rows of the browser's call trees: the functions of the first level, and the callers or callees below an opened
 * row. Sorts them by their sums of samples. outline.c and view_flame.c draw the rows.
 */
#include "core/show/browse/tree.h"

#include <stdlib.h>
#include <string.h>

static struct tree_row *new_row(uint32_t function, enum direction direction)
{
	struct tree_row *row = xcalloc(1, sizeof(*row));

	row->function = function;
	row->direction = direction;
	return row;
}

void tree_row_free(struct tree_row *row)
{
	if (!row)
		return;
	vec_for(below, &row->rows)
		tree_row_free(*below);
	vec_free(&row->rows);
	vec_free(&row->nodes);
	free(row);
}

void tree_rows_release(struct tree_rows *rows)
{
	vec_for(row, &rows->list)
		tree_row_free(*row);
	vec_free(&rows->list);
}

/* ---- order ---- */

struct ranked { struct tree_row *row; const struct model *model; enum shown shown; };

static int by_name(const struct model *m, uint32_t a, uint32_t b)
{
	const char *x = model_function_name(m, a), *y = model_function_name(m, b);
	int order = !x - !y;

	return order || !x ? order : strcmp(x, y);
}

ORDER(by_sum, struct ranked,
	compare_numbers(sum_rank(&b->row->sum, b->shown), sum_rank(&a->row->sum, a->shown)) ?:
	compare_numbers(b->row->sum.period, a->row->sum.period) ?: by_name(a->model, a->row->function, b->row->function) ?:
	compare_numbers(a->row->function, b->row->function))

static void sort_rows(struct tree_row **rows, size_t nr, const struct model *m, const struct selection *s)
{
	struct ranked *ranked = xmalloc(MAX(nr, 1) * sizeof(*ranked));

	for (size_t i = 0; i < nr; i++)
		ranked[i] = (struct ranked){ rows[i], m, s->shown };
	if (nr)
		qsort(ranked, nr, sizeof(*ranked), by_sum);
	for (size_t i = 0; i < nr; i++)
		rows[i] = ranked[i].row;
	free(ranked);
}

void tree_sort_below(struct tree_row *row, const struct model *m, const struct selection *s)
{
	sort_rows(row->rows.v, row->rows.nr, m, s);
	vec_for(below, &row->rows)
		tree_sort_below(*below, m, s);
}

void tree_sort(struct tree_rows *rows, const struct model *m, const struct selection *s)
{
	sort_rows(rows->list.v, rows->list.nr, m, s);
	vec_for(row, &rows->list)
		tree_sort_below(*row, m, s);
}

struct tree_row *tree_function(const struct selection *s, uint32_t function, bool own, enum direction direction)
{
	struct tree_row *row = new_row(function, direction);

	row->own = own;
	row->sum = own ? s->self[function] : s->children[function];
	return row;
}

void tree_functions(struct tree_rows *out, const struct model *m, const struct selection *s, bool own, enum direction direction)
{
	const struct sum *sums = own ? s->self : s->children;

	for (uint32_t f = 0; f <= m->unknown; f++)
		if (sums[f].nr)
			vec_push(&out->list, tree_function(s, f, own, direction));
	sort_rows(out->list.v, out->list.nr, m, s);
}

void tree_roots(struct tree_rows *out, const struct model *m, const struct selection *s, enum direction direction)
{
	struct tree_row root = { .direction = direction, .is_made = false };

	if (direction == CALLEES) {
		vec_push(&root.nodes, ((struct tree_node){ .node = PROFILE_ROOT }));
	} else {
		for (uint32_t n = 1; n < m->d->stacks.nr; n++)
			if (s->node_self[n].nr)
				vec_push(&root.nodes, ((struct tree_node){ .node = n, .sum = s->node_self[n] }));
	}
	tree_make_rows(&root, m, s, 0);
	vec_for(row, &root.rows) {
		(*row)->parent = NULL;
		(*row)->depth = 0;
		vec_push(&out->list, *row);
	}
	vec_free(&root.rows);
	vec_free(&root.nodes);
}

/* ---- where a function's samples are ---- */

static void find_own_nodes(struct tree_row *row, const struct model *m, const struct selection *s)
{
	for (size_t i = 0; i < m->d->weights.nr; i++) {
		uint32_t node = m->d->weights.v[i].stack;

		if (m->weight_functions[i] != row->function || !s->weights[i].nr || node == PROFILE_ROOT)
			continue;
		if (m->node_functions[node] == row->function)
			node = m->d->stacks.v[node].parent;
		vec_push(&row->nodes, ((struct tree_node){ node, selection_weight(s, m, i) }));
	}
}

/* Finds the element of row->nodes that was pushed for @node, another node of the same function. @pushed is ascending. */
static struct tree_node *find_pushed(struct tree_row *row, const uint32_t *pushed, uint32_t node)
{
	return &row->nodes.v[bisect(i, 0, row->nodes.nr, pushed[i] < node)];
}

static uint32_t outer_node(const struct model *m, uint32_t node)
{
	uint32_t function = m->node_functions[node];

	do
		node = m->d->stacks.v[node].parent;
	while (m->node_functions[node] != function);
	return node;
}

/* Finds the callers of the function's frames. In recursion each sample counts once, for the innermost frame of the function. */
static void find_innermost_nodes(struct tree_row *row, const struct model *m, const struct selection *s)
{
	VEC(uint32_t) pushed = {0};

	for (uint32_t i = m->first_node[row->function]; i < m->first_node[row->function + 1]; i++) {
		uint32_t n = m->function_nodes[i];

		if (!s->node_total[n].nr)
			continue;
		if (!m->is_outermost[n])
			sum_subtract(&find_pushed(row, pushed.v, outer_node(m, n))->sum, &s->node_total[n]);
		vec_push(&row->nodes, ((struct tree_node){ .node = m->d->stacks.v[n].parent, .sum = s->node_total[n] }));
		vec_push(&pushed, n);
	}
	vec_free(&pushed);
}

static void find_outermost_nodes(struct tree_row *row, const struct model *m, const struct selection *s)
{
	for (uint32_t i = m->first_node[row->function]; i < m->first_node[row->function + 1]; i++) {
		uint32_t n = m->function_nodes[i];

		if (m->is_outermost[n] && s->node_total[n].nr)
			vec_push(&row->nodes, ((struct tree_node){ .node = n, .sum = s->node_total[n] }));
	}
}

static void find_nodes(struct tree_row *row, const struct model *m, const struct selection *s)
{
	if (row->parent || row->nodes.nr)
		return;
	if (row->own)
		find_own_nodes(row, m, s);
	else if (row->direction == CALLERS)
		find_innermost_nodes(row, m, s);
	else
		find_outermost_nodes(row, m, s);
}

/* ---- below a row ---- */

struct grouping {		/* collects the rows below the row .above, one for each function */
	const struct model *model;
	struct tree_row *above;
	void **by_function;		/* struct tree_row, by function */
};

static void add_to_group(struct grouping *g, uint32_t function, uint32_t node, const struct sum *sum)
{
	struct tree_row *row = g->by_function[function];

	if (!sum->nr)
		return;
	if (!row) {
		row = g->by_function[function] = new_row(function, g->above->direction);
		row->parent = g->above;
		row->depth = g->above->depth + 1;
		vec_push(&g->above->rows, row);
	}
	sum_add(&row->sum, sum);
	vec_push(&row->nodes, ((struct tree_node){ .node = node, .sum = *sum }));
}

static void group_callers(struct grouping *g, const struct tree_node *n)
{
	const struct model *m = g->model;

	if (n->node != PROFILE_ROOT)
		add_to_group(g, m->node_functions[n->node], m->d->stacks.v[n->node].parent, &n->sum);
}

static void group_callees(struct grouping *g, const struct selection *s, const struct tree_node *n)
{
	const struct profile_stack *stack = &g->model->d->stacks.v[n->node];

	for (uint32_t i = 0; i < stack->nr_children; i++) {
		uint32_t child = stack->first_child + i;

		add_to_group(g, g->model->node_functions[child], child, &s->node_total[child]);
	}
}

static void drop_small(struct tree_row *row, uint64_t least)
{
	size_t kept = 0;

	vec_for(below, &row->rows) {
		if ((*below)->sum.period >= least)
			row->rows.v[kept++] = *below;
		else
			tree_row_free(*below);
	}
	row->rows.nr = kept;
}

void tree_make_rows(struct tree_row *row, const struct model *m, const struct selection *s, uint64_t least)
{
	struct grouping g = { .model = m, .above = row };

	if (row->is_made)
		return;
	row->is_made = true;
	find_nodes(row, m, s);
	g.by_function = s->groups;
	vec_for(n, &row->nodes) {
		if (row->direction == CALLERS)
			group_callers(&g, n);
		else
			group_callees(&g, s, n);
	}
	vec_for(below, &row->rows)
		g.by_function[(*below)->function] = NULL;
	drop_small(row, least);
	sort_rows(row->rows.v, row->rows.nr, m, s);
}
