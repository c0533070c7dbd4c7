/*
 * An outline: rows that can be opened to show rows below them. The functions view, the sandwich and the call tree use it.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_OUTLINE_H
#define CORE_SHOW_BROWSE_OUTLINE_H

#include "core/show/browse/browser.h"

#define OUTLINE_DSO_TITLE 13u	/* columns of "Shared object", the title of files */

struct outline_line {
	struct tree_row *row;	/* NULL: a title */
	const char *title;
};

struct outline {		/* a view's state; zeroed */
	struct tree_rows roots;
	VEC(struct outline_line) lines;
	unsigned dso_width;	/* of the column; 0: there is none */
	bool both;		/* columns of samples with and without callees */
	struct tree_rows kept;	/* of the profile before, in the numbers of this one: what was open */
	const struct tree_row *hottest;	/* that is open from the beginning, until all are made again; NULL: none */
	bool differences;	/* of two sides: rows are those of the comparison, with errors */
};

/* For view_ops.carry, and when the roots are made: open what was open. */
void outline_carry(struct view *v, const struct renumbering *r);
void outline_reopen(struct outline *o, struct browser *b);

/* Begin again, without rows. */
void outline_clear(struct outline *o);
void outline_release(struct view *v);
/* Append a row and what is open below it. */
void outline_add(struct outline *o, struct browser *b, struct tree_row *row);
/* All of the roots, but those that filters hide. */
void outline_list(struct outline *o, struct browser *b);

/* Open @row and the largest below it, each with half of the one above at least, in @lines lines. */
void outline_open_hottest(struct browser *b, struct tree_row *row, unsigned lines);

size_t outline_count(struct browser *b, const struct view *v);
void outline_draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y);
void outline_draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row);
uint32_t outline_function(struct browser *b, const struct view *v);
/* Opening and closing; @list makes the lines again. */
bool outline_act(struct browser *b, struct view *v, enum action action, void (*list)(struct browser *b, struct view *v));

#endif
