/* Rows by their words. Layer: profile */
#include "core/profile/unique.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

static uint64_t hash_words(const uint64_t *words, unsigned nr)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < nr; i++)
		h = hash_pair(h, words[i]);
	return h;
}

uint32_t unique_append(struct unique *u, const void *row)
{
	if (u->nr == u->cap) {
		u->cap = MAX(2 * u->cap, 16);
		u->rows = xrealloc(u->rows, u->cap * u->kind->size);
	}
	memcpy(unique_at(u, u->nr), row, u->kind->size);
	return (uint32_t)u->nr++;
}

uint32_t unique_add(struct unique *u, const void *row)
{
	unsigned nr = u->kind->nr_words;
	uint64_t words[UNIQUE_WORDS], other[UNIQUE_WORDS], h;
	uint32_t pos;

	u->kind->words(row, words);
	h = hash_words(words, nr);
	for (size_t i = index_first(&u->by_words, h); (pos = index_at(&u->by_words, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER)
			continue;
		u->kind->words(unique_at(u, pos), other);
		if (!memcmp(words, other, nr * sizeof(*words)))
			return pos;
	}
	index_add(&u->by_words, h, (uint32_t)u->nr);
	return unique_append(u, row);
}

/* ---- sorting ---- */

/* What is sorted: the words of each row and then its number, side by side. */
static int compare_words(const void *pa, const void *pb, void *nr_words)
{
	const uint64_t *a = pa, *b = pb;

	for (unsigned i = 0; i < *(const unsigned *)nr_words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

uint32_t *unique_sort(struct unique *u)
{
	unsigned nr_words = u->kind->nr_words, width = nr_words + 1;
	uint64_t *order = xmalloc(MAX(u->nr, 1) * width * sizeof(*order));
	uint32_t *map = xmalloc(MAX(u->nr, 1) * sizeof(*map));
	char *sorted = xmalloc(MAX(u->nr, 1) * u->kind->size);

	index_release(&u->by_words);
	for (size_t i = 0; i < u->nr; i++) {
		u->kind->words(unique_at(u, i), order + i * width);
		order[i * width + nr_words] = i;
	}
	qsort_r(order, u->nr, width * sizeof(*order), compare_words, &nr_words);
	for (size_t i = 0; i < u->nr; i++) {
		uint64_t old = order[i * width + nr_words];

		map[old] = (uint32_t)i;
		memcpy(sorted + i * u->kind->size, unique_at(u, old), u->kind->size);
	}
	free(u->rows);
	u->rows = sorted;
	u->cap = u->nr;
	free(order);
	return map;
}

void unique_release(struct unique *u)
{
	free(u->rows);
	index_release(&u->by_words);
	*u = (struct unique){ .kind = u->kind };
}
