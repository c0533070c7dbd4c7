/*
 * Writes the result of prec query as an Arrow IPC stream: a schema, batches of rows, and an end-of-stream marker. result.c calls
 * it.
 * Source: arrow.apache.org/docs/format/Columnar.html, "Serialization and Interprocess Communication".
 */
#ifndef CORE_SHOW_QUERY_ARROW_H
#define CORE_SHOW_QUERY_ARROW_H

#include <stddef.h>
#include <stdint.h>

struct arrow;
struct outfile;

enum arrow_type { ARROW_INT64, ARROW_DOUBLE, ARROW_TEXT };

/* Owned by the caller: arrow_end(). @out is borrowed until then. The host must be little-endian. Memory holds one batch of rows. */
struct arrow *arrow_new(struct outfile *out);
/* Declares the next column, which may contain nulls. All columns must be declared before the first row. */
void arrow_column(struct arrow *a, const char *name, enum arrow_type type);

/* Append the next cell of the row, in the order of the columns and of the column's type. Invalid UTF-8 becomes U+FFFD. */
void arrow_int(struct arrow *a, int64_t v);
void arrow_double(struct arrow *a, double v);
void arrow_text(struct arrow *a, const char *text);
void arrow_null(struct arrow *a);
void arrow_end_row(struct arrow *a);

/* Writes the remaining rows and the end-of-stream marker, and frees @a. */
void arrow_end(struct arrow *a);

#endif
