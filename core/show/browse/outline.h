/*
 * Implements a list of functions in which a row opens to show its callers or callees below it. The functions view, the sandwich
 * view and the call tree view of the browser use it.
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
	unsigned dso_width;	/* of the column of files; 0: there is no such column */
	bool both;		/* columns of samples with and without callees */
	struct tree_rows kept;	/* during a reload: the open rows of the old profile, with function numbers of the new one */
	const struct tree_row *hottest;	/* the row that is open at first, until rows are made again; NULL: none */
	bool differences;	/* prec diff: the rows are those of the comparison, with errors */
};

/* Keep the open rows across a reload: outline_carry() is a view_ops.carry; outline_reopen() is called when roots were made. */
void outline_carry(struct view *v, const struct renumbering *r);
void outline_reopen(struct outline *o, struct browser *b);

void outline_clear(struct outline *o);
void outline_release(struct view *v);
/* Appends a row and the open rows below it. */
void outline_add(struct outline *o, struct browser *b, struct tree_row *row);
/* Lists all roots that filters do not hide, with the open rows below them. */
void outline_list(struct browser *b, struct view *v);

/* Opens the largest row again and again, until it has less than half of the samples above, or rows exceed @lines lines. */
void outline_open_hottest(struct browser *b, struct tree_row *row, unsigned lines);

size_t outline_count(struct browser *b, const struct view *v);
void outline_draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y);
void outline_draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row);
uint32_t outline_function(struct browser *b, const struct view *v);
/* Handles the actions that open and close rows. @list makes the lines again. */
bool outline_act(struct browser *b, struct view *v, enum action action, void (*list)(struct browser *b, struct view *v));

#endif
