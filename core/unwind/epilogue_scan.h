/*
 * Finds the return address on the stack for x86 code that has no unwind tables, by following its instructions up to the return.
 * lookup.c calls it.
 */
#ifndef CORE_UNWIND_EPILOGUE_SCAN_H
#define CORE_UNWIND_EPILOGUE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

#define WAY_BEFORE	192	/* bytes of code that are read before an address, */
#define WAY_MAX		128	/* and from it on */

struct epilogue_scan {
	uint16_t depth;		/* bytes on the stack, below the return address */
	int16_t fp_at;		/* offset of the caller's frame pointer in these bytes; -1: it is still in the register */
	bool pops_others;	/* the code also restores other registers of the caller */
	bool is_straight;	/* the code has no branch, so the way to the return is certain */
};

/*
 * Follows the code and counts the bytes that it pops, from the instruction after the first @before of @before + @n bytes. Assumes
 * that calls return. Returns false at an instruction that is not understood, or if there is no return. The result is a guess, to be
 * confirmed by a call instruction before the return address.
 *
 * Even a file with unwind tables has some code without them: gcc's crtstuff.c, _init() and _fini() (which are put together from
 * sections of several files), and some assembler code. Some code that is generated at run time has neither tables nor frame
 * pointers, such as Python's trampolines (sub, call, add, ret).
 */
bool find_epilogue(const struct arch *arch, const uint8_t *code, size_t before, size_t n, struct epilogue_scan *out);

#endif
