/*
 * Finds another function to annotate when the function that the user chose has no samples of its own. If the chosen function was
 * inlined, this is the function whose code contains most of its samples. Otherwise it is the direct or indirect callee with the
 * most samples.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H
#define CORE_SHOW_BROWSE_FUNCTION_SAMPLES_H

#include "core/show/browse/filters.h"

struct function_samples {
	uint32_t function;	/* that has the most of them; PROFILE_NONE: there are none */
	bool is_inlined_code;	/* they were taken in code of the wanted function, which was inlined into .function */
	struct sum sum;		/* of those */
};

/* The selected samples below @function: in code inlined into it, else in its direct and indirect callees. */
struct function_samples function_samples_of(const struct model *m, const struct selection *s, uint32_t function);

#endif
