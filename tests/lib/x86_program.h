/*
 * A small made-up program of x86-64: functions of conditionals, loops, calls, jumps, returns, system calls, and a random
 * walk through it. For traces whose truth is known without running anything; the same everywhere for the same seed.
 */
#ifndef TESTS_LIB_X86_PROGRAM_H
#define TESTS_LIB_X86_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "core/arch.h"

#define X86_PROGRAM_BASE	0x401000ull
#define X86_PROGRAM_FUNCTIONS	32
#define X86_PROGRAM_SLOT	128	/* bytes from function to function */
#define X86_PROGRAM_SIZE	(X86_PROGRAM_FUNCTIONS * X86_PROGRAM_SLOT)
#define X86_PROGRAM_DEPTH	32

struct x86_program {
	uint8_t code[X86_PROGRAM_SIZE];		/* at X86_PROGRAM_BASE */
};

struct x86_walk {
	const struct x86_program *program;
	uint64_t random;			/* the state of the random numbers */
	uint64_t ip;				/* the next instruction */
	uint64_t calls[X86_PROGRAM_DEPTH];	/* return addresses */
	unsigned depth;
};

void x86_program_make(struct x86_program *p, uint64_t seed);

/* Begin at a function. */
void x86_walk_begin(struct x86_walk *w, const struct x86_program *p, uint64_t seed);
/* Steps over the instruction at w->ip, which is returned in @insn. */
void x86_walk_step(struct x86_walk *w, struct insn *insn);
/* A number below @n. */
uint32_t x86_walk_random(struct x86_walk *w, uint32_t n);

/* A read_code_fn: @ctx is the program. */
size_t x86_program_read(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n);

#endif
