/*
 * Stores rows of any struct type, such as the functions of a profile, each distinct row once. It hashes, compares and sorts rows
 * as lists of 64-bit words, which a callback makes from a row (unique.h).
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

uint32_t *unique_sort(struct unique *u)
{
	const struct radix_rows rows = { u->rows, u->nr, u->kind->size, u->kind->nr_words, u->kind->words };
	struct radix_item *items;
	uint32_t *map = xmalloc(MAX(u->nr, 1) * sizeof(*map));
	char *sorted = xmalloc(MAX(u->nr, 1) * u->kind->size);

	index_release(&u->by_words);
	items = radix_sort_rows(&rows);
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
