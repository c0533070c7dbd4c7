/*
 * Sorts items by 128-bit numbers with a radix sort, which begins with the least significant digit. Short arrays are sorted by
 * insertion instead.
 * Layer: base
 */
#include "core/base/radix.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

#define DIGIT_BITS	11
#define DIGITS		(1u << DIGIT_BITS)
#define FEW		64	/* for so few items an insertion sort is faster */

static bool is_before(const struct radix_item *a, const struct radix_item *b)
{
	return a->high != b->high ? a->high < b->high : a->low < b->low;
}

static void sort_few(struct radix_item *items, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct radix_item item = items[i];
		size_t at = i;

		for (; at && is_before(&item, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static unsigned digit_of(const struct radix_item *item, bool high, unsigned shift)
{
	return (unsigned)((high ? item->high : item->low) >> shift) & (DIGITS - 1);
}

static void sort_by_digit(const struct radix_item *from, struct radix_item *to, size_t nr, bool high, unsigned shift)
{
	size_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < nr; i++)
		at[digit_of(&from[i], high, shift)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		size_t n = at[d];

		at[d] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr; i++)
		to[at[digit_of(&from[i], high, shift)]++] = from[i];
}

void radix_sort(struct radix_item *items, size_t nr)
{
	struct radix_item *from = items, *to, *other;
	uint64_t differ[2] = {0};

	if (nr <= FEW) {
		sort_few(items, nr);
		return;
	}
	for (size_t i = 1; i < nr; i++) {
		differ[0] |= items[i].low ^ items[0].low;
		differ[1] |= items[i].high ^ items[0].high;
	}
	other = to = xmalloc_huge(nr * sizeof(*to));
	for (unsigned high = 0; high < 2; high++)
		for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
			struct radix_item *next = to;

			/* Skips digits that are equal in all items. */
			if (!(differ[high] >> shift & (DIGITS - 1)))
				continue;
			sort_by_digit(from, to, nr, high, shift);
			to = from;
			from = next;
		}
	if (from != items)
		memcpy(items, from, nr * sizeof(*items));
	free(other);
}
