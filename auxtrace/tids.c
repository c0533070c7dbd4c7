/*
 * Sorts the threads of a recording by tid and start time, to find the thread that had a tid at a given time (tids.h).
 * Layer: auxtrace
 */
#include "auxtrace/tids.h"

#include <stdlib.h>

#include "core/model/machine.h"

ORDER(by_tid, struct thread *, compare_numbers((*a)->tid, (*b)->tid) ?: compare_numbers((*a)->from, (*b)->from))

void tids_gather(struct tids *t, const struct machine *m)
{
	uint32_t nr = machine_nr_threads(m);

	for (uint32_t i = 0; i < nr; i++)
		vec_push(&t->list, machine_thread(m, i));
	if (nr)
		vec_sort(&t->list, by_tid);
}

void tids_release(struct tids *t)
{
	vec_free(&t->list);
}

const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time)
{
	const struct thread *const *v = t->list.v;
	size_t after = bisect(i, 0, t->list.nr, v[i]->tid < tid || (v[i]->tid == tid && v[i]->from <= time));

	if (after && v[after - 1]->tid == tid)
		return v[after - 1];
	return after < t->list.nr && v[after]->tid == tid ? v[after] : NULL;
}
