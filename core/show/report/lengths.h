/*
 * Collects how long the calls of one function took, and returns percentiles and a histogram, in bounded memory even for billions
 * of calls. prec report --durations uses it (durations.c).
 */
#ifndef CORE_SHOW_REPORT_LENGTHS_H
#define CORE_SHOW_REPORT_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

#define LENGTH_BINS	12u		/* bins of the printed histogram */
#define LENGTH_GROUPS	55u		/* one for times below 1,024 ns, and one for each power of two from there on */

/*
 * Up to 4,096 times are kept one by one. If there are more, all times are counted in buckets. For times below 2,048 ns a bucket is
 * 1 ns wide. For longer times it is narrower than a thousandth of the time.
 */
struct lengths {			/* = {0}; lengths_release() */
	uint64_t nr, min, max;		/* .nr: calls; .min, .max: their shortest and longest time in ns, exact */
	uint64_t bins[LENGTH_BINS];	/* calls by bin; bin_from of lengths.c has the shortest time of each */
	VEC(uint64_t) few;		/* ns of each call, while there are at most 4,096 */
	uint64_t *groups[LENGTH_GROUPS];	/* owned: by group, the counts of its buckets; NULL: all are 0 */
};

void lengths_add(struct lengths *l, uint64_t ns);
/*
 * The percentile in ns: at least @permille of a thousand calls take no longer. It is exact if there are at most 4,096 calls, or if
 * it is below 2,048 ns; else it is too short by less than a thousandth. 0: there are no calls.
 */
uint64_t lengths_percentile(struct lengths *l, unsigned permille);
void lengths_release(struct lengths *l);

#endif
