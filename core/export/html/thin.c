/* Samples summed up by stretches of time. Layer: export */
#include "core/export/html/thin.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST_STRETCHES 64

/* What of a weight row was seen in the current stretch: its place in thin.samples, if .stretch is the current one. */
struct seen { uint64_t stretch, at; };

static void take_all(struct thin *t, const struct profile *p)
{
	struct profile_cursor c;
	struct profile_sample s;

	for (profile_cursor_init(&c, p, 0); profile_cursor_next(&c, &s); )
		vec_push(&t->samples, (struct thin_sample){ s.time, s.period, 1, s.weight });
	profile_cursor_release(&c);
}

/* False: there are more than @max. */
static bool take_stretches(struct thin *t, const struct profile *p, struct seen *seen, uint64_t max)
{
	const struct profile_data *d = profile_data(p);
	struct profile_cursor c;
	struct profile_sample s;
	bool fits = true;

	t->samples.nr = 0;
	memset(seen, 0xff, d->weights.nr * sizeof(*seen));
	for (profile_cursor_init(&c, p, 0); fits && profile_cursor_next(&c, &s); ) {
		uint64_t stretch = (s.time - d->info.first_time) / t->stretch;

		if (seen[s.weight].stretch == stretch) {
			t->samples.v[seen[s.weight].at].period += s.period;
			t->samples.v[seen[s.weight].at].nr++;
		} else {
			seen[s.weight] = (struct seen){ stretch, t->samples.nr };
			vec_push(&t->samples, (struct thin_sample){
				d->info.first_time + stretch * t->stretch, s.period, 1, s.weight });
			fits = t->samples.nr <= max;
		}
	}
	profile_cursor_release(&c);
	return fits;
}

/* So that what stands side by side is alike: compressed it is small. */
static int compare_samples(const void *pa, const void *pb, void *arg)
{
	const struct thin_sample *a = pa, *b = pb;
	const struct profile_weight *weights = arg, *wa = &weights[a->weight], *wb = &weights[b->weight];
	int order = compare_numbers(wa->event, wb->event);

	order = order ? order : compare_numbers(wa->thread, wb->thread);
	order = order ? order : compare_numbers(a->time, b->time);
	return order ? order : compare_numbers(a->weight, b->weight);
}

static void take_weights(struct thin *t, const struct profile_data *d)
{
	vec_for(w, &d->weights)
		vec_push(&t->samples, ((struct thin_sample){ 0, w->period, w->nr, (uint32_t)(w - d->weights.v) }));
}

static void shorten(struct thin *t, const struct profile *p, uint64_t max)
{
	const struct profile_data *d = profile_data(p);
	struct seen *seen = xcalloc(d->weights.nr, sizeof(*seen));
	uint64_t span = d->info.last_time - d->info.first_time + 1;

	for (uint64_t nr = max; ; nr /= 4) {
		bool last = nr <= FEWEST_STRETCHES;

		t->stretch = MAX(1, span / (last ? FEWEST_STRETCHES : nr));
		if (take_stretches(t, p, seen, last ? UINT64_MAX : max) || last)
			break;
	}
	free(seen);
}

struct thin thin_samples(const struct profile *p, uint64_t max)
{
	const struct profile_data *d = profile_data(p);
	struct thin t = {0};

	if (!d->nr_samples)
		take_weights(&t, d);
	else if (d->nr_samples <= max)
		take_all(&t, p);
	else
		shorten(&t, p, max);
	if (t.samples.nr)
		qsort_r(t.samples.v, t.samples.nr, sizeof(*t.samples.v), compare_samples, (void *)d->weights.v);
	return t;
}

void thin_release(struct thin *t)
{
	vec_free(&t->samples);
}
