/*
 * Defines the list of the functions at an address: the function that contains the address, and the functions that debug information
 * says are inlined there. srcline.h finds them, and line_cache.h keeps them between runs of prec.
 */
#ifndef CORE_MODEL_FRAMES_H
#define CORE_MODEL_FRAMES_H

#include <stdint.h>

struct frame {			/* one of the functions that an address is in */
	const char *function;	/* demangled; NULL: unknown */
	const char *file;	/* path from the root, if the compiler says its directory; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	/* For compiler profiles, see autofdo.c. */
	uint32_t discriminator;	/* which of the line's blocks, as the compiler encoded it; 0: the only one, or not known */
	uint32_t first_line;	/* the line at which the function is declared; 0: unknown */
	const char *linkage;	/* the function's name as the linker has it; NULL: unknown */
};

struct frames {			/* innermost (inlined) first, the real function last; borrowed from the dso */
	const struct frame *v;
	uint32_t nr;		/* 0: nothing is known of the address */
};

struct known_frames { uint64_t addr; struct frames frames; };	/* .addr as in struct addr_location (machine.h) */

#endif
