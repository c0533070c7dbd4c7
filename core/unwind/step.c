/*
 * Applies an unwind rule (rules.h) to a frame: computes the CFA, and restores the caller's registers from the stack or other
 * registers. lookup.c finds the rule.
 */
#include "core/unwind/step.h"

#include "core/unwind/exidx.h"
#include "core/unwind/expression.h"

/* arm64: bits 48 and above are a signature (PAC) or a tag. A program has 48-bit addresses unless it asks for more. */
#define SIGNED_ADDRESS_MASK 0x0000ffffffffffffull

static enum step find_cfa(const struct unwind_frame *f, const struct arch *arch, const struct rule_place *place,
			  const struct memory *m, uint64_t *cfa)
{
	const struct rule *r = place->rule;

	if (r->cfa == CFA_PROGRAM)
		return expression_run(rule_table_program(place->table, r->cfa_value), f, arch, place->bias, m, NULL, cfa);
	if (!frame_reg(f, r->cfa_reg, cfa))
		return STEP_BAD;
	*cfa = frame_truncate(arch, *cfa + (uint64_t)(int64_t)r->cfa_value);
	return STEP_CALLER;
}

/*
 * True if the register was saved at @addr, below the stack pointer, and so has been popped already. Most compilers' tables do not
 * describe the pops before a return. In setcontext(), the CFA is not on the stack, but in the context that registers come from.
 */
static bool is_popped(const struct unwind_frame *f, const struct arch *arch, uint64_t cfa, uint64_t addr)
{
	uint64_t sp = f->regs[arch->dwarf_sp];

	return f->interrupted && addr < sp && sp <= cfa && f->known & 1ull << arch->dwarf_sp;
}

static enum step saved_value(const struct saved *s, const struct unwind_frame *f, const struct arch *arch,
			     const struct rule_place *place, const struct memory *m, uint64_t cfa, uint64_t *value)
{
	uint64_t addr = frame_truncate(arch, cfa + (uint64_t)(int64_t)s->value);
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
		step = expression_run(rule_table_program(place->table, s->value), f, arch, place->bias, m, &cfa, value);
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

/* Sets register r->saved[i] to @values[i] if bit i of @found is set; else it becomes unknown. */
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

/* Finds all values before it changes a register, because the rule of a register may use the old value of another one. */
static enum step step_by_rule(struct unwind_frame *f, const struct arch *arch, const struct rule_place *place,
			      const struct memory *m)
{
	const struct rule *r = place->rule;
	uint64_t values[UNWIND_REGS], found = 0, cfa, pc = 0, old_sp = f->regs[arch->dwarf_sp];
	enum step step = find_cfa(f, arch, place, m, &cfa);

	if (step != STEP_CALLER)
		return step;
	/* If the rule does not say where the return address is, it is in the link register, if there is one. */
	step = arch->link_reg && frame_reg(f, r->return_reg, &pc) ? STEP_CALLER : STEP_ROOT;
	for (uint32_t i = 0; i < r->nr_saved; i++) {
		enum step result = saved_value(&r->saved[i], f, arch, place, m, cfa, &values[i]);

		found |= (uint64_t)(result == STEP_CALLER) << i;
		if (r->saved[i].reg == r->return_reg) {
			step = result;
			pc = result == STEP_CALLER ? values[i] : 0;
		}
	}
	if (step != STEP_CALLER)
		return step;
	if (r->flags & RULE_SIGNED)
		pc &= SIGNED_ADDRESS_MASK;
	pc &= ~arch->pc_flags;
	restore_registers(f, arch, r, is_return_above_cfa(arch, r) ? cfa + 2u * arch->word : cfa, values, found);
	f->interrupted = r->flags & RULE_SIGNAL;
	/* The outermost function never saves its link register, and so appears as its own caller. */
	step = !pc || (pc == f->pc && f->regs[arch->dwarf_sp] == old_sp) ? STEP_ROOT : STEP_CALLER;
	f->pc = pc;
	return step;
}

enum step frame_step(struct unwind_frame *f, const struct arch *arch, const struct rule_place *place, const struct memory *m)
{
	enum step step;

	if (place->rule->cfa != CFA_EXIDX)
		return step_by_rule(f, arch, place, m);
	step = exidx_run(rule_table_program(place->table, place->rule->cfa_value), f, m);
	f->interrupted = place->rule->flags & RULE_SIGNAL;
	return step;
}
