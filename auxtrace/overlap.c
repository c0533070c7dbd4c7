/*
 * Finds how many bytes at the start of an AUX sample repeat the end of the sample before it, so that queue.c appends only the
 * new bytes. Uses the failure function of Knuth, Morris and Pratt.
 * Layer: auxtrace
 */
#include "auxtrace/overlap.h"

#include <stdlib.h>

#include "core/base/util.h"

/* Returns fail: fail[i] is the length of the longest proper prefix of the first i + 1 bytes that is also their suffix. */
static uint32_t *failures(const uint8_t *p, size_t n)
{
	uint32_t *fail = xcalloc(n, sizeof(*fail));
	uint32_t k = 0;

	for (size_t i = 1; i < n; i++) {
		while (k && p[i] != p[k])
			k = fail[k - 1];
		k += p[i] == p[k];
		fail[i] = k;
	}
	return fail;
}

size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next)
{
	size_t most = MIN(nr_before, nr_next), k = 0;
	uint32_t *fail;

	if (!most)
		return 0;
	fail = failures(next, most);
	for (size_t i = nr_before - most; i < nr_before; i++) {
		while (k && (k == most || before[i] != next[k]))
			k = fail[k - 1];
		k += before[i] == next[k];
	}
	free(fail);
	return k;
}
