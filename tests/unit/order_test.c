/* order_sort() against qsort(), on keys that lie in the file as rings leave them: ascending runs that overlap. */
#include "core/read/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	300
#define MOST	3000

static int by_key(const void *a, const void *b)
{
	const struct order_key *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* Runs of some length, each beginning a little before the end of the last: many equal times. */
static size_t fill(struct order_key *keys, unsigned seed)
{
	size_t nr;
	uint64_t time = 1000;

	srand(seed);
	nr = (size_t)rand() % MOST;
	for (size_t i = 0; i < nr; i++) {
		if (rand() % 40 == 0)
			time -= time > 500 ? (uint64_t)rand() % 500 : 0;
		time += (uint64_t)rand() % 4;
		keys[i] = (struct order_key){ time, i };
	}
	return nr;
}

int main(void)
{
	static struct order_key keys[MOST], want[MOST];

	for (unsigned seed = 0; seed < ROUNDS; seed++) {
		size_t nr = fill(keys, seed);

		memcpy(want, keys, sizeof(*keys) * nr);
		qsort(want, nr, sizeof(*want), by_key);
		order_sort(keys, nr, sizeof(*keys), 1 + seed % 3);
		if (memcmp(keys, want, sizeof(*keys) * nr)) {
			printf("seed %u: %zu keys are not in order\n", seed, nr);
			return 1;
		}
	}
	return 0;
}
