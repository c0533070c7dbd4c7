/*
 * Implements the hash index of hash.h, an open-addressing hash table that grows as entries are added. Also computes hashes of
 * byte strings.
 */
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

#define FEWEST 64	/* slots */

uint64_t hash_bytes(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = n * 0x9e3779b97f4a7c15ull, v;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&v, b, 8);
		h = hash_u64(h ^ v);
	}
	v = 0;
	if (n)
		memcpy(&v, b, n);
	return hash_u64(h ^ v);
}

static void place(struct index *t, uint32_t hash, uint32_t pos)
{
	size_t i = hash;

	while (t->slots[i & t->mask].pos != INDEX_END)
		i++;
	t->slots[i & t->mask] = (struct index_slot){ .hash = hash, .pos = pos };
}

static size_t nr_slots(const struct index *t)
{
	return t->slots ? t->mask + 1 : 0;
}

static void grow(struct index *t, size_t nr)
{
	struct index_slot *old = t->slots;
	size_t nr_old = nr_slots(t);

	t->slots = xmalloc(nr * sizeof(*t->slots));
	memset(t->slots, 0xff, nr * sizeof(*t->slots));
	t->mask = nr - 1;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].pos != INDEX_END)
			place(t, old[i].hash, old[i].pos);
	free(old);
}

void index_add(struct index *t, uint64_t hash, uint32_t pos)
{
	if (4 * t->nr >= 3 * nr_slots(t))
		grow(t, MAX(2 * nr_slots(t), FEWEST));
	place(t, (uint32_t)hash, pos);
	t->nr++;
}

void index_reserve(struct index *t, size_t more)
{
	size_t nr = round_up_power_of_two(MAX((t->nr + more) / 3 * 4 + 4, FEWEST));

	if (nr > nr_slots(t))
		grow(t, nr);
}

void index_release(struct index *t)
{
	free(t->slots);
	*t = (struct index){0};
}
