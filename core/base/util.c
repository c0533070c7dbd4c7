/* Allocates memory, or ends the program with an error if memory runs out. */
#include "core/base/util.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/log.h"

#define HUGE_PAGE	((uintptr_t)2 << 20)
#define LARGE		(4 * HUGE_PAGE)		/* from this size on, huge pages are worth it */

static void *checked(void *p, size_t size)
{
	if (!p && size)
		die("out of memory (%zu bytes asked for)", size);
	return p;
}

/* Large arrays are filled once and then read at random: huge pages cause fewer page faults and TLB misses. */
static void *large(void *p, size_t size)
{
	uintptr_t from = round_up((uintptr_t)p, HUGE_PAGE), to = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

	if (size >= LARGE && from < to)
		(void)!madvise((void *)from, to - from, MADV_HUGEPAGE);	/* only an optimization, so errors are ignored */
	return p;
}

void *xmalloc(size_t size)
{
	return large(checked(malloc(size), size), size);
}

#define HUGE_FROM	(1u << 20)	/* bytes: for less, alignment wastes too much */

void *xmalloc_huge(size_t size)
{
	size_t whole = round_up(size, HUGE_PAGE);
	void *p;

	if (size < HUGE_FROM || whole < size)
		return xmalloc(size);
	p = checked(aligned_alloc(HUGE_PAGE, whole), size);
	(void)!madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void *xcalloc_huge(size_t nr, size_t size)
{
	void *p;

	/* calloc() gets very large blocks from the kernel, which has zeroed them. */
	if (!size || nr > SIZE_MAX / size || nr * size < HUGE_FROM || nr * size >= 2 * LARGE)
		return xcalloc(nr, size);
	p = xmalloc_huge(nr * size);
	memset(p, 0, nr * size);
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	void *p = checked(calloc(nr, size), nr && size ? nr * size : 0);

	return large(p, nr * size);
}

#define GROWTH		4u		/* a growing buffer gets this many times the room that it needs */
#define ROOM_MAX	((size_t)1 << 33)

/* Allocates GROWTH times as much, because unused room costs only addresses. If this fails, allocates only @size bytes. */
static void *roomy(size_t size)
{
	void *p = size < ROOM_MAX / GROWTH ? aligned_alloc(HUGE_PAGE, round_up(size, HUGE_PAGE) * GROWTH) : NULL;

	return p ? p : xmalloc_huge(size);
}

/* realloc() copies partly advised mappings into small pages, a fault each. roomy() makes copies rare: new memory is zeroed. */
static void *grow_large(void *p, size_t size)
{
	size_t has = malloc_usable_size(p);
	void *to;

	if (has >= size)
		return large(p, size);
	to = large(roomy(size), size);
	memcpy(to, p, has);
	free(p);
	return to;
}

void *xrealloc(void *p, size_t size)
{
	if (p && size >= LARGE)
		return grow_large(p, size);
	return large(checked(realloc(p, size), size), size);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s), strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n), n + 1);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s, 1);
}
