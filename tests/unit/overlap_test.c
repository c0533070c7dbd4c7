/* The overlap of two pieces of trace is the longest end of one that begins the other: for random bytes, few of a kind. */
#include "auxtrace/queue.h"

#include <string.h>

#include "tests/unit/check.h"

#define ROUNDS	20000
#define ROOM	24

static size_t slow_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next)
{
	for (size_t n = nr_before < nr_next ? nr_before : nr_next; n; n--)
		if (!memcmp(before + nr_before - n, next, n))
			return n;
	return 0;
}

int main(void)
{
	uint64_t state = 1;

	for (int i = 0; i < ROUNDS; i++) {
		uint8_t a[ROOM], b[ROOM];
		size_t na = (size_t)random_below(&state, ROOM + 1), nb = (size_t)random_below(&state, ROOM + 1);

		for (size_t k = 0; k < ROOM; k++) {
			a[k] = (uint8_t)random_below(&state, 2);
			b[k] = (uint8_t)random_below(&state, 2);
		}
		if (na && nb && random_below(&state, 2))
			memcpy(b, a + na - (na < nb ? na : nb), na < nb ? na : nb);
		CHECK(aux_overlap(a, na, b, nb) == slow_overlap(a, na, b, nb));
	}
	return checks_done();
}
