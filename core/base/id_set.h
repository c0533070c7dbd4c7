/*
 * Defines an approximate set (Bloom filter) of thread ids or CPUs in 64 bytes. Each part of a recording has such a set.
 * core/read/filter.c skips a part if none of the selected threads or CPUs is in its set.
 */
#ifndef CORE_BASE_ID_SET_H
#define CORE_BASE_ID_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A lookup finds every number that was added. When the set has dozens of numbers, it may also find others. */
struct id_set { uint64_t bits[8]; };	/* = {0} is empty */

/* The bit for a number. Consecutive numbers, as threads often have, get different bits. */
static inline unsigned id_set_bit(uint32_t id)
{
	return id * 0x9e3779b1u >> 23;
}

static inline void id_set_add(struct id_set *s, uint32_t id)
{
	unsigned bit = id_set_bit(id);

	s->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Sets all bits, so that a lookup finds every number. */
static inline void id_set_fill(struct id_set *s)
{
	memset(s, 0xff, sizeof(*s));
}

static inline void id_set_merge(struct id_set *s, const struct id_set *other)
{
	for (unsigned i = 0; i < sizeof(s->bits) / sizeof(*s->bits); i++)
		s->bits[i] |= other->bits[i];
}

static inline bool id_set_may_have(const struct id_set *s, uint32_t id)
{
	unsigned bit = id_set_bit(id);

	return s->bits[bit / 64] >> bit % 64 & 1;
}

#endif
