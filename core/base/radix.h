/*
 * Sorts items by 128-bit numbers, such as symbols by address (core/binary/symbol.c), faster than by comparisons. A radix sort
 * makes one pass over the items for each digit.
 */
#ifndef CORE_BASE_RADIX_H
#define CORE_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item { uint64_t high, low; uint32_t number; };	/* sorted by .high, then by .low; .number is the caller's */

/* Sort @nr items in place, ascending; equal ones keep their order. */
void radix_sort(struct radix_item *items, size_t nr);

struct radix_rows {
	const void *rows;
	size_t nr, size;		/* .size: bytes of a row */
	unsigned nr_words;		/* the words by which rows are sorted; the first is the most significant */
	void (*words)(const void *row, uint64_t *out);	/* stores the words of a row; NULL: a row is its words */
};

/* Sorts rows. The .number of item n in the result is the number of the row that comes n-th; owned by the caller. */
struct radix_item *radix_sort_rows(const struct radix_rows *rows);

#endif
