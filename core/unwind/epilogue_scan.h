/*
 * Unwinds short code without unwind tables by its own instructions: the pops that remain, up to the return. Some code has no
 * tables in a file that has them for the rest: gcc's crtstuff.c, _init() and _fini() (pieced together from sections of several
 * files), and some assembler. Neither has some code that is made at run time and keeps no frame pointers, such as Python's
 * trampolines (sub, call, add, ret).
 * Layer: unwind
 */
#ifndef CORE_UNWIND_EPILOGUE_SCAN_H
#define CORE_UNWIND_EPILOGUE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

#define WAY_BEFORE	192	/* bytes before an address, */
#define WAY_MAX		128	/* and from it on, that are read */

struct epilogue_scan {
	uint16_t depth;		/* bytes on the stack, below the return address */
	int16_t fp_at;		/* where among them the caller's frame pointer is; -1: in its register */
	bool pops_others;	/* registers that the caller may want back */
	bool is_straight;	/* no branch was passed: what runs next is known */
};

/*
 * From the instruction after the first @before of @before + @n bytes of code. Calls are taken to return. Returns false if an
 * instruction does what is not understood, or none returns. It is a guess, right if a call ends where it leads to.
 */
bool find_epilogue(const struct arch *arch, const uint8_t *code, size_t before, size_t n, struct epilogue_scan *out);

#endif
