/*
 * Groups samples for SQL statements of prec query that do not use the time. One row stands for all samples that are equal in
 * every column of the statement. virtual_table.c reads these rows.
 */
#ifndef CORE_SHOW_QUERY_SUM_ROWS_H
#define CORE_SHOW_QUERY_SUM_ROWS_H

#include "core/show/query/query_impl.h"

#define MAX_CONDITIONS 16

/* The value of key column @number of @t: a number in two's complement, or a string of the profile. */
enum value_kind query_key_value(const struct query_row *row, const struct query_table *t, unsigned number, uint64_t *out);
/* As query_key_value(), for any column for which query_is_compared() is true. */
enum value_kind query_value(const struct query_row *row, const struct query_table *t, unsigned number, uint64_t *out);
/* For query_row.values: by column of @t, the position of its value in .sample.values. Owned by the caller. */
uint32_t *query_find_values(const struct query_row *row, const struct query_table *t);
/* True if values of the column can be compared and sorted without SQLite. */
bool query_is_compared(const struct query_column *c);

/* A condition of WHERE that rows must meet: a column compared with a number, or equal to a text. SQLite checks it again. */
struct condition {
	unsigned column;
	char sign;
	enum value_kind kind;		/* VALUE_STRING: .text, owned */
	union { int64_t number; char *text; };
};

struct conditions { struct condition v[MAX_CONDITIONS]; unsigned nr; };

/* Asks SQLite for the values of the conditions that can be checked here. Appends them to @text: "|3=5<" for columns 3 and 5. */
void conditions_offer(const struct query_table *t, sqlite3_index_info *info, struct buf *text);
/* @text: that of conditions_offer(), or NULL. @argv has the values. */
void conditions_parse(struct conditions *c, const char *text, int argc, sqlite3_value **argv);
void conditions_release(struct conditions *c);
bool conditions_hold(const struct conditions *c, const struct query_table *t, const struct query_row *row);

/* The number of rows. A row is a weight of the profile, with @keyed together with values of the key columns. */
size_t sum_rows_nr(struct query *q, bool keyed);
/* Sets .weight, .sample.values and .nr of row @number. Returns .nr, the number of its samples. */
uint64_t sum_row_set(struct query_row *row, bool keyed, size_t number);
/* The numbers of the rows as @text sorts them: "3+1-|...", by column 3, then by column 1 from the largest. Borrowed. */
const uint32_t *sum_rows_order(const struct query_row *like, const struct query_table *t, bool keyed, const char *text);
void query_forget_keyed(struct query *q);

#endif
