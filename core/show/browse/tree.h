/*
 * Computes the rows of the browser's call trees. The callers or callees of a function are computed only when the user opens its
 * row. outline.c and view_flame.c draw the rows.
 */
#ifndef CORE_SHOW_BROWSE_TREE_H
#define CORE_SHOW_BROWSE_TREE_H

#include "core/show/browse/filters.h"

/* CALLERS: from a function's innermost frame outwards, like -g callee. CALLEES: from its outermost inwards, like -g caller. */
enum direction { CALLERS, CALLEES };

struct tree_node {		/* the samples of a row at one stack node */
	uint32_t node;		/* CALLERS: the caller that comes next, or the root; CALLEES: the node itself */
	struct sum sum;
};

struct tree_row {
	uint32_t function;
	struct sum sum;
	struct tree_row *parent;	/* NULL: a row of the first level */
	unsigned depth;
	enum direction direction;
	bool open, is_made;		/* is_made: .rows are known */
	bool own;			/* .sum has only the samples taken in the function itself, without those of its callees */
	VEC(struct tree_node) nodes;	/* made when needed for rows of the first level */
	VEC(struct tree_row *) rows;	/* owned; the largest first */
};

struct tree_rows { VEC(struct tree_row *) list; };	/* owned; = {0}; tree_rows_release() */

/* Sorted by samples, then by name. @own: only samples in the function itself count; else samples in callees, too. */
void tree_functions(struct tree_rows *out, const struct model *m, const struct selection *s, bool own, enum direction direction);
/* The row of one function, with or without samples. */
struct tree_row *tree_function(const struct selection *s, uint32_t function, bool own, enum direction direction);
/* Lists the outermost functions, or with CALLERS those in which samples were taken. */
void tree_roots(struct tree_rows *out, const struct model *m, const struct selection *s, enum direction direction);
/* Sort by the value that the selection shows now (.shown): all rows of all levels, or only the rows below one. */
void tree_sort(struct tree_rows *rows, const struct model *m, const struct selection *s);
void tree_sort_below(struct tree_row *row, const struct model *m, const struct selection *s);
void tree_rows_release(struct tree_rows *rows);
void tree_row_free(struct tree_row *row);

/* Makes the rows below @row. Rows with a period below @least are left out. */
void tree_make_rows(struct tree_row *row, const struct model *m, const struct selection *s, uint64_t least);

#endif
