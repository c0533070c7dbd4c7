/* radix_sort() against qsort(): the same order, equal items as they stood. */
#include "core/base/radix.h"

#include "tests/unit/check.h"

#define MOST 5000

static int compare(const void *pa, const void *pb)
{
	const struct radix_item *a = pa, *b = pb;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

int main(void)
{
	static struct radix_item items[MOST], want[MOST];
	uint64_t state = 1234567;

	for (unsigned round = 0; round < 200 && !nr_failed; round++) {
		size_t nr = random_below(&state, round % 2 ? MOST : 100);
		unsigned high = (unsigned)random_below(&state, 64), low = (unsigned)random_below(&state, 64);

		for (size_t i = 0; i < nr; i++)
			items[i] = (struct radix_item){ .high = random_u64(&state) >> high >> (round % 3 ? 0 : 63 - high),
							.low = random_u64(&state) >> low, .number = (uint32_t)i };
		memcpy(want, items, nr * sizeof(*items));
		qsort(want, nr, sizeof(*want), compare);
		radix_sort(items, nr);
		for (size_t i = 0; i < nr; i++)
			CHECK(!compare(&items[i], &want[i]), "round %u, item %zu of %zu", round, i, nr);
	}
	return checks_done();
}
