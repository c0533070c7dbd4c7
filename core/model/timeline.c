/* Adds up the changes of a number over time, such as the number of running threads, and finds the number at a given time. */
#include "core/model/timeline.h"

#include <stdbool.h>
#include <stdlib.h>

void timeline_add(struct timeline *t, uint64_t time, int64_t change)
{
	vec_push(&t->steps, ((struct timeline_step){ time, change }));
}

ORDER(compare_steps, struct timeline_step, compare_numbers(a->time, b->time))

/* Leaves one step for each time. */
void timeline_finish(struct timeline *t)
{
	int64_t number = 0;
	size_t nr = 0;

	vec_sort(&t->steps, compare_steps);
	for (size_t i = 0; i < t->steps.nr; i++) {
		number += t->steps.v[i].change;
		if (i + 1 < t->steps.nr && t->steps.v[i + 1].time == t->steps.v[i].time)
			continue;
		t->steps.v[nr++] = (struct timeline_step){ t->steps.v[i].time, number };
	}
	t->steps.nr = nr;
}

void timeline_release(struct timeline *t)
{
	vec_free(&t->steps);
}

/* The index of the last step that is not after @time; SIZE_MAX if all steps are after it. */
static size_t find_step(const struct timeline *t, uint64_t time)
{
	return bisect(i, 0, t->steps.nr, t->steps.v[i].time <= time) - 1;
}

static bool is_step(const struct timeline *t, size_t at, uint64_t time)
{
	return at < t->steps.nr && t->steps.v[at].time <= time &&
	       (at + 1 == t->steps.nr || time < t->steps.v[at + 1].time);
}

int64_t timeline_at(const struct timeline *t, size_t *at, uint64_t time)
{
	if (!is_step(t, *at, time))
		*at = is_step(t, *at + 1, time) ? *at + 1 : find_step(t, time);
	return *at < t->steps.nr ? t->steps.v[*at].change : 0;
}
