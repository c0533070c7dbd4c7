/*
 * Defines a frame of a stack that is being unwound: the address and registers of a function where it was interrupted or called
 * another one. step.h computes the frame of the caller.
 */
#ifndef CORE_UNWIND_FRAME_H
#define CORE_UNWIND_FRAME_H

#include "core/arch.h"
#include "core/unwind/rules.h"

struct unwind_frame {
	uint64_t pc;
	uint64_t regs[UNWIND_REGS];	/* by DWARF number */
	uint64_t known;			/* bit mask: the elements of .regs that are known */
	bool interrupted;		/* before the instruction at .pc; else a call ends just before .pc */
};

struct memory {			/* the memory of the process at the time of the sample */
	/* Reads the little-endian number of @size bytes (at most 8) at @addr. False: this memory was not recorded. */
	bool (*read)(void *ctx, uint64_t addr, unsigned size, uint64_t *value);
	void *ctx;
};

enum step {
	STEP_CALLER,	/* the caller was found */
	STEP_ROOT,	/* the outermost frame */
	STEP_MEMORY,	/* the recorded memory lacks the necessary data */
	STEP_BAD,	/* the rules make no sense with these registers */
};

/* Truncates @value to the width of an address of @arch. */
static inline uint64_t frame_truncate(const struct arch *arch, uint64_t value)
{
	return arch->word == 4 ? (uint32_t)value : value;
}

/* Reads a number of an address's width at @addr; as memory.read(). */
static inline bool frame_read_word(const struct memory *m, const struct arch *arch, uint64_t addr, uint64_t *value)
{
	return m->read(m->ctx, frame_truncate(arch, addr), arch->word, value);
}

static inline bool frame_reg(const struct unwind_frame *f, uint64_t reg, uint64_t *value)
{
	if (reg >= UNWIND_REGS || !(f->known & 1ull << reg))
		return false;
	*value = f->regs[reg];
	return true;
}

static inline void frame_set(struct unwind_frame *f, unsigned reg, uint64_t value)
{
	f->regs[reg] = value;
	f->known |= 1ull << reg;
}

#endif
