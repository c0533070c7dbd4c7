/*
 * Finds a function to annotate in place of a chosen function that was inlined or has no samples of its own. For an inlined
 * function, the result is the function into whose code it was inlined, and if there are several, the one with the most samples of
 * the inlined code. Otherwise the result is the direct or indirect callee with the most samples.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H
#define CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H

#include "core/show/browse/filters.h"

struct function_samples {
	uint32_t function;	/* the result; PROFILE_NONE: no function with a name has samples below the chosen one */
	bool is_inlined_code;	/* the samples are in code of the chosen function, which was inlined into .function */
	struct sum sum;		/* the samples in .function */
};

/*
 * Returns the function that has most of the selected samples in inlined code of @function, or without such samples, the one of its
 * direct and indirect callees that has most.
 */
struct function_samples function_samples_of(const struct model *m, const struct selection *s, uint32_t function);

#endif
