/*
 * Collects the durations of one function's calls, for prec report --durations. Up to 4,096 durations are stored. More are
 * counted in classes, as in an HDR histogram. Durations of the same class differ by less than 0.1 %.
 */
#include "core/show/report/lengths.h"

#include <stdlib.h>

#include "core/base/util.h"

#define FEW		4096u
#define GROUP		1024u		/* buckets of a group */

static const uint64_t bin_from[LENGTH_BINS] = {
	0, 10, 32, 100, 316, 1000, 3162, 10000, 31623, 100000, 1000000, 10000000,
};

static unsigned bin_of(uint64_t ns)
{
	unsigned bin = 0;

	while (bin + 1 < LENGTH_BINS && ns >= bin_from[bin + 1])
		bin++;
	return bin;
}

static unsigned group_of(uint64_t ns)
{
	return ns < GROUP ? 0 : 63u - (unsigned)__builtin_clzll(ns) - 9;
}

/* The least length of bucket @i of group @g. */
static uint64_t bucket_from(unsigned g, unsigned i)
{
	return g ? (uint64_t)(GROUP + i) << (g - 1) : i;
}

static void count(struct lengths *l, uint64_t ns)
{
	unsigned g = group_of(ns);

	if (!l->groups[g])
		l->groups[g] = xcalloc(GROUP, sizeof(**l->groups));
	l->groups[g][g ? (ns >> (g - 1)) - GROUP : ns]++;
}

void lengths_add(struct lengths *l, uint64_t ns)
{
	l->min = l->nr ? MIN(l->min, ns) : ns;
	l->max = MAX(l->max, ns);
	l->bins[bin_of(ns)]++;
	if (l->nr++ < FEW) {
		vec_push(&l->few, ns);
		return;
	}
	vec_for(few, &l->few)
		count(l, *few);
	vec_free(&l->few);
	count(l, ns);
}

ORDER(compare_u64, uint64_t, compare_numbers(*a, *b))

/* The length of rank @rank, counted from 1, among the counted lengths. */
static uint64_t find_counted(const struct lengths *l, uint64_t rank)
{
	for (unsigned g = 0; g < LENGTH_GROUPS; g++) {
		for (unsigned i = 0; l->groups[g] && i < GROUP; i++) {
			if (rank <= l->groups[g][i])
				return MAX(bucket_from(g, i), l->min);
			rank -= l->groups[g][i];
		}
	}
	return l->max;
}

uint64_t lengths_percentile(struct lengths *l, unsigned permille)
{
	uint64_t rank = l->nr / 1000 * permille + (l->nr % 1000 * permille + 999) / 1000;

	if (!l->nr || permille >= 1000)
		return l->max;
	if (!l->few.nr)
		return find_counted(l, MAX(rank, 1));
	vec_sort(&l->few, compare_u64);
	return l->few.v[MAX(rank, 1) - 1];
}

void lengths_release(struct lengths *l)
{
	vec_free(&l->few);
	for (unsigned g = 0; g < LENGTH_GROUPS; g++)
		free(l->groups[g]);
}
