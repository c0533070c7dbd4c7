/*
 * Computes the registers of a frame's caller by the unwind rule (rules.h) for the frame's address. unwinder.c takes such a step
 * for each frame.
 */
#ifndef CORE_UNWIND_STEP_H
#define CORE_UNWIND_STEP_H

#include "core/unwind/frame.h"

struct rule_place {		/* a rule with its table */
	const struct rule *rule;
	const struct rule_table *table;
	uint64_t bias;		/* address in the process - address in the file */
};

/* Replaces @f by its caller. If it does not return STEP_CALLER, the contents of @f are undefined. */
enum step frame_step(struct unwind_frame *f, const struct arch *arch, const struct rule_place *place, const struct memory *m);

/*
 * True if by rule @r the return address is above the CFA. Usually a function saves it in its own frame, below the CFA. But glibc's
 * tables for arm64's _dl_runtime_resolve() do not count the 16 bytes with the return address that the PLT stub has pushed.
 */
bool is_return_above_cfa(const struct arch *arch, const struct rule *r);

#endif
