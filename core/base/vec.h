/*
 * Defines a growing array of any type, and macros that append to it, sort it and loop over it. core/base/buf.h is a growing buffer
 * of bytes.
 */
#ifndef CORE_BASE_VEC_H
#define CORE_BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

/*
 *	VEC(struct map) maps = {0};	an empty array
 *	vec_push(&maps, map);		appends an element
 *	maps.v[i], maps.nr		an element, and the number of elements
 *
 * The owner of the VEC owns the array. vec_free() frees the array and leaves the VEC empty.
 */
#define VEC(type) struct { type *v; size_t nr, cap; }

/* Make room for @n more without changing .nr. */
#define vec_reserve(vec, n) do {						\
	if ((vec)->nr + (n) > (vec)->cap) {					\
		(vec)->cap = MAX((vec)->nr + (n), MAX(2 * (vec)->cap, 16));	\
		(vec)->v = xrealloc((vec)->v, (vec)->cap * sizeof(*(vec)->v));	\
	}									\
} while (0)

#define vec_push(vec, ...) do {				\
	vec_reserve(vec, 1);				\
	(vec)->v[(vec)->nr++] = (__VA_ARGS__);		\
} while (0)

/* Append all of @other, of the same type, which is not changed. */
#define vec_append(vec, other) do {							\
	vec_reserve(vec, (other)->nr);							\
	if ((other)->nr)								\
		memcpy((vec)->v + (vec)->nr, (other)->v, (other)->nr * sizeof(*(vec)->v));	\
	(vec)->nr += (other)->nr;							\
} while (0)

#define vec_free(vec) do {			\
	free((vec)->v);				\
	(vec)->v = NULL;			\
	(vec)->nr = (vec)->cap = 0;		\
} while (0)

/* Sort by @order, made by ORDER() of util.h. */
#define vec_sort(vec, order) do {						\
	if ((vec)->nr > 1)							\
		qsort((vec)->v, (vec)->nr, sizeof(*(vec)->v), order);		\
} while (0)

#define vec_for(item, vec) \
	for (__typeof__(&*(vec)->v) item = (vec)->v; item && item < (vec)->v + (vec)->nr; item++)

#endif
