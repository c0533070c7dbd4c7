/* Samples summed up by stretches of time. Layer: export */
#include "core/export/html/thin.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST_STRETCHES 64

/* What of a weight row was seen in the current stretch: its place in thin.samples, if .stretch is the current one. */
struct seen { uint64_t stretch, at; };

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
			add_saturated(&t->samples.v[seen[s.weight].at].period, s.period);
			t->samples.v[seen[s.weight].at].nr++;
		} else {
			seen[s.weight] = (struct seen){ stretch, t->samples.nr };
			vec_push(&t->samples, (struct thread_sample){
				d->info.first_time + stretch * t->stretch, s.period, 1, s.weight });
			fits = t->samples.nr <= max;
		}
	}
	profile_cursor_release(&c);
	return fits;
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

	if (d->nr_samples > max)
		shorten(&t, p, max);
	else
		thread_samples_take(&t.samples, p);
	/* What stands side by side is alike then: compressed it is small. */
	thread_samples_sort(&t.samples, p);
	return t;
}

void thin_release(struct thin *t)
{
	vec_free(&t->samples);
}
