/* From a frame to its caller by a rule. Layer: unwind */
#include "core/unwind/step.h"

#include "core/unwind/exidx.h"
#include "core/unwind/expression.h"

/* arm64: the bits above are a signature (PAC), or a tag. Programs have 48 bits of addresses unless they ask for more. */
#define SIGNED_ADDRESS_MASK 0x0000ffffffffffffull

static enum step find_cfa(const struct unwind_frame *f, const struct arch *arch, const struct rule_place *by,
			  const struct memory *m, uint64_t *cfa)
{
	const struct rule *r = by->rule;

	if (r->cfa == CFA_PROGRAM)
		return expression_run(rule_table_program(by->table, r->cfa_value), f, arch, by->bias, m, NULL, cfa);
	if (!frame_reg(f, r->cfa_reg, cfa))
		return STEP_BAD;
	*cfa = frame_wide(arch, *cfa + (uint64_t)(int64_t)r->cfa_value);
	return STEP_CALLER;
}

/*
 * True if the register was saved below the stack pointer and has been popped: most compilers' tables do not describe the pops
 * before a return. The CFA of setcontext() is not on the stack: its registers come from a context.
 */
static bool is_popped(const struct unwind_frame *f, const struct arch *arch, uint64_t cfa, uint64_t addr)
{
	uint64_t sp = f->regs[arch->dwarf_sp];

	return f->interrupted && addr < sp && sp <= cfa && f->known & 1ull << arch->dwarf_sp;
}

static enum step saved_value(const struct saved *s, const struct unwind_frame *f, const struct arch *arch,
			     const struct rule_place *by, const struct memory *m, uint64_t cfa, uint64_t *value)
{
	uint64_t addr = frame_wide(arch, cfa + (uint64_t)(int64_t)s->value);
	enum step step;

	switch ((enum saved_how)s->how) {
	case SAVED_SAME:
		return frame_reg(f, s->reg, value) ? STEP_CALLER : STEP_BAD;
	case SAVED_AT_CFA:
		if (is_popped(f, arch, cfa, addr))
			return frame_reg(f, s->reg, value) ? STEP_CALLER : STEP_BAD;
		return frame_read_word(m, arch, addr, value) ? STEP_CALLER : STEP_MEMORY;
	case SAVED_IS_CFA:
		*value = addr;
		return STEP_CALLER;
	case SAVED_IN_REGISTER:
		return frame_reg(f, (uint64_t)s->value, value) ? STEP_CALLER : STEP_BAD;
	case SAVED_AT_PROGRAM:
	case SAVED_IS_PROGRAM:
		step = expression_run(rule_table_program(by->table, s->value), f, arch, by->bias, m, &cfa, value);
		if (step != STEP_CALLER || s->how == SAVED_IS_PROGRAM)
			return step;
		return frame_read_word(m, arch, *value, value) ? STEP_CALLER : STEP_MEMORY;
	case SAVED_NOWHERE:
		break;
	}
	return STEP_ROOT;
}

bool is_return_above_cfa(const struct arch *arch, const struct rule *r)
{
	for (uint32_t i = 0; arch == &arch_arm64 && !(r->flags & RULE_SIGNAL) && i < r->nr_saved; i++)
		if (r->saved[i].reg == r->return_reg)
			return r->saved[i].how == SAVED_AT_CFA && r->saved[i].value == arch->word;
	return false;
}

/* Sets the registers of @r->saved that are known, a bit each of @found, from @values. */
static void restore_registers(struct unwind_frame *f, const struct arch *arch, const struct rule *r, uint64_t sp,
			   const uint64_t *values, uint64_t found)
{
	f->known &= arch->dwarf_kept;
	frame_set(f, arch->dwarf_sp, sp);
	for (uint32_t i = 0; i < r->nr_saved; i++)
		if (found & 1ull << i)
			frame_set(f, r->saved[i].reg, values[i]);
		else
			f->known &= ~(1ull << r->saved[i].reg);
}

/* All values are looked up before the first register changes: some are found by others. */
static enum step step_by_rule(struct unwind_frame *f, const struct arch *arch, const struct rule_place *by, const struct memory *m)
{
	const struct rule *r = by->rule;
	uint64_t values[UNWIND_REGS], found = 0, cfa, pc = 0, old_sp = f->regs[arch->dwarf_sp];
	enum step step = find_cfa(f, arch, by, m, &cfa);

	if (step != STEP_CALLER)
		return step;
	/* Without a rule it is in the link register, if there is one. */
	step = arch->link_reg && frame_reg(f, r->return_reg, &pc) ? STEP_CALLER : STEP_ROOT;
	for (uint32_t i = 0; i < r->nr_saved; i++) {
		enum step of_this = saved_value(&r->saved[i], f, arch, by, m, cfa, &values[i]);

		found |= (uint64_t)(of_this == STEP_CALLER) << i;
		if (r->saved[i].reg == r->return_reg) {
			step = of_this;
			pc = of_this == STEP_CALLER ? values[i] : 0;
		}
	}
	if (step != STEP_CALLER)
		return step;
	if (r->flags & RULE_SIGNED)
		pc &= SIGNED_ADDRESS_MASK;
	pc &= ~arch->pc_flags;
	restore_registers(f, arch, r, is_return_above_cfa(arch, r) ? cfa + 2u * arch->word : cfa, values, found);
	f->interrupted = r->flags & RULE_SIGNAL;
	/* A function whose link register was never saved ends in itself: it is the outermost. */
	step = !pc || (pc == f->pc && f->regs[arch->dwarf_sp] == old_sp) ? STEP_ROOT : STEP_CALLER;
	f->pc = pc;
	return step;
}

enum step frame_step(struct unwind_frame *f, const struct arch *arch, const struct rule_place *by, const struct memory *m)
{
	enum step step;

	if (by->rule->cfa != CFA_EXIDX)
		return step_by_rule(f, arch, by, m);
	step = exidx_run(rule_table_program(by->table, by->rule->cfa_value), f, m);
	f->interrupted = by->rule->flags & RULE_SIGNAL;
	return step;
}
