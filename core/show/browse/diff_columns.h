/*
 * Rows and bars of two sides: red where B takes more, blue where it takes less.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_DIFF_COLUMNS_H
#define CORE_SHOW_BROWSE_DIFF_COLUMNS_H

#include "core/show/browse/browser.h"

/* Show the difference, A or B: the next of the three. */
void sides_turn(struct browser *b);
/* A label for the side that is shown. */
const char *sides_shown(const struct browser *b);

/* Functions in the order of the comparison, or of the side that is shown. */
void sides_functions(struct tree_rows *out, struct browser *b);
/* The same rows in another order. */
void sides_order(struct tree_rows *rows, struct browser *b);
/* True if the side that is shown has no samples in the row. */
bool sides_hide(const struct browser *b, const struct tree_row *row);

/* @functions: rows of the comparison, with their errors; else those of a call tree. */
void sides_draw_titles(struct browser *b, struct canvas *c, unsigned y, bool functions);
/* Returns the column that follows, and how the row looks. */
unsigned sides_draw_numbers(struct browser *b, struct canvas *c, unsigned y, const struct tree_row *row, bool functions,
			    unsigned *look);
/* Printable. */
void sides_put_name(const struct browser *b, const struct tree_row *row, bool functions, struct buf *out);
/* "105 ms  135 ms  +30 ms  +28.6 %" */
void sides_put_numbers(const struct browser *b, const struct sum *sum, struct buf *out);
unsigned sides_look_of_bar(const struct browser *b, const struct sum *sum);

#endif
