/*
 * From a frame to its caller by a rule.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_STEP_H
#define CORE_UNWIND_STEP_H

#include "core/unwind/frame.h"

struct rule_place {		/* a rule, and what it refers to */
	const struct rule *rule;
	const struct rule_table *table;
	uint64_t bias;		/* address in the process - address in the file */
};

/* From @f to its caller, in place. Unless that is STEP_CALLER, @f is void. */
enum step frame_step(struct frame *f, const struct arch *arch, const struct rule_place *by, const struct memory *m);

#endif
