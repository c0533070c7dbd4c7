/* Large arrays that grow keep what they hold, and are seldom copied: each copy's memory would be zeroed by the kernel first. */
#include "core/base/vec.h"

#include "tests/unit/check.h"

#define NR	(20u << 20)	/* of 8 bytes: 160 MiB */

int main(void)
{
	VEC(uint64_t) all = {0};
	const uint64_t *last = NULL;
	unsigned copied = 0;
	size_t wrong = 0;

	for (uint64_t i = 0; i < NR; i++) {
		vec_push(&all, i * i);
		copied += all.v != last && all.nr > (8u << 20) / sizeof(*all.v);
		last = all.v;
	}
	for (uint64_t i = 0; i < NR; i++)
		wrong += all.v[i] != i * i;
	CHECK(!wrong, "%zu elements changed", wrong);
	/* It is doubled five times on the way. */
	CHECK(copied <= 3, "copied %u times", copied);
	vec_free(&all);
	return checks_done();
}
