/* Chooses the threads that an exported HTML page keeps, and merges all other threads (thin_threads.h). */
#include "core/show/export/html/thin_threads.h"

float *thin_heat(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	float *heat = xcalloc(MAX(d->threads.nr, 1), sizeof(*heat));
	double *sums = xcalloc(MAX(d->threads.nr, 1), sizeof(*sums));

	for (uint32_t e = 0; e < d->events.nr; e++) {
		double all = (double)d->events.v[e].period;

		memset(sums, 0, d->threads.nr * sizeof(*sums));
		vec_for(w, &d->weights)
			if (w->event == e && w->thread != PROFILE_NONE)
				sums[w->thread] += (double)w->period;
		for (size_t i = 0; all > 0 && i < d->threads.nr; i++)
			heat[i] = MAX(heat[i], (float)(sums[i] / all));
	}
	free(sums);
	return heat;
}

struct warm { float heat; uint32_t thread; };

ORDER(hottest_first, struct warm, compare_numbers(b->heat, a->heat) ?: compare_numbers(a->thread, b->thread))

/* By thread: true if it is not merged. */
static bool *choose(const float *heat, size_t nr, uint32_t most)
{
	struct warm *order = xmalloc(MAX(nr, 1) * sizeof(*order));
	bool *stays = xcalloc(MAX(nr, 1), sizeof(*stays));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = (struct warm){ heat[i], i };
	if (nr)
		qsort(order, nr, sizeof(*order), hottest_first);
	for (size_t i = 0; i < MIN(nr, most); i++)
		stays[order[i].thread] = true;
	free(order);
	return stays;
}

/* The group of a thread that does not stay: a number below the most. */
static uint32_t group_of(const struct profile_data *d, uint32_t thread, enum thin_scope scope)
{
	uint32_t process = d->threads.v[thread].process;

	return scope == THIN_PROCESS ? process : scope == THIN_NAME ? d->processes.v[process].name : 0;
}

static void join(struct thin_threads *t, const struct profile *p, const bool *stays, enum thin_scope scope)
{
	const struct profile_data *d = profile_data(p);
	size_t nr_groups = scope == THIN_PROCESS ? d->processes.nr : scope == THIN_NAME ? d->nr_strings : 1;
	uint32_t *place = xmalloc(MAX(nr_groups, 1) * sizeof(*place));

	memset(place, 0xff, MAX(nr_groups, 1) * sizeof(*place));
	t->list.nr = 0;
	for (uint32_t i = 0; i < d->threads.nr; i++) {
		uint32_t *at = stays[i] ? NULL : &place[group_of(d, i, scope)];

		if (at && *at != PROFILE_NONE) {
			t->list.v[*at].nr++;
			t->list.v[*at].scope = scope;
			t->of[i] = *at;
			continue;
		}
		t->of[i] = (uint32_t)t->list.nr;
		if (at)
			*at = t->of[i];
		vec_push(&t->list, ((struct page_thread){ i, 1, THIN_ONE_THREAD }));
	}
	free(place);
}

void thin_threads(struct thin_threads *t, const struct profile *p, const float *heat, uint32_t most)
{
	size_t nr = profile_data(p)->threads.nr;
	bool *stays = choose(heat, nr, most);

	*t = (struct thin_threads){ .of = xmalloc(MAX(nr, 1) * sizeof(*t->of)) };
	for (enum thin_scope scope = THIN_PROCESS; scope <= THIN_ALL; scope++) {
		join(t, p, stays, scope);
		if (t->list.nr <= 2 * (uint64_t)most)
			break;
	}
	vec_for(thread, &t->list)
		t->nr_merged += thread->nr > 1 ? thread->nr : 0;
	free(stays);
}

void thin_threads_release(struct thin_threads *t)
{
	vec_free(&t->list);
	free(t->of);
	*t = (struct thin_threads){0};
}
