/* The percentiles of lengths, beside those of the lengths themselves in order. */
#include "core/show/report/lengths.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/util.h"
#include "tests/unit/check.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* @nr random lengths of up to @bits bits. */
static void check_many(size_t nr, unsigned bits)
{
	static const unsigned permilles[] = { 0, 1, 500, 900, 990, 999, 1000 };
	uint64_t *all = xcalloc(nr, sizeof(*all)), random = nr + bits, sum = 0;
	struct lengths l = {0};

	for (size_t i = 0; i < nr; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		all[i] = random >> (64 - bits) >> (random >> 20) % bits;
		lengths_add(&l, all[i]);
	}
	qsort(all, nr, sizeof(*all), compare);
	CHECK(l.nr == nr && l.min == all[0] && l.max == all[nr - 1]);
	for (size_t i = 0; i < ARRAY_SIZE(permilles); i++) {
		size_t rank = MAX((nr * permilles[i] + 999) / 1000, 1);
		uint64_t want = all[rank - 1], got = lengths_percentile(&l, permilles[i]);

		CHECK(got <= want && want - got <= (want < 2048 || nr <= 4096 ? 0 : want / 1000));
	}
	for (size_t i = 0; i < LENGTH_BINS; i++)
		sum += l.bins[i];
	CHECK(sum == nr);
	lengths_release(&l);
	free(all);
}

int main(void)
{
	struct lengths none = {0};

	CHECK(lengths_percentile(&none, 500) == 0);
	check_many(1, 10);
	check_many(4096, 64);
	check_many(4097, 64);
	check_many(100000, 11);
	check_many(100000, 64);
	lengths_release(&none);
	return checks_done();
}
