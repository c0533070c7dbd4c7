/* A comparison as text for people, and as JSON. Layer: diff */
#ifndef CORE_DIFF_DIFF_PRINT_H
#define CORE_DIFF_DIFF_PRINT_H

#include <stdbool.h>

struct buf;
struct diff;
struct json;
struct terminal;

/* @event: its name. @all: each row has a line, where small ones that have not changed would be summed up. */
void diff_print(const struct diff *d, const char *event, bool all, const struct terminal *t, struct buf *out);
void diff_print_json(const struct diff *d, const char *event, struct json *out);

#endif
