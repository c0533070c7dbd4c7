/*
 * Defines a set of numbers below a limit, with a fast search for the nearest member above or below a number. core/model/spaces.c
 * uses it to find the old mappings that a new mapping covers.
 */
#ifndef CORE_BASE_RANK_SET_H
#define CORE_BASE_RANK_SET_H

#include "core/base/vec.h"

#define RANK_LEVELS	6		/* 64^6 > 2^32 */
#define RANK_NONE	UINT32_MAX

struct rank_set {			/* = {0}, then rank_set_reset() */
	VEC(uint64_t) bits[RANK_LEVELS];	/* [0]: a bit a number; [i]: a bit a word of [i - 1], set if the word is not 0 */
	unsigned levels;
};

/* Make it an empty set of numbers below @size. */
void rank_set_reset(struct rank_set *r, size_t size);
void rank_set_release(struct rank_set *r);
/* In all of these, @n is below the size. */
void rank_set_add(struct rank_set *r, uint32_t n);
void rank_set_remove(struct rank_set *r, uint32_t n);
/* The least member >= @n; @n may be the size. RANK_NONE: there is none. */
uint32_t rank_set_from(const struct rank_set *r, uint32_t n);
/* The greatest member <= @n; RANK_NONE: there is none. */
uint32_t rank_set_upto(const struct rank_set *r, uint32_t n);

#endif
