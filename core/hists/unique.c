/*
 * Stores rows of any struct type, such as the functions of a profile, each distinct row once. It hashes, compares and sorts rows
 * by 64-bit words, which a callback of the row's type computes (unique.h).
 * Layer: hists
 */
#include "core/hists/unique.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/radix.h"
#include "core/base/util.h"

static uint64_t hash_words(const uint64_t *words, unsigned nr)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < nr; i++)
		h = hash_pair(h, words[i]);
	return h;
}

void unique_reserve(struct unique *u, size_t more)
{
	if (u->nr + more <= u->cap)
		return;
	u->cap = MAX(u->nr + more, MAX(2 * u->cap, 16));
	u->rows = xrealloc(u->rows, u->cap * u->kind->size);
}

uint32_t unique_append(struct unique *u, const void *row)
{
	unique_reserve(u, 1);
	memcpy(unique_at(u, u->nr), row, u->kind->size);
	return (uint32_t)u->nr++;
}

uint32_t unique_add(struct unique *u, const void *row)
{
	unsigned nr = u->kind->nr_words;
	uint64_t words[UNIQUE_WORDS], other[UNIQUE_WORDS], h;

	u->kind->words(row, words);
	h = hash_words(words, nr);
	index_for(pos, &u->by_words, h) {
		u->kind->words(unique_at(u, pos), other);
		if (!memcmp(words, other, nr * sizeof(*words)))
			return pos;
	}
	index_add(&u->by_words, h, (uint32_t)u->nr);
	return unique_append(u, row);
}

/* ---- sorting ---- */

/*
 * Packs the words of rows to sort them faster: of each half of a word only the bits between the lowest and the highest one that
 * differ between rows are needed. Put together, they are short numbers with the same order.
 */
struct bits { unsigned first, nr, to; };	/* the bits of a half that are needed, and their new position */

struct packing { struct bits of[2 * UNIQUE_WORDS]; unsigned nr_halves, all; };

static uint32_t half_of(const uint64_t *words, unsigned half)
{
	return (uint32_t)(half % 2 ? words[half / 2] : words[half / 2] >> 32);
}

static struct packing find_bits(const struct unique *u)
{
	struct packing p = { .nr_halves = 2 * u->kind->nr_words };
	uint64_t first[UNIQUE_WORDS] = {0}, words[UNIQUE_WORDS], differ[UNIQUE_WORDS] = {0};

	for (size_t i = 0; i < u->nr; i++) {
		u->kind->words(unique_at(u, i), i ? words : first);
		for (unsigned w = 0; i && w < u->kind->nr_words; w++)
			differ[w] |= words[w] ^ first[w];
	}
	for (unsigned h = p.nr_halves; h-- > 0;) {
		uint32_t bits = half_of(differ, h);

		if (!bits)
			continue;
		p.of[h].first = (unsigned)__builtin_ctz(bits);
		p.of[h].nr = 32 - (unsigned)__builtin_clz(bits) - p.of[h].first;
		/* No half is split between the two parts of an item. */
		if (p.all < 64 && p.all + p.of[h].nr > 64)
			p.all = 64;
		p.of[h].to = p.all;
		p.all += p.of[h].nr;
	}
	return p;
}

static void pack(const struct packing *p, const uint64_t *words, struct radix_item *item)
{
	item->low = item->high = 0;
	for (unsigned h = 0; h < p->nr_halves; h++) {
		const struct bits *b = &p->of[h];
		uint64_t value = half_of(words, h) >> b->first & (((uint64_t)1 << b->nr) - 1);

		*(b->to < 64 ? &item->low : &item->high) |= value << b->to % 64;
	}
}

static void sort_packed(const struct unique *u, const struct packing *p, struct radix_item *items)
{
	uint64_t words[UNIQUE_WORDS];

	for (size_t i = 0; i < u->nr; i++) {
		u->kind->words(unique_at(u, i), words);
		items[i].number = (uint32_t)i;
		pack(p, words, &items[i]);
	}
	radix_sort(items, u->nr);
}

/* Sorts by the last two words, then by the two before them, and so on. */
static void sort_words(const struct unique *u, struct radix_item *items)
{
	uint64_t words[UNIQUE_WORDS];

	for (size_t i = 0; i < u->nr; i++)
		items[i].number = (uint32_t)i;
	for (unsigned end = u->kind->nr_words; end; end -= MIN(end, 2)) {
		for (size_t i = 0; i < u->nr; i++) {
			u->kind->words(unique_at(u, items[i].number), words);
			items[i].low = words[end - 1];
			items[i].high = end > 1 ? words[end - 2] : 0;
		}
		radix_sort(items, u->nr);
	}
}

/* The numbers of the rows in the order of their words. */
static struct radix_item *sorted_items(const struct unique *u)
{
	struct radix_item *items = xmalloc_huge(MAX(u->nr, 1) * sizeof(*items));
	struct packing p = find_bits(u);

	if (p.all <= 128)
		sort_packed(u, &p, items);
	else
		sort_words(u, items);
	return items;
}

uint32_t *unique_sort(struct unique *u)
{
	struct radix_item *items;
	uint32_t *map = xmalloc(MAX(u->nr, 1) * sizeof(*map));
	char *sorted = xmalloc(MAX(u->nr, 1) * u->kind->size);

	index_release(&u->by_words);
	items = sorted_items(u);
	for (size_t i = 0; i < u->nr; i++) {
		uint32_t old = items[i].number;

		map[old] = (uint32_t)i;
		memcpy(sorted + i * u->kind->size, unique_at(u, old), u->kind->size);
	}
	free(u->rows);
	u->rows = sorted;
	u->cap = u->nr;
	free(items);
	return map;
}

void unique_release(struct unique *u)
{
	free(u->rows);
	index_release(&u->by_words);
	*u = (struct unique){ .kind = u->kind };
}
