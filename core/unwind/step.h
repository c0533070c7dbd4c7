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
enum step frame_step(struct unwind_frame *f, const struct arch *arch, const struct rule_place *by, const struct memory *m);

/*
 * True if @r puts the return address above the CFA. A function saves it in its own frame, below the CFA; but glibc's tables
 * of arm64's _dl_runtime_resolve() do not count the 16 bytes that the stub before it has pushed, which hold that address.
 */
bool is_return_above_cfa(const struct arch *arch, const struct rule *r);

#endif
