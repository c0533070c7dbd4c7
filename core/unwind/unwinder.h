/*
 * Unwinds the user-space stack of a sample, from the registers and the stack copy in the sample (--call-graph dwarf). It uses
 * the unwind tables of the mapped files, and frame pointers if a file has none. If a call chain ends early, the result says why.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_UNWINDER_H
#define CORE_UNWIND_UNWINDER_H

#include <stdbool.h>

#include "core/base/vec.h"
#include "core/base/wire.h"

struct dso;
struct memory_ops;

struct unwind_input {		/* a sample: borrowed, not trusted */
	uint32_t space;			/* of the process: a number for struct memory_ops */
	uint64_t abi, mask;		/* PERF_SAMPLE_REGS_ABI_*; which registers are in @regs, by PERF_REG_* number */
	struct words regs;
	const uint8_t *stack;		/* the memory at the stack pointer */
	uint64_t stack_size;		/* valid bytes, */
	uint64_t stack_wanted;		/* and the number that the recorder asked for */
	/*
	 * The user part of the kernel's frame-pointer chain: return addresses, after the sample's own address; nr 0: none. It
	 * replaces memory that the stack copy lacks, if both are known to be at the same frame.
	 */
	struct words frame_pointers;
	bool marks;			/* put PERF_CONTEXT_USER before each address, except the first, that is not a call's */
};

enum unwound_end {
	UNWOUND_ROOT,		/* the thread's first frame was reached */
	UNWOUND_DEPTH,		/* the maximum depth was reached */
	UNWOUND_STACK,		/* the next frame is beyond the copy of the stack */
	UNWOUND_UNCOPIED,	/* the same, and the copy is short: the kernel found no memory, or not without waiting */
	UNWOUND_OTHER_STACK,	/* the next frame is on another stack: a signal handler runs on its own */
	UNWOUND_NO_TABLES,	/* the file has no rule for that code, or is missing */
	UNWOUND_NO_CODE,	/* the return address is in no executable map */
	UNWOUND_BAD_RULE,	/* the rule makes no sense with these registers */
	NR_UNWOUND_ENDS
};

struct unwound {
	VEC(uint64_t) ips;
	enum unwound_end end;	/* why there are no more */
	const struct dso *dso;	/* file of the last frame, borrowed; NULL: none */
	bool hides_inlined;	/* a frame is in a JVM's code with unknown inlined methods */
};

/* For one worker; caches the rules of addresses. @m is borrowed. */
struct unwinder;
struct unwinder *unwinder_new(const struct memory_ops *m);
void unwinder_free(struct unwinder *u);

/*
 * Appends at most @max_depth addresses to @out, innermost first: that of the sample, then for each caller the last byte of its
 * call. Returns how many; 0 if the sample's registers do not suffice. The work is bounded by the number of frames.
 */
unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out);

/*
 * The caller of the function at @pc in @space, if by the tables its return address is still in a register: @link - 1. 0: it was
 * saved, or there is no rule.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link);

#endif
