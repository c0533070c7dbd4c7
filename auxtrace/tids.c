/* Threads by number. Layer: auxtrace */
#include "auxtrace/tids.h"

#include <stdlib.h>

#include "core/model/machine.h"

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = *(const struct thread *const *)a, *y = *(const struct thread *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

void tids_gather(struct tids *t, const struct machine *m)
{
	uint32_t nr = machine_nr_threads(m);

	for (uint32_t i = 0; i < nr; i++)
		vec_push(&t->list, machine_thread(m, i));
	if (nr)
		qsort(t->list.v, t->list.nr, sizeof(*t->list.v), by_tid);
}

void tids_release(struct tids *t)
{
	vec_free(&t->list);
}

const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = t->list.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct thread *at = t->list.v[mid];

		if (at->tid < tid || (at->tid == tid && at->from <= time))
			low = mid + 1;
		else
			high = mid;
	}
	if (low && t->list.v[low - 1]->tid == tid)
		return t->list.v[low - 1];
	return low < t->list.nr && t->list.v[low]->tid == tid ? t->list.v[low] : NULL;
}
