/* Adds calls of earlier samples to chains that the processor cut. Layer: read */
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

void stitches_finish(struct stitches *t)
{
	vec_sort(&t->samples, compare_positions);
}

void stitches_free(struct stitches *t)
{
	if (!t)
		return;
	vec_free(&t->links);
	vec_free(&t->samples);
	free(t);
}

uint32_t stitches_find(const struct stitches *t, uint64_t position)
{
	const struct stitched_sample key = { .position = position }, *found = NULL;

	if (t && t->samples.nr)
		found = bsearch(&key, t->samples.v, t->samples.nr, sizeof(key), compare_positions);
	return found ? found->link : 0;
}
