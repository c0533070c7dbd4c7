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

struct sort_row { uint64_t first; uint32_t number; };	/* first: the first word, which mostly decides */
struct sort_words { const uint64_t *words; unsigned nr; };

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct sort_row *a = pa, *b = pb;
	const struct sort_words *s = ctx;
	const uint64_t *x = s->words + (size_t)a->number * s->nr, *y = s->words + (size_t)b->number * s->nr;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	for (unsigned i = 1; i < s->nr; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

uint32_t *unique_sort(struct unique *u)
{
	struct sort_row *order = xmalloc(MAX(u->nr, 1) * sizeof(*order));
	uint64_t *words = xmalloc(MAX(u->nr, 1) * u->kind->nr_words * sizeof(*words));
	uint32_t *map = xmalloc(MAX(u->nr, 1) * sizeof(*map));
	char *sorted = xmalloc(MAX(u->nr, 1) * u->kind->size);

	for (uint32_t i = 0; i < u->nr; i++) {
		u->kind->words(unique_at(u, i), words + (size_t)i * u->kind->nr_words);
		order[i] = (struct sort_row){ words[(size_t)i * u->kind->nr_words], i };
	}
	qsort_r(order, u->nr, sizeof(*order), compare_rows, &(struct sort_words){ words, u->kind->nr_words });
	for (uint32_t i = 0; i < u->nr; i++) {
		map[order[i].number] = i;
		memcpy(sorted + i * u->kind->size, unique_at(u, order[i].number), u->kind->size);
	}
	free(u->rows);
	u->rows = sorted;
	u->cap = u->nr;
	index_release(&u->by_words);
	free(order);
	free(words);
	return map;
}

void unique_release(struct unique *u)
{
	free(u->rows);
	index_release(&u->by_words);
	*u = (struct unique){ .kind = u->kind };
}
