/*
 * Finds another function to annotate if the chosen one was inlined or has no samples of its own: the function into which it was
 * inlined, or one that it calls. view_annotate.c and act.c call it.
 */
#ifndef CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H
#define CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H

#include "core/show/browse/filters.h"

struct function_samples {
	uint32_t function;	/* the result; PROFILE_NONE: no function with a name has samples below the chosen one */
	bool is_inlined_code;	/* the samples are in code of the chosen function, which was inlined into .function */
	struct sum sum;		/* the samples in .function */
};

/* The function with most selected samples in inlined code of @function, else the one of all its callees with most. */
struct function_samples function_samples_of(const struct model *m, const struct selection *s, uint32_t function);

#endif
