/*
 * Makes a profile's timeline smaller if it has too many intervals (such as waits), instants (losses) or links (wake-ups), by
 * merging similar ones that are close in time. builder_finish.c calls it before sorting these tables.
 * Layer: profile
 */
#include "core/profile/builder_impl.h"

#include <stdlib.h>
#include <string.h>

struct thin_kind {
	struct unique_kind order;	/* candidates for merging are adjacent, in order of time */
	uint64_t (*gap)(const void *first, const void *second);	/* ns between neighbours; GAP_OTHER: they stay apart */
	void (*join)(void *to, const void *from);
};

#define GAP_OTHER UINT64_MAX

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static uint64_t distance(uint64_t from, uint64_t to)
{
	return from < to ? MIN(to - from, GAP_OTHER - 1) : 0;
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

static uint64_t interval_gap(const void *first, const void *second)
{
	const struct profile_interval *a = first, *b = second;
	bool same = a->thread == b->thread && a->cpu == b->cpu && a->kind == b->kind && a->stack == b->stack;

	return same ? distance(a->end, b->begin) : GAP_OTHER;
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

static uint64_t instant_gap(const void *first, const void *second)
{
	const struct profile_instant *a = first, *b = second;

	return a->thread == b->thread && a->cpu == b->cpu && a->kind == b->kind ? distance(a->time, b->time) : GAP_OTHER;
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

static uint64_t link_gap(const void *first, const void *second)
{
	const struct profile_link *a = first, *b = second;
	bool same = a->from_thread == b->from_thread && a->to_thread == b->to_thread && a->kind == b->kind;

	return same ? distance(a->from_time, b->from_time) : GAP_OTHER;
}

/* Keeps the first of the merged links. */
static void link_join(void *to, const void *from)
{
	(void)to;
	(void)from;
}

/* ---- of each table ---- */

ORDER(compare_gaps, uint64_t, compare_numbers(*a, *b))

/* Returns the shortest limit such that merging all neighbours with at most this gap leaves @most rows, or one row per key. */
static uint64_t widest_gap(const struct unique *u, const struct thin_kind *kind, size_t most)
{
	uint64_t *gaps = xmalloc(u->nr * sizeof(*gaps)), gap;
	size_t nr = 0;

	for (size_t i = 1; i < u->nr; i++) {
		gap = kind->gap(unique_at(u, i - 1), unique_at(u, i));
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
		uint64_t gap = kind->gap(unique_at(u, i - 1), unique_at(u, i));

		if (gap != GAP_OTHER && gap <= widest)
			kind->join(unique_at(u, nr - 1), unique_at(u, i));
		else
			memcpy(unique_at(u, nr++), unique_at(u, i), u->kind->size);
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
	static const struct thin_kind intervals = {
		{ sizeof(struct profile_interval), 4, interval_order }, interval_gap, interval_join };
	static const struct thin_kind instants = {
		{ sizeof(struct profile_instant), 4, instant_order }, instant_gap, instant_join };
	static const struct thin_kind links = { { sizeof(struct profile_link), 4, link_order }, link_gap, link_join };
	uint64_t widest = thin(&b->intervals, &intervals, most);

	widest = MAX(widest, thin(&b->instants, &instants, most));
	return MAX(widest, thin(&b->links, &links, most));
}
