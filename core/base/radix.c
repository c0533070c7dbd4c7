/*
 * Sorts items by 128-bit numbers with a radix sort, which begins with the least significant digit. Short arrays are sorted by
 * insertion instead.
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

/* A sort needs only the bits between the lowest and the highest one that differ between rows. Together they have the same order. */
struct bits { unsigned first, nr, to; };	/* the bits of a half that are needed, and their position in an item */

struct row_sort {
	const struct radix_rows *rows;
	struct bits *bits;		/* by half, the more significant one of each word first */
	uint64_t *room;			/* for the words of a row */
};

static const uint64_t *words_of(const struct row_sort *s, size_t row)
{
	const void *at = (const char *)s->rows->rows + row * s->rows->size;

	if (!s->rows->words)
		return at;
	s->rows->words(at, s->room);
	return s->room;
}

static uint32_t half_of(const uint64_t *words, unsigned half)
{
	return (uint32_t)(half % 2 ? words[half / 2] : words[half / 2] >> 32);
}

static void find_bits(const struct row_sort *s)
{
	unsigned width = s->rows->nr_words;
	uint64_t *first = xcalloc(2 * (size_t)width + 1, sizeof(*first)), *differ = first + width;

	for (size_t i = 0; i < s->rows->nr; i++) {
		const uint64_t *words = words_of(s, i);

		if (!i)
			memcpy(first, words, width * sizeof(*first));
		for (unsigned w = 0; w < width; w++)
			differ[w] |= words[w] ^ first[w];
	}
	for (unsigned h = 0; h < 2 * width; h++) {
		uint32_t bits = half_of(differ, h);

		if (!bits)
			continue;
		s->bits[h].first = (unsigned)__builtin_ctz(bits);
		s->bits[h].nr = 32 - (unsigned)__builtin_clz(bits) - s->bits[h].first;
	}
	free(first);
}

/* Places the halves before @end in an item, the last ones first, until it is full. Returns the first half that has a place. */
static unsigned place_halves(struct bits *bits, unsigned end)
{
	for (unsigned to = 0; end; end--) {
		struct bits *b = &bits[end - 1];

		if (to < 64 && to + b->nr > 64)		/* no half is split between the two parts of an item */
			to = 64;
		if (to + b->nr > 128)
			break;
		b->to = to;
		to += b->nr;
	}
	return end;
}

static void pack(const struct bits *bits, unsigned begin, unsigned end, const uint64_t *words, struct radix_item *item)
{
	item->low = item->high = 0;
	for (unsigned h = begin; h < end; h++) {
		const struct bits *b = &bits[h];
		uint64_t value = half_of(words, h) >> b->first & (((uint64_t)1 << b->nr) - 1);

		*(b->to < 64 ? &item->low : &item->high) |= value << b->to % 64;
	}
}

/* Usually all words fit into an item. Otherwise it sorts by the last words, then by those before them, and so on. */
struct radix_item *radix_sort_rows(const struct radix_rows *rows)
{
	struct radix_item *items = xmalloc_huge(MAX(rows->nr, 1) * sizeof(*items));
	struct row_sort s = { .rows = rows, .bits = xcalloc(2 * (size_t)rows->nr_words + 1, sizeof(*s.bits)),
			      .room = xmalloc(MAX(rows->nr_words, 1) * sizeof(*s.room)) };

	find_bits(&s);
	for (size_t i = 0; i < rows->nr; i++)
		items[i].number = (uint32_t)i;
	for (unsigned end = 2 * rows->nr_words, begin; end; end = begin) {
		begin = place_halves(s.bits, end);
		for (size_t i = 0; i < rows->nr; i++)
			pack(s.bits, begin, end, words_of(&s, items[i].number), &items[i]);
		radix_sort(items, rows->nr);
	}
	free(s.bits);
	free(s.room);
	return items;
}
