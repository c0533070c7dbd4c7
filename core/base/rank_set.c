/*
 * Implements a set of numbers (rank_set.h) as a tree of bitmaps. Each number has a bit in the lowest level. A higher bit is set
 * if a 64-bit word one level below is not 0, so searches skip empty words.
 */
#include "core/base/rank_set.h"

#include <string.h>

void rank_set_reset(struct rank_set *r, size_t size)
{
	r->levels = 0;
	do {
		size = (size + 63) / 64;
		r->bits[r->levels].nr = 0;
		vec_reserve(&r->bits[r->levels], size);
		memset(r->bits[r->levels].v, 0, size * sizeof(uint64_t));
		r->bits[r->levels++].nr = size;
	} while (size > 1);
}

void rank_set_release(struct rank_set *r)
{
	for (unsigned i = 0; i < RANK_LEVELS; i++)
		vec_free(&r->bits[i]);
}

void rank_set_add(struct rank_set *r, uint32_t n)
{
	for (unsigned i = 0; i < r->levels; i++, n /= 64)
		r->bits[i].v[n / 64] |= 1ull << n % 64;
}

void rank_set_remove(struct rank_set *r, uint32_t n)
{
	for (unsigned i = 0; i < r->levels; i++, n /= 64) {
		r->bits[i].v[n / 64] &= ~(1ull << n % 64);
		if (r->bits[i].v[n / 64])
			return;
	}
}

/* The least (@up) or greatest member of the set among the numbers that bit @n of level @i stands for. */
static uint32_t rank_set_descend(const struct rank_set *r, unsigned i, uint32_t n, bool up)
{
	while (i--) {
		uint64_t word = r->bits[i].v[n];

		n = n * 64 + (uint32_t)(up ? __builtin_ctzll(word) : 63 - __builtin_clzll(word));
	}
	return n;
}

uint32_t rank_set_from(const struct rank_set *r, uint32_t n)
{
	for (unsigned i = 0; i < r->levels; i++) {
		uint64_t word;

		if (n / 64 >= r->bits[i].nr)
			return RANK_NONE;
		word = r->bits[i].v[n / 64] & ~0ull << n % 64;
		if (word)
			return rank_set_descend(r, i, n / 64 * 64 + (uint32_t)__builtin_ctzll(word), true);
		n = n / 64 + 1;
	}
	return RANK_NONE;
}

uint32_t rank_set_upto(const struct rank_set *r, uint32_t n)
{
	for (unsigned i = 0; i < r->levels; i++) {
		uint64_t word = r->bits[i].v[n / 64] & ~0ull >> (63 - n % 64);

		if (word)
			return rank_set_descend(r, i, n / 64 * 64 + 63 - (uint32_t)__builtin_clzll(word), false);
		if (n < 64)
			return RANK_NONE;
		n = n / 64 - 1;
	}
	return RANK_NONE;
}
