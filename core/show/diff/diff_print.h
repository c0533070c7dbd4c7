/* Prints a comparison as text for people, or as JSON. Layer: diff */
#ifndef CORE_SHOW_DIFF_DIFF_PRINT_H
#define CORE_SHOW_DIFF_DIFF_PRINT_H

#include <stdbool.h>

struct buf;
struct diff;
struct diff_row;
struct json;
struct terminal;

/* @event: its name. @all: each row has a line, if small ones that have not changed would be summed up. */
void diff_print(const struct diff *d, const char *event, bool all, const struct terminal *t, struct buf *out);
/* Parts of it: the sentence, in two lines at most; all above the rows; above their numbers; a row's numbers; its name, notes. */
void diff_put_answer(const struct diff *d, struct buf *out);
void diff_put_head(const struct diff *d, const char *event, const struct terminal *t, struct buf *out);
void diff_put_titles(const struct diff *d, struct buf *out);
void diff_put_numbers(const struct diff *d, const struct diff_row *row, struct buf *out);
void diff_put_name(const struct diff *d, const struct diff_row *row, struct buf *out);

void diff_print_json(const struct diff *d, const char *event, struct json *out);

#endif
