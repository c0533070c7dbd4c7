/*
 * Unwinds the user-space stack of a sample from its registers and its stack copy (--call-graph dwarf). core/read/item_reader.c
 * calls it for a finished recording, and core/record/live/live_sample.c during recording.
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
	uint64_t stack_size;		/* number of valid bytes in the copy */
	uint64_t stack_wanted;		/* number of bytes that the recorder asked for */
	/*
	 * The user part of the kernel's frame-pointer chain: return addresses, after the sample's own address; nr 0: none. It
	 * replaces memory that the stack copy lacks, if both are known to be at the same frame.
	 */
	struct words frame_pointers;
	bool marks;			/* put PERF_CONTEXT_USER before each address, except the first, at which no call was made */
};

enum unwound_end {
	UNWOUND_ROOT,		/* the thread's first frame was reached */
	UNWOUND_DEPTH,		/* the maximum depth was reached */
	UNWOUND_STACK,		/* the next frame is beyond the copy of the stack */
	UNWOUND_UNCOPIED,	/* the same, and the copy is shorter than requested, as the kernel could not read more */
	UNWOUND_OTHER_STACK,	/* the next frame is on another stack, as when a signal handler has its own stack */
	UNWOUND_NO_TABLES,	/* the file has no rule for the code of the last frame, or the file is missing */
	UNWOUND_NO_CODE,	/* the return address is in no executable map */
	UNWOUND_BAD_RULE,	/* the rule makes no sense with these registers */
	NR_UNWOUND_ENDS
};

struct unwound {
	VEC(uint64_t) ips;
	enum unwound_end end;	/* why there are no more */
	const struct dso *dso;	/* file of the last frame, borrowed; NULL: none */
	bool hides_inlined;	/* a frame is in a JVM's code with unknown inlined methods */
	uint32_t stack_used;	/* bytes of the copy of the stack up to the outermost word that was read */
};

/* The state of one worker, with a cache of the rules of addresses. @m is borrowed. */
struct unwinder;
struct unwinder *unwinder_new(const struct memory_ops *m);
void unwinder_free(struct unwinder *u);

/*
 * Appends at most @max_depth frames to @out, the innermost first. The first address is that of the sample; the address of a caller
 * is the last byte of its call. Returns the number of addresses; 0 if the sample's registers do not suffice. Uses the unwind tables
 * of the mapped files, and frame pointers if a file has none. If the chain ends early, out->end says why.
 */
unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out);

/*
 * @link is the value of the link register. If by the unwind tables the return address of the function at @pc in @space is still in
 * this register, returns the address of the caller, @link - 1. Returns 0 if it was saved, or if there is no rule.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link);

#endif
