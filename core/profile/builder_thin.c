/*
 * Makes a profile's timeline smaller if it has too many intervals (such as waits), instants (losses) or links (wake-ups): merges
 * similar ones that are close in time. builder_finish.c calls it before it sorts these tables.
 */
#include "core/profile/builder_impl.h"

#include <stdlib.h>
#include <string.h>

/* Rows are neighbours in the order by .order: the first two words are what they must have in common, the third is their begin. */
struct thin_kind {
	struct unique_kind order;
	unsigned end;			/* the number of the word that is the end of a row */
	void (*join)(void *to, const void *from);	/* NULL: the first row is kept */
};

#define GAP_OTHER UINT64_MAX

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

/* ---- intervals ---- */

static void interval_order(const void *row, uint64_t *out)
{
	const struct profile_interval *i = row;

	out[0] = pair(i->thread, i->cpu);
	out[1] = pair(i->kind, i->stack);
	out[2] = i->begin;
	out[3] = i->end;
}

static void interval_join(void *to, const void *from)
{
	struct profile_interval *i = to;

	i->end = MAX(i->end, ((const struct profile_interval *)from)->end);
}

/* ---- instants ---- */

static void instant_order(const void *row, uint64_t *out)
{
	const struct profile_instant *i = row;

	out[0] = pair(i->thread, i->cpu);
	out[1] = i->kind;
	out[2] = i->time;
	out[3] = i->value;
}

static void instant_join(void *to, const void *from)
{
	struct profile_instant *i = to;

	add_saturated(&i->value, ((const struct profile_instant *)from)->value);
}

/* ---- links ---- */

static void link_order(const void *row, uint64_t *out)
{
	const struct profile_link *l = row;

	out[0] = pair(l->from_thread, l->to_thread);
	out[1] = l->kind;
	out[2] = l->from_time;
	out[3] = l->to_time;
}

/* ---- of each table ---- */

ORDER(compare_gaps, uint64_t, compare_numbers(*a, *b))

/* The ns between row @i and the one before it; GAP_OTHER: they stay apart. */
static uint64_t gap_before(const struct unique *u, const struct thin_kind *kind, size_t i)
{
	uint64_t a[UNIQUE_WORDS], b[UNIQUE_WORDS];

	kind->order.words(unique_at(u, i - 1), a);
	kind->order.words(unique_at(u, i), b);
	if (a[0] != b[0] || a[1] != b[1])
		return GAP_OTHER;
	return a[kind->end] < b[2] ? MIN(b[2] - a[kind->end], GAP_OTHER - 1) : 0;
}

/* Returns the shortest limit such that merging all neighbours with at most this gap leaves @most rows, or one row per key. */
static uint64_t widest_gap(const struct unique *u, const struct thin_kind *kind, size_t most)
{
	uint64_t *gaps = xmalloc(u->nr * sizeof(*gaps)), gap;
	size_t nr = 0;

	for (size_t i = 1; i < u->nr; i++) {
		gap = gap_before(u, kind, i);
		if (gap != GAP_OTHER)
			gaps[nr++] = gap;
	}
	qsort(gaps, nr, sizeof(*gaps), compare_gaps);
	/* There are u->nr - nr rows that are the first of their key, and each gap that is not merged adds one. */
	gap = nr ? gaps[MIN(u->nr - most, nr) - 1] : 0;
	free(gaps);
	return gap;
}

static void join_rows(struct unique *u, const struct thin_kind *kind, uint64_t widest)
{
	size_t nr = 1;

	for (size_t i = 1; i < u->nr; i++) {
		uint64_t gap = gap_before(u, kind, i);

		if (gap == GAP_OTHER || gap > widest)
			memcpy(unique_at(u, nr++), unique_at(u, i), u->kind->size);
		else if (kind->join)
			kind->join(unique_at(u, nr - 1), unique_at(u, i));
	}
	u->nr = nr;
}

static uint64_t thin(struct unique *u, const struct thin_kind *kind, size_t most)
{
	const struct unique_kind *order = u->kind;
	uint64_t gap;

	if (u->nr <= most)
		return 0;
	u->kind = &kind->order;
	free(unique_sort(u));
	gap = widest_gap(u, kind, most);
	join_rows(u, kind, gap);
	u->kind = order;
	return gap;
}

/*
 * Two neighbours in time are merged if they have the same kind, and the same threads, CPU and stack as far as such rows have them,
 * and if the time between them is within a limit. The limit is the shortest one that leaves few enough rows.
 */
uint64_t builder_thin(struct profile_builder *b, size_t most)
{
	static const struct thin_kind intervals = { { sizeof(struct profile_interval), 4, interval_order }, 3, interval_join };
	static const struct thin_kind instants = { { sizeof(struct profile_instant), 4, instant_order }, 2, instant_join };
	static const struct thin_kind links = { { sizeof(struct profile_link), 4, link_order }, 2, NULL };
	uint64_t widest = thin(&b->intervals, &intervals, most);

	widest = MAX(widest, thin(&b->instants, &instants, most));
	return MAX(widest, thin(&b->links, &links, most));
}
