/*
 * Writes a table as a Parquet file, row by row. cells.c calls it for prec export and prec query. parquet_encoding.h encodes the
 * values, and thrift.h encodes the headers and the footer.
 *
 *	struct parquet *p = parquet_new(outfile);
 *
 *	parquet_number(p, "time", 17);
 *	parquet_text(p, "comm", parquet_string(p, comm));
 *	parquet_end_row(p, true);
 *	...
 *	parquet_end(p);
 *
 * Source: README.md, LogicalTypes.md, Encodings.md and parquet.thrift of apache/parquet-format.
 */
#ifndef CORE_SHOW_EXPORT_PARQUET_H
#define CORE_SHOW_EXPORT_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outfile;
struct parquet;

/* @out is borrowed until parquet_end(). Memory holds one row group's compressed pages, and each distinct text once. */
struct parquet *parquet_new(struct outfile *out);
void parquet_end(struct parquet *p);

enum parquet_kind { PARQUET_NUMBER, PARQUET_SIGNED, PARQUET_DOUBLE, PARQUET_TEXT, PARQUET_LIST };

/* Declares a column @name, even if no row has it. Columns that are not declared are created by their first cell. */
void parquet_column(struct parquet *p, const char *name, enum parquet_kind kind);

/* Promises that from now on a column's name is always the same string, so that its address identifies the column. */
void parquet_names_stay(struct parquet *p);

/* The number of a text, for parquet_text() and parquet_list(). Invalid UTF-8 becomes U+FFFD. */
uint32_t parquet_string(struct parquet *p, const char *text);

/* A column has one kind in all rows, and at most one cell a row. Rows that lack it get NULL, or an empty list. */
void parquet_text(struct parquet *p, const char *name, uint32_t string);
void parquet_number(struct parquet *p, const char *name, uint64_t v);
void parquet_signed(struct parquet *p, const char *name, int64_t v);
void parquet_double(struct parquet *p, const char *name, double v);
void parquet_none(struct parquet *p, const char *name);
/* A list of @nr texts. */
void parquet_list(struct parquet *p, const char *name, const uint32_t *strings, size_t nr);
/* Ends the row. @whole: no more columns will be created, so a large row group may be written. */
void parquet_end_row(struct parquet *p, bool whole);

#endif
