/*
 * Prints the comparison of two groups of recordings (diff.h) as text or as JSON, for prec diff. The terminal browser of prec
 * diff (cmd/diff_browse.c) shows parts of the text, such as its column titles.
 */
#ifndef CORE_SHOW_DIFF_DIFF_PRINT_H
#define CORE_SHOW_DIFF_DIFF_PRINT_H

#include <stdbool.h>

struct buf;
struct diff;
struct diff_row;
struct json;
struct terminal;

/* Prints the whole comparison. @event: its name. @all: prints small unchanged rows, too, instead of their sum. */
void diff_print(const struct diff *d, const char *event, bool all, const struct terminal *t, struct buf *out);
/* Parts: the answer (at most two lines); all above the rows; column titles; a row's numbers; its name, and notes on its match. */
void diff_put_answer(const struct diff *d, struct buf *out);
void diff_put_head(const struct diff *d, const char *event, const struct terminal *t, struct buf *out);
void diff_put_titles(const struct diff *d, struct buf *out);
void diff_put_numbers(const struct diff *d, const struct diff_row *row, struct buf *out);
void diff_put_name(const struct diff *d, const struct diff_row *row, struct buf *out);

void diff_print_json(const struct diff *d, const char *event, struct json *out);

#endif
