/*
 * Defines a hash index over the entries of an array that the caller owns: it maps a hash to the positions of the entries with this
 * hash. intern.c uses it to store equal strings once.
 */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stdint.h>
#include <stddef.h>

#define INDEX_END	UINT32_MAX		/* no more positions under this hash */
#define INDEX_OTHER	(UINT32_MAX - 1)	/* the slot has a position under another hash */

struct index_slot { uint32_t hash, pos; };	/* pos INDEX_END: empty */

/* Uses open addressing, and grows by itself. */
struct index {			/* = {0} is an empty one */
	struct index_slot *slots;	/* owned */
	size_t mask, nr;
};

/* Mixes well: each bit of the result depends on all bits of @v. */
static inline uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ull;
	v ^= v >> 32;
	v *= 0xd6e8feb86659fd93ull;
	return v ^ v >> 32;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(a * 0x9e3779b97f4a7c15ull ^ b);
}

uint64_t hash_bytes(const void *p, size_t n);

/* Returns the position in slot @i, if it is under @hash, INDEX_OTHER or INDEX_END. The first slot of a hash is @i = @hash. */
static inline uint32_t index_at(const struct index *t, size_t i, uint64_t hash)
{
	const struct index_slot *s;

	if (!t->slots)
		return INDEX_END;
	s = &t->slots[i & t->mask];
	if (s->pos == INDEX_END)
		return INDEX_END;
	return s->hash == (uint32_t)hash ? s->pos : INDEX_OTHER;
}

/* Returns the first position under @hash from slot *at on, or INDEX_END; sets *at to the slot after it. */
static inline uint32_t index_next(const struct index *t, uint32_t *at, uint64_t hash)
{
	uint32_t pos;

	do
		pos = index_at(t, (*at)++, hash);
	while (pos == INDEX_OTHER);
	return pos;
}

/* Loops over the positions @pos under @hash: index_for(pos, &t, h) if (entries[pos].key == key) return pos; */
#define index_for(pos, t, hash)							\
	for (uint32_t pos, at_##pos = (uint32_t)(hash);		\
	     (pos = index_next(t, &at_##pos, hash)) != INDEX_END; )

/* Prefetches the slot of @hash. */
static inline void index_expect(const struct index *t, uint64_t hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[hash & t->mask]);
}

/* Add @pos (below INDEX_OTHER) under @hash; the same hash may be added many times. */
void index_add(struct index *t, uint64_t hash, uint32_t pos);
/* Makes room for @more positions, so that adding them does not rehash. */
void index_reserve(struct index *t, size_t more);
void index_release(struct index *t);

#endif
