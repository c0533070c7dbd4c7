/*
 * Collects the waits, losses and other markers of a profile, sorts them by thread and time, and finds those of one thread, for
 * the export to the Firefox Profiler (firefox.c).
 * Layer: export
 */
#include "core/show/export/thread_markers.h"

ORDER(compare_markers, struct marker,
	compare_numbers(a->thread, b->thread) ?: compare_numbers(a->begin, b->begin) ?: compare_numbers(a->end, b->end) ?:
	compare_numbers(a->kind, b->kind) ?: compare_numbers(a->cpu, b->cpu))

void thread_markers_collect(thread_markers *list, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	vec_for(i, &d->intervals)
		vec_push(list, ((struct marker){ i->begin, i->end, 0, i->thread, i->cpu, i->kind, false }));
	vec_for(i, &d->instants)
		vec_push(list, ((struct marker){ i->time, i->time, i->value, i->thread, i->cpu, i->kind, true }));
	vec_sort(list, compare_markers);
}

struct marker_run thread_markers_of(const thread_markers *list, uint32_t thread)
{
	size_t first = 0, end = list->nr;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (list->v[middle].thread < thread)
			first = middle + 1;
		else
			end = middle;
	}
	while (end < list->nr && list->v[end].thread == thread)
		end++;
	return (struct marker_run){ .v = list->v + first, .nr = end - first };
}
