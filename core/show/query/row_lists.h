/*
 * Declares functions for the SQL tables of prec query that make all rows before they return the first: branches, instructions,
 * calls, diff and pairs. Such a table needs a memory limit, the command line's filter, and function names.
 */
#ifndef CORE_SHOW_QUERY_ROW_LISTS_H
#define CORE_SHOW_QUERY_ROW_LISTS_H

#include <stdatomic.h>

#include "core/show/query/query_impl.h"

struct code_place;
struct code_places;
struct filter;

/* The memory that the rows of a list may still take (--max-memory). Shared by the workers of a pass. */
struct row_room { atomic_uint_least64_t left; atomic_bool full; };

static inline void row_room_init(struct row_room *room, const struct query *q)
{
	atomic_init(&room->left, q->opts.max_memory);
	atomic_init(&room->full, false);
}

/* False: there is no room for @size bytes more. */
static inline bool row_room_reserve(struct row_room *room, size_t size)
{
	if (atomic_load_explicit(&room->left, memory_order_relaxed) >= size) {
		atomic_fetch_sub_explicit(&room->left, size, memory_order_relaxed);
		return true;
	}
	atomic_store_explicit(&room->full, true, memory_order_relaxed);
	return false;
}

/* Called after the pass. If @table had no room or the statement was stopped, prints an error and makes the statement fail. */
void row_room_check(struct row_room *room, struct query *q, const char *table);

/* Makes the statement fail; the reason was printed. */
void query_fail(struct query *q);

/* The filter of the command line; NULL (printed): the statement fails. Owned by the caller. */
struct filter *query_filter(struct query *q);

/* Places in the code of the recording's processes; borrowed from the query. */
struct code_places *query_places(struct query *q);

/* Return to SQLite the name of the function at @place, or of its file; null if it is not known. */
void put_place_symbol(const struct query_row *r, const struct code_place *place, sqlite3_context *out);
void put_place_dso(const struct query_row *r, const struct code_place *place, sqlite3_context *out);

#endif
