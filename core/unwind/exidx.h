/*
 * Compiles the unwind tables of 32-bit Arm into unwind rules (rules.h), and runs unwind instructions. .ARM.exidx has an entry
 * for each function, with its unwind instructions or their address in .ARM.extab.
 * Source: Exception Handling ABI for the Arm Architecture (EHABI32), sections 6, 7 and 10.
 */
#ifndef CORE_UNWIND_EXIDX_H
#define CORE_UNWIND_EXIDX_H

#include "core/unwind/frame.h"

struct exidx_image {		/* the bytes of a file, by address */
	/* Reads a number of @n bytes at @addr; false: they are not in the file. */
	bool (*read)(void *ctx, uint64_t addr, unsigned n, uint64_t *value);
	void *ctx;
	uint64_t addr, size;	/* address and size of .ARM.exidx */
	uint64_t end;		/* end of the code, where the function of the last entry ends */
};

/* Compiles all valid entries into the empty @out, and finishes it. */
void exidx_compile(struct rule_table *out, const struct exidx_image *image);

/* Replaces @f by its caller, as frame_step() does, by the instructions that a CFA_EXIDX rule refers to. */
enum step exidx_run(struct bytes program, struct unwind_frame *f, const struct memory *m);

#endif
