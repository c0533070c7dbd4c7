/* Counters in samples: the first value counts whole, later ones by what they moved, each thread by itself. */
#include <stdio.h>

#include "core/read/counters.h"
#include "tests/unit/check.h"

int main(void)
{
	struct counters c = {0};

	CHECK(counters_advance(&c, 1, 0, 100) == 100);
	CHECK(counters_advance(&c, 1, 0, 130) == 30);
	CHECK(counters_advance(&c, 1, 0, 130) == 0);
	CHECK(counters_advance(&c, 1, 7, 50) == 50);
	CHECK(counters_advance(&c, 2, 7, 60) == 60);
	CHECK(counters_advance(&c, 1, 7, 51) == 1);
	CHECK(c.list.nr == 3);
	for (uint64_t id = 10; id < 1000; id++)
		CHECK(counters_advance(&c, id, 3, id) == id);
	for (uint64_t id = 10; id < 1000; id++)
		CHECK(counters_advance(&c, id, 3, 2 * id) == id);
	counters_release(&c);
	return checks_done();
}
