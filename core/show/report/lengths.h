/*
 * Stores the distribution of the times of a function's calls in bounded memory, for durations.c. Up to 4,096 times are kept one
 * by one. If there are more, all times are counted in buckets. A bucket is 1 ns wide, or at most a thousandth of the times in it.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_LENGTHS_H
#define CORE_SHOW_REPORT_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

#define LENGTH_BINS	12u		/* of a histogram */
#define LENGTH_GROUPS	55u		/* powers of two from 1,024 ns on, and what is below */

struct lengths {			/* = {0}; lengths_release() */
	uint64_t nr, min, max;		/* calls; ns, exact */
	uint64_t bins[LENGTH_BINS];	/* calls from lengths_bin_from() on to the next */
	VEC(uint64_t) few;		/* ns of each, as long as these are not many */
	uint64_t *groups[LENGTH_GROUPS];	/* owned; counts; NULL: nothing is in them */
};

void lengths_add(struct lengths *l, uint64_t ns);
/*
 * The percentile in ns: at least @permille of a thousand calls are no longer. Exact if there are few calls or it is below 2,048,
 * else too short by less than a thousandth. 0: there are no calls.
 */
uint64_t lengths_percentile(struct lengths *l, unsigned permille);
void lengths_release(struct lengths *l);

#endif
