/*
 * Collects the samples and the markers (waits, losses and the like) of a profile for firefox.c. Samples are sorted by thread,
 * event and time, because the Firefox Profiler shows each event of a thread like a thread of its own. Markers are sorted by
 * thread and time.
 */
#include "core/show/export/thread_samples.h"

static int compare_owners(const struct profile_weight *a, const struct profile_weight *b)
{
	return compare_numbers(a->thread, b->thread) ?: compare_numbers(a->event, b->event);
}

static int compare_samples(const void *pa, const void *pb, void *arg)
{
	const struct thread_sample *a = pa, *b = pb;
	const struct profile_data *d = arg;

	return compare_owners(&d->weights.v[a->weight], &d->weights.v[b->weight]) ?: compare_numbers(a->time, b->time) ?:
	       compare_numbers(a->weight, b->weight);
}

void thread_samples_collect(thread_samples *list, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	struct profile_cursor c;
	struct profile_sample s;

	for (profile_cursor_init(&c, p); profile_cursor_next(&c, &s);)
		vec_push(list, ((struct thread_sample){ s.time, s.period, s.weight }));
	profile_cursor_release(&c);
	for (uint32_t i = 0; !d->nr_samples && i < d->weights.nr; i++)
		vec_push(list, ((struct thread_sample){ 0, d->weights.v[i].period, i }));
	if (list->nr)
		qsort_r(list->v, list->nr, sizeof(*list->v), compare_samples, (void *)d);
}

bool thread_samples_next(const thread_samples *list, const struct profile *p, size_t *at, struct sample_run *out)
{
	const struct profile_weight *weights = profile_data(p)->weights.v, *first;
	size_t end = *at;

	if (*at == list->nr)
		return false;
	first = &weights[list->v[*at].weight];
	while (end < list->nr && !compare_owners(first, &weights[list->v[end].weight]))
		end++;
	*out = (struct sample_run){ list->v + *at, end - *at };
	*at = end;
	return true;
}

/* ---- markers ---- */

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
	size_t first = bisect(i, 0, list->nr, list->v[i].thread < thread), end = first;

	while (end < list->nr && list->v[end].thread == thread)
		end++;
	return (struct marker_run){ .v = list->v + first, .nr = end - first };
}
