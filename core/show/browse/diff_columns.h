/*
 * Sorts the browser's rows in prec diff, which compares two recordings, A and B. Also draws the columns with amounts and
 * differences. outline.c draws the rest of a row.
 */
#ifndef CORE_SHOW_BROWSE_DIFF_COLUMNS_H
#define CORE_SHOW_BROWSE_DIFF_COLUMNS_H

#include "core/show/browse/browser.h"

/* Shows the next of these three: the difference, A alone, B alone. */
void diff_columns_turn(struct browser *b);
/* A label for the one that is shown, such as "A alone". */
const char *diff_columns_shown(const struct browser *b);

/* Appends the functions, in the order of the comparison, or sorted by the side that is shown alone. */
void diff_columns_functions(struct tree_rows *out, struct browser *b);
void diff_columns_order(struct tree_rows *rows, struct browser *b);
bool diff_columns_hide(const struct browser *b, const struct tree_row *row);

/* @functions: the rows are those of the comparison, with errors; else they are rows of a call tree. */
void diff_columns_draw_titles(struct browser *b, struct canvas *c, unsigned y, bool functions);
/* Returns the first column after the numbers. *look of the name: red if B takes more, blue if less, none if small or chance. */
unsigned diff_columns_draw_numbers(struct browser *b, struct canvas *c, unsigned y, const struct tree_row *row, bool functions,
					  unsigned *look);
/* Appends the row's name, printable. */
void diff_columns_put_name(const struct browser *b, const struct tree_row *row, bool functions, struct buf *out);
/* Appends "105 ms  135 ms  +30 ms  +28.6 %", or the amount and the share of the side that is shown alone. */
void diff_columns_put_numbers(const struct browser *b, const struct sum *sum, struct buf *out);
unsigned diff_columns_bar_look(const struct sum *sum);

#endif
