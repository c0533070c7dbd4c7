/*
 * Call chains of user space out of a sample's registers and the copy of its stack, by the unwind tables of the files
 * that are mapped (libdwfl). Where a file is not here, or has no tables, a chain ends.
 * Layer: model
 */
#ifndef CORE_MODEL_UNWIND_H
#define CORE_MODEL_UNWIND_H

#include "core/base/vec.h"
#include "core/base/wire.h"

struct machine;

struct unwind_input {		/* of a sample: borrowed, nothing in it is trusted */
	uint32_t space;			/* of the process, see core/model/machine.h */
	uint64_t abi, mask;		/* PERF_SAMPLE_REGS_ABI_*; which registers are in @regs, by PERF_REG_* number */
	struct words regs;
	const uint8_t *stack;		/* what is at the stack pointer */
	uint64_t stack_size;		/* bytes that are true */
};

enum unwound_end {
	UNWOUND_WHOLE,			/* there is nothing more, as far as one can tell */
	UNWOUND_STACK,			/* what comes next is behind the copy of the stack */
	UNWOUND_DEPTH,			/* there is more, but no more was wanted */
};

struct unwound {
	VEC(uint64_t) ips;
	enum unwound_end end;		/* why there are no more */
};

/*
 * One belongs to one worker. It keeps what it read of the files of some address spaces, which is what costs time.
 * @m is sealed, and borrowed.
 */
struct unwinder;
struct unwinder *unwinder_new(const struct machine *m);
void unwinder_free(struct unwinder *u);

/*
 * Append at most @max_depth addresses to @out, innermost first: that of the sample, then for each caller the last byte
 * of its call. Returns how many: 0 where the sample is in no file
 * that is here, or its registers do not tell.
 */
unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out);

/*
 * The caller of a function at @pc in @space that has not saved its return address, as one that calls nobody: @link, from the
 * register that has it, less the length of an instruction or so. 0: the tables say that it was saved, or nothing.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link);

#endif
