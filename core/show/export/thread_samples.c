/*
 * Collects the samples of a profile for firefox.c, sorted by thread, event and time. The Firefox Profiler shows each event of a
 * thread like a thread of its own.
 * Layer: export
 */
#include "core/show/export/thread_samples.h"

void thread_samples_collect(thread_samples *list, const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	struct profile_cursor c;
	struct profile_sample s;

	for (profile_cursor_init(&c, p); profile_cursor_next(&c, &s);)
		vec_push(list, ((struct thread_sample){ s.time, s.period, 1, s.weight }));
	profile_cursor_release(&c);
	if (d->nr_samples)
		return;
	vec_for(w, &d->weights)
		vec_push(list, ((struct thread_sample){ 0, w->period, w->nr, (uint32_t)(w - d->weights.v) }));
}

static int compare_owners(const struct profile_weight *a, const struct profile_weight *b)
{
	int order = compare_numbers(a->thread, b->thread);

	return order ? order : compare_numbers(a->event, b->event);
}

static int compare_samples(const void *pa, const void *pb, void *arg)
{
	const struct thread_sample *a = pa, *b = pb;
	const struct profile_data *d = arg;
	int order = compare_owners(&d->weights.v[a->weight], &d->weights.v[b->weight]);

	order = order ? order : compare_numbers(a->time, b->time);
	return order ? order : compare_numbers(a->weight, b->weight);
}

void thread_samples_sort(thread_samples *list, const struct profile *p)
{
	if (list->nr)
		qsort_r(list->v, list->nr, sizeof(*list->v), compare_samples, (void *)profile_data(p));
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
