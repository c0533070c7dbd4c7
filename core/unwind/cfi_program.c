/*
 * Runs the DW_CFA_* instructions in DWARF call frame information, and adds an unwind rule to a table for each range of
 * addresses. cfi.c calls it for each CIE and FDE.
 */
#include "core/unwind/cfi_program.h"

#include <dwarf.h>

#define REMEMBERED_MAX 64	/* maximum number of states on the stack of DW_CFA_remember_state; compilers need one or two */

/* Instructions of GNU and Arm that some versions of <dwarf.h> lack. AADWARF64, "Call frame instructions". */
#define CFA_ADVANCE_LOC8		0x1d
#define CFA_NEGATE_RA_STATE_WITH_PC	0x2c
#define CFA_WINDOW_SAVE			0x2d	/* on arm64: DW_CFA_AARCH64_negate_ra_state */

struct runner {
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	struct cfi_state now;
	struct bytes program;
	uint64_t at, end;		/* .at: the address from which .now applies; .end: the end of the function */
	struct rule_table *out;
	VEC(struct cfi_state) remembered;
	bool stays;			/* this is the program of a CIE, in which instructions that advance .at are invalid */
	bool is_bad;
};

/* ---- rules ---- */

static uint32_t keep_state(struct rule_table *out, const struct cfi_cie *cie, const struct cfi_state *state)
{
	struct rule r;

	if (state->cfa == CFA_UNKNOWN)
		return 0;
	r.cfa = state->cfa;
	r.cfa_reg = state->cfa_reg;
	r.return_reg = cie->return_reg;
	r.flags = (cie->is_signal ? RULE_SIGNAL : 0) | (state->is_signed ? RULE_SIGNED : 0);
	r.cfa_value = state->cfa_value;
	r.nr_saved = 0;
	for (uint64_t left = state->set; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		r.saved[r.nr_saved++] = (struct saved){ (uint8_t)reg, state->regs[reg].how, 0, state->regs[reg].value };
	}
	return rule_table_keep(out, &r);
}

static void put_row(struct runner *r)
{
	if (r->at < r->end)
		rule_table_add(r->out, r->at, keep_state(r->out, r->cie, &r->now));
}

static void advance_to(struct runner *r, uint64_t to)
{
	if (to < r->at || (to > r->at && r->stays)) {
		r->is_bad = true;
	} else if (to > r->at) {
		put_row(r);
		r->at = to;
	}
}

static void advance(struct runner *r, uint64_t delta)
{
	uint64_t by, to;

	if (__builtin_mul_overflow(delta, r->cie->code_align, &by) || __builtin_add_overflow(r->at, by, &to))
		r->is_bad = true;
	else
		advance_to(r, to);
}

/* ---- registers ---- */

static void save(struct runner *r, uint64_t reg, enum saved_how how, int64_t value)
{
	if (value != (int32_t)value) {
		r->is_bad = true;
	} else if (reg < UNWIND_REGS) {
		r->now.set |= 1ull << reg;
		r->now.regs[reg].how = (uint8_t)how;
		r->now.regs[reg].value = (int32_t)value;
	}
}

static int64_t factored(const struct runner *r, int64_t offset)
{
	int64_t value;

	/* On overflow, returns a value that save() rejects. */
	return __builtin_mul_overflow(offset, r->cie->data_align, &value) ? INT64_MAX : value;
}

static void restore(struct runner *r, uint64_t reg)
{
	const struct cfi_state *first = &r->cie->first;

	if (reg >= UNWIND_REGS)
		return;
	r->now.set &= ~(1ull << reg);
	r->now.set |= first->set & 1ull << reg;
	r->now.regs[reg] = first->regs[reg];
}

static void define_cfa(struct runner *r, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGS || offset != (int32_t)offset) {
		r->is_bad = true;
		return;
	}
	r->now.cfa = CFA_REGISTER;
	r->now.cfa_reg = (uint8_t)reg;
	r->now.cfa_value = (int32_t)offset;
}

static int32_t add_program(struct runner *r)
{
	struct bytes block = bytes_cut(&r->program, bytes_uleb(&r->program));

	return r->program.bad ? 0 : rule_table_keep_program(r->out, block.pos, (uint32_t)bytes_left(&block));
}

/* ---- instructions ---- */

static void remember(struct runner *r)
{
	if (r->remembered.nr < REMEMBERED_MAX)
		vec_push(&r->remembered, r->now);
	else
		r->is_bad = true;
}

static void recall(struct runner *r)
{
	if (r->remembered.nr)
		r->now = r->remembered.v[--r->remembered.nr];
	else
		r->is_bad = true;
}

static void set_location(struct runner *r)
{
	uint64_t to;

	if (cfi_pointer(r->section, &r->program, r->cie->encoding, &to))
		advance_to(r, to);
	else
		r->is_bad = true;
}

