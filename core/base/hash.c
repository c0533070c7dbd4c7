/* Growing and filling of an index. Layer: base */
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

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

static void grow(struct index *t)
{
	struct index_slot *old = t->slots;
	size_t nr_old = old ? t->mask + 1 : 0, nr = nr_old ? 2 * nr_old : 64;

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
	if (!t->slots || 4 * t->nr >= 3 * (t->mask + 1))
		grow(t);
	place(t, (uint32_t)hash, pos);
	t->nr++;
}

void index_release(struct index *t)
{
	free(t->slots);
	*t = (struct index){0};
}
