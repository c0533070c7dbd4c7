/*
 * Fewer samples: those of equal weight rows within a stretch of time become one, at the stretch's begin. So a recording of any
 * length can be put into a page, and no weight is lost.
 * Layer: export
 */
#ifndef CORE_EXPORT_HTML_THIN_H
#define CORE_EXPORT_HTML_THIN_H

#include "core/export/thread_samples.h"

struct thin {			/* thin_release() */
	thread_samples samples;		/* sorted */
	uint64_t stretch;		/* ns; 0: the samples are as recorded */
};

/* All samples of @p; in stretches as short as it takes for at most @max, down to a 64th of the recording. */
struct thin thin_samples(const struct profile *p, uint64_t max);
void thin_release(struct thin *t);

#endif
