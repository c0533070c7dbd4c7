/*
 * A frame: the registers of a function that waits for another to return, or was interrupted; and how its caller's are found by
 * a rule. Also what rules need: memory, and the two small machines for what they cannot say themselves.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FRAME_H
#define CORE_UNWIND_FRAME_H

#include "core/unwind/rules.h"

struct arch;

struct frame {
	uint64_t pc;
	uint64_t regs[UNWIND_REGS];	/* by DWARF number */
	uint64_t known;			/* which of them, a bit each */
	bool interrupted;		/* at .pc, which it had not done yet; else it called just before .pc */
};

struct memory {			/* of the process as it was sampled */
	/* The little-endian number of @size bytes (at most 8) at @addr; false: it was not recorded. */
	bool (*read)(void *ctx, uint64_t addr, unsigned size, uint64_t *value);
	void *ctx;
};

enum step {
	STEP_CALLER,	/* there it is */
	STEP_ROOT,	/* nobody called */
	STEP_MEMORY,	/* what says it is not in the memory that was recorded */
	STEP_BAD,	/* the rules make no sense with these registers */
};

struct rule_place {		/* a rule, and what it refers to */
	const struct rule *rule;
	const struct rule_table *table;
	uint64_t bias;		/* address in the process - address in the file */
};

/* From @f to its caller, in place. Unless that is STEP_CALLER, @f is void. */
enum step frame_step(struct frame *f, const struct arch *arch, const struct rule_place *by, const struct memory *m);

/* The number at the address of a register's width; wrong in no way. */
bool frame_read_word(const struct memory *m, const struct arch *arch, uint64_t addr, uint64_t *value);

static inline bool frame_reg(const struct frame *f, uint64_t reg, uint64_t *value)
{
	if (reg >= UNWIND_REGS || !(f->known & 1ull << reg))
		return false;
	*value = f->regs[reg];
	return true;
}

static inline void frame_set(struct frame *f, unsigned reg, uint64_t value)
{
	f->regs[reg] = value;
	f->known |= 1ull << reg;
}

/*
 * What a DWARF expression leaves in *value, with @first on its stack (NULL: nothing). At most some hundred operations are done.
 * DWARF 5, section 2.5.
 */
enum step expression_run(struct bytes program, const struct frame *f, const struct arch *arch, uint64_t bias,
			 const struct memory *m, const uint64_t *first, uint64_t *value);

#endif