/* Runs an instruction that changes the location; false if it is another one. */
static bool run_location(struct runner *r, uint8_t op)
{
	struct bytes *b = &r->program;

	switch (op) {
	case DW_CFA_set_loc:
		set_location(r);
		return true;
	case DW_CFA_advance_loc1:
		advance(r, bytes_number(b, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(r, bytes_number(b, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(r, bytes_number(b, 4));
		return true;
	case CFA_ADVANCE_LOC8:
		advance(r, bytes_number(b, 8));
		return true;
	case DW_CFA_remember_state:
		remember(r);
		return true;
	case DW_CFA_restore_state:
		recall(r);
		return true;
	default:
		return false;
	}
}

static bool run_cfa(struct runner *r, uint8_t op)
{
	struct bytes *b = &r->program;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = bytes_uleb(b);
		define_cfa(r, reg, (int64_t)bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = bytes_uleb(b);
		define_cfa(r, reg, factored(r, bytes_sleb(b)));
		return true;
	case DW_CFA_def_cfa_register:
		define_cfa(r, bytes_uleb(b), r->now.cfa_value);
		return true;
	case DW_CFA_def_cfa_offset:
		define_cfa(r, r->now.cfa_reg, (int64_t)bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		define_cfa(r, r->now.cfa_reg, factored(r, bytes_sleb(b)));
		return true;
	case DW_CFA_def_cfa_expression:
		r->now.cfa_value = add_program(r);
		r->now.cfa_reg = 0;
		r->now.cfa = CFA_PROGRAM;
		return true;
	default:
		return false;
	}
}

/* Runs an instruction with a register and an offset; @is_signed: of the offset. */
static void run_offset(struct runner *r, enum saved_how how, bool is_signed)
{
	struct bytes *b = &r->program;
	uint64_t reg = bytes_uleb(b);

	save(r, reg, how, factored(r, is_signed ? bytes_sleb(b) : (int64_t)bytes_uleb(b)));
}

static void run_in_register(struct runner *r)
{
	struct bytes *b = &r->program;
	uint64_t reg = bytes_uleb(b), other = bytes_uleb(b);

	save(r, reg, other < UNWIND_REGS ? SAVED_IN_REGISTER : SAVED_NOWHERE, other < UNWIND_REGS ? (int64_t)other : 0);
}

static bool run_register(struct runner *r, uint8_t op)
{
	struct bytes *b = &r->program;
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
		run_offset(r, SAVED_AT_CFA, false);
		return true;
	case DW_CFA_offset_extended_sf:
		run_offset(r, SAVED_AT_CFA, true);
		return true;
	case DW_CFA_val_offset:
		run_offset(r, SAVED_IS_CFA, false);
		return true;
	case DW_CFA_val_offset_sf:
		run_offset(r, SAVED_IS_CFA, true);
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = bytes_uleb(b);
		save(r, reg, SAVED_AT_CFA, factored(r, -(int64_t)(bytes_uleb(b) & INT64_MAX)));
		return true;
	case DW_CFA_restore_extended:
		restore(r, bytes_uleb(b));
		return true;
	case DW_CFA_undefined:
		save(r, bytes_uleb(b), SAVED_NOWHERE, 0);
		return true;
	case DW_CFA_same_value:
		save(r, bytes_uleb(b), SAVED_SAME, 0);
		return true;
	case DW_CFA_register:
		run_in_register(r);
		return true;
	case DW_CFA_expression:
		reg = bytes_uleb(b);
		save(r, reg, SAVED_AT_PROGRAM, add_program(r));
		return true;
	case DW_CFA_val_expression:
		reg = bytes_uleb(b);
		save(r, reg, SAVED_IS_PROGRAM, add_program(r));
		return true;
	default:
		return false;
	}
}

static void run_rare(struct runner *r, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_GNU_args_size:
		bytes_uleb(&r->program);
		break;
	case CFA_WINDOW_SAVE:
	case CFA_NEGATE_RA_STATE_WITH_PC:
		r->now.is_signed = !r->now.is_signed;
		r->is_bad |= !r->section->arm64;
		break;
	default:
		r->is_bad = true;
	}
}

static void run_one(struct runner *r)
{
	uint8_t op = bytes_u8(&r->program), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(r, low);
		break;
	case DW_CFA_offset:
		save(r, low, SAVED_AT_CFA, factored(r, (int64_t)bytes_uleb(&r->program)));
		break;
	case DW_CFA_restore:
		restore(r, low);
		break;
	default:
		if (!run_location(r, op) && !run_cfa(r, op) && !run_register(r, op))
			run_rare(r, op);
	}
}

static bool run_all(struct runner *r)
{
	while (r->at < r->end && bytes_left(&r->program)) {
		run_one(r);
		if (r->is_bad || r->program.bad)
			return false;
	}
	return true;
}

bool cfi_run_first(const struct cfi_section *s, struct cfi_cie *cie, struct rule_table *out)
{
	struct runner r = { .section = s, .cie = cie, .program = cie->program, .end = 1, .out = out, .stays = true };
	bool good = run_all(&r);

	vec_free(&r.remembered);
	cie->first = r.now;
	return good;
}

void cfi_run(const struct cfi_section *s, const struct cfi_cie *cie, struct bytes program, uint64_t start, uint64_t end,
	     struct rule_table *out)
{
	struct runner r = {
		.section = s, .cie = cie, .program = program, .at = start, .end = end, .out = out, .now = cie->first,
	};

	if (run_all(&r))
		put_row(&r);
	else
		rule_table_add(out, r.at, 0);
	vec_free(&r.remembered);
	rule_table_add(out, end, 0);
}
