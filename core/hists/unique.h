/*
 * Defines a table that stores equal rows once, and can sort its rows. core/profile/builder_impl.h keeps the functions and stacks
 * of a profile in such tables. core/base/byte_table.h is a similar table of byte strings.
 */
#ifndef CORE_HISTS_UNIQUE_H
#define CORE_HISTS_UNIQUE_H

#include "core/base/hash.h"

#define UNIQUE_WORDS 8		/* at most this many words in the key of a row */

/* A type of row. words() returns a row's key as 64-bit words, by which rows are equal, and sorted. */
struct unique_kind {
	size_t size;		/* bytes of a row */
	unsigned nr_words;
	void (*words)(const void *row, uint64_t *out);
};

struct unique {			/* = { .kind = ... }; unique_release() */
	const struct unique_kind *kind;
	char *rows;		/* owned */
	size_t nr, cap;
	struct index by_words;
};

static inline void *unique_at(const struct unique *u, size_t number)
{
	return u->rows + number * u->kind->size;
}

/* The number of @row, added if new. */
uint32_t unique_add(struct unique *u, const void *row);
/* Adds @row without looking for an equal one, for tables that are only sorted. */
uint32_t unique_append(struct unique *u, const void *row);
/* Reserves memory for @more rows. */
void unique_reserve(struct unique *u, size_t more);
/*
 * Sorts the rows, which the caller may have changed. Element n of the result is the new number of row n; owned by the caller. No
 * row may be added afterwards.
 */
uint32_t *unique_sort(struct unique *u);
void unique_release(struct unique *u);

#endif
