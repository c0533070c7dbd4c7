/*
 * Allocates memory, and ends the program if memory runs out, so callers check no result. Also defines small helper functions that
 * most files need.
 */
#ifndef CORE_BASE_UTIL_H
#define CORE_BASE_UTIL_H

#include <string.h>

#include "core/base/macros.h"

/* These functions end the program if memory runs out. The caller checks sizes from files before, and frees the memory: free(). */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
/* For memory that will be used completely: in huge pages from 1 MiB on, as each page costs a fault; others from 8 MiB on. */
void *xmalloc_huge(size_t size);
void *xcalloc_huge(size_t nr, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

static inline bool is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* The least multiple of @to (a power of two) that is not below @v. */
static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

/* The least power of two that is not below @v; 1 for 0. @v is at most 2^63. */
static inline uint64_t round_up_power_of_two(uint64_t v)
{
	return v <= 1 ? 1 : 1ull << (64 - __builtin_clzll(v - 1));
}

/* Add to a sum, which stays at the largest number instead of overflowing. */
static inline void add_saturated(uint64_t *sum, uint64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = UINT64_MAX;
}

/* Compare numbers or pointers, for sorting: negative if @a comes first. */
#define compare_numbers(a, b) ({				\
	__typeof__(a) first_ = (a);				\
	__typeof__(b) second_ = (b);				\
	(first_ > second_) - (first_ < second_);		\
})

/*
 * Define the function @name, which compares two elements a and b of @type for qsort(3); the first comparison that is not 0
 * decides:
 *
 *	ORDER(by_time, struct wait, compare_numbers(a->from, b->from) ?: compare_numbers(a->tid, b->tid))
 *
 *	vec_sort(&waits, by_time);
 */
#define ORDER(name, type, ...)					\
static int name(const void *a_, const void *b_)			\
{								\
	__typeof__(type) const *a = a_, *b = b_;		\
								\
	return __VA_ARGS__;					\
}

/* Compares byte strings of @nx and @ny bytes: negative if @x comes first. */
static inline int compare_bytes(const char *x, size_t nx, const char *y, size_t ny)
{
	int order = MIN(nx, ny) ? memcmp(x, y, MIN(nx, ny)) : 0;

	return order ? order : compare_numbers(nx, ny);
}

/*
 * Search by halves: the first number @i from @low on for which @before is false; @high: there is none below it. @before is an
 * expression in @i that is true up to some number, and false from there on:
 *
 *	size_t nr_done = bisect(i, 0, waits.nr, waits.v[i].to <= now);
 */
#define bisect(i, low, high, before) ({					\
	__typeof__((high) + 0) low_ = (low), high_ = (high);		\
									\
	while (low_ < high_) {						\
		__typeof__(low_) i = low_ + (high_ - low_) / 2;		\
									\
		if (before)						\
			low_ = i + 1;					\
		else							\
			high_ = i;					\
	}								\
	low_;								\
})

static inline bool str_starts(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return false;
	return true;
}

static inline bool str_eq(const char *a, const char *b)
{
	return __builtin_strcmp(a, b) == 0;
}

#endif
