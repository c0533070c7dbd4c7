/*
 * Draws the numbers and bars of the browser when it compares two recordings, A and B (prec diff). A row is red if B takes more
 * than A, and blue if B takes less.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_DIFF_COLUMNS_H
#define CORE_SHOW_BROWSE_DIFF_COLUMNS_H

#include "core/show/browse/browser.h"

/* Switches to the next of: difference, A, B. */
void diff_columns_turn(struct browser *b);
/* A label for the side that is shown. */
const char *diff_columns_shown(const struct browser *b);

/* Appends the functions, sorted as in the comparison, or by the side that is shown. */
void diff_columns_functions(struct tree_rows *out, struct browser *b);
/* Sorts the same rows again, after diff_columns_turn(). */
void diff_columns_order(struct tree_rows *rows, struct browser *b);
/* True if the side that is shown has no samples in the row. */
bool diff_columns_hide(const struct browser *b, const struct tree_row *row);

/* @functions: rows of the comparison, with their errors; else those of a call tree. */
void diff_columns_draw_titles(struct browser *b, struct canvas *c, unsigned y, bool functions);
/* Returns the column that follows, and how the row looks. */
unsigned diff_columns_draw_numbers(struct browser *b, struct canvas *c, unsigned y, const struct tree_row *row, bool functions,
					  unsigned *look);
/* Appends the row's name, printable. */
void diff_columns_put_name(const struct browser *b, const struct tree_row *row, bool functions, struct buf *out);
/* "105 ms  135 ms  +30 ms  +28.6 %" */
void diff_columns_put_numbers(const struct browser *b, const struct sum *sum, struct buf *out);
unsigned diff_columns_bar_look(const struct browser *b, const struct sum *sum);

#endif
