/*
 * Keeps the outer calls that the LBR buffer lost, and returns the lost calls of a sample, so that its call chain becomes complete
 * (stitch.h). stitch_find.c finds the lost calls.
 */
#include "core/read/stitch.h"

#include <stdlib.h>

#include "core/base/util.h"

static int compare_positions(const void *pa, const void *pb)
{
	return compare_numbers(((const struct stitched_sample *)pa)->position, ((const struct stitched_sample *)pb)->position);
}

struct stitches *stitches_new(void)
{
	struct stitches *t = xcalloc(1, sizeof(*t));

	vec_push(&t->links, (struct stitch_link){0});
	return t;
}

void stitches_finish(struct stitches *s)
{
	vec_sort(&s->samples, compare_positions);
}

void stitches_free(struct stitches *s)
{
	if (!s)
		return;
	vec_free(&s->links);
	vec_free(&s->samples);
	free(s);
}

uint32_t stitches_find(const struct stitches *s, uint64_t position)
{
	const struct stitched_sample key = { .position = position }, *found = NULL;

	if (s && s->samples.nr)
		found = bsearch(&key, s->samples.v, s->samples.nr, sizeof(key), compare_positions);
	return found ? found->link : 0;
}
