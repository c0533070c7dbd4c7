/*
 * Defines struct sum: the number of samples that a row or a bar of the browser stands for, and the sum of their periods. For
 * prec diff, it also has the part of recording B.
 */
#ifndef CORE_SHOW_BROWSE_SUM_H
#define CORE_SHOW_BROWSE_SUM_H

#include "core/base/util.h"

enum shown { SHOWN_ALL, SHOWN_DIFFERENCE, SHOWN_A, SHOWN_B };	/* the side that is shown; SHOWN_ALL: there are no sides */

/* If recordings are compared (prec diff), the sum also has the part of side B. The part of side A is the rest. */
struct sum {
	uint64_t nr, period;
	uint64_t of_b;		/* prec diff: the part of .period that belongs to side B */
	uint64_t moved;		/* prec diff: the absolute differences of A and B at each stack node, added up */
};

static inline void sum_add(struct sum *to, const struct sum *what)
{
	to->nr += what->nr;
	add_saturated(&to->period, what->period);
	add_saturated(&to->of_b, what->of_b);
	add_saturated(&to->moved, what->moved);
}

/* Sums saturate at UINT64_MAX, so @what can be larger than @from. */
static inline void sum_subtract(struct sum *from, const struct sum *what)
{
	from->nr -= what->nr;
	from->period -= MIN(from->period, what->period);
	from->of_b -= MIN(from->of_b, what->of_b);
	from->moved -= MIN(from->moved, what->moved);
}

static inline uint64_t sum_of_a(const struct sum *s)
{
	return s->period - MIN(s->of_b, s->period);
}

static inline uint64_t sum_difference(const struct sum *s)
{
	uint64_t a = sum_of_a(s);

	return a > s->of_b ? a - s->of_b : s->of_b - a;
}

/* The width of a bar. If the difference is shown, this is the sum over its stack nodes of the larger side. */
static inline uint64_t sum_width(const struct sum *s, enum shown shown)
{
	return shown == SHOWN_A ? sum_of_a(s) : shown == SHOWN_B ? s->of_b : shown == SHOWN_ALL ? s->period :
	       s->period / 2 + s->moved / 2 + (s->period & s->moved & 1);
}

static inline uint64_t sum_rank(const struct sum *s, enum shown shown)
{
	return shown == SHOWN_DIFFERENCE ? MAX(s->moved, sum_difference(s)) : sum_width(s, shown);
}

#endif
