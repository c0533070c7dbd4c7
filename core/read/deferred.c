/*
 * Sorts CALLCHAIN_DEFERRED records by cookie, thread and time, and finds the one that completes a sample's call chain: the first
 * record after the sample with the sample's cookie and thread.
 */
#include "core/read/deferred.h"

#include <stdlib.h>

#include "core/perfdata/record.h"

static int compare(const struct deferred *a, const struct deferred *b)
{
	if (a->cookie != b->cookie)
		return a->cookie < b->cookie ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

ORDER(by_cookie, struct deferred, compare(a, b) ?: compare_numbers(a->position, b->position))

void deferred_add(struct deferred_list *l, const struct record *rec, uint64_t position)
{
	vec_push(&l->list, (struct deferred){ .cookie = rec->deferred.cookie, .time = rec->id.has_time ? rec->id.time : UINT64_MAX,
					      .position = position, .tid = rec->id.has_tid ? rec->id.tid : 0 });
}

void deferred_sort(struct deferred_list *l)
{
	vec_sort(&l->list, by_cookie);
}

const struct deferred *deferred_find(const struct deferred_list *l, uint64_t cookie, uint32_t tid, uint64_t time)
{
	const struct deferred wanted = { .cookie = cookie, .tid = tid, .time = time };
	/* Cookies may repeat, so takes the first one written later. */
	size_t at = bisect(i, 0, l->list.nr, compare(&l->list.v[i], &wanted) < 0);

	return at < l->list.nr && l->list.v[at].cookie == cookie && l->list.v[at].tid == tid ? &l->list.v[at] : NULL;
}
