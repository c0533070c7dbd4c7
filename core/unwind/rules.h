/*
 * Defines tables of unwind rules. A rule says how to compute the caller's registers from the registers of the function at an
 * address. cfi.h and exidx.h make the tables, and step.h applies the rules.
 *
 * A table consists of three arrays:
 *
 *	rows		{start, rule}, 8 bytes each, sorted: a rule is valid from .start to the next row's .start
 *	rules		the rules that rows refer to; equal rules are stored once
 *	programs	DWARF expressions and exidx instructions, for what a rule cannot express
 *
 */
#ifndef CORE_UNWIND_RULES_H
#define CORE_UNWIND_RULES_H

#include <stdbool.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/unwind/bytes.h"

/*
 * Registers with a lower DWARF number are tracked. Arm64 needs the most: x0 to x30, sp and one more. Other registers (vectors,
 * flags) are not needed to find callers.
 */
#define UNWIND_REGS	33

/* The source of the canonical frame address (CFA: the stack pointer before the call). */
enum cfa_how {
	CFA_UNKNOWN,		/* there is no rule for this address */
	CFA_REGISTER,		/* register .cfa_reg + .cfa_value */
	CFA_PROGRAM,		/* a DWARF expression: program .cfa_value */
	CFA_EXIDX,		/* program .cfa_value is exidx instructions, which restore all registers */
};

/* How the caller's value of a register is found. DWARF 5, section 6.4.1. */
enum saved_how {
	SAVED_NOWHERE,		/* DW_CFA_undefined */
	SAVED_SAME,		/* it is still in the register */
	SAVED_AT_CFA,		/* in memory at the CFA + .value */
	SAVED_IS_CFA,		/* it is the CFA + .value */
	SAVED_IN_REGISTER,	/* in register .value */
	SAVED_AT_PROGRAM,	/* in memory at the result of the expression, program .value */
	SAVED_IS_PROGRAM,	/* it is the result of the expression */
};

struct saved {
	uint8_t reg;		/* below UNWIND_REGS */
	uint8_t how;		/* enum saved_how */
	uint16_t unused;	/* 0: rules are compared by their bytes */
	int32_t value;
};

#define RULE_SIGNAL	1	/* the frame of a signal trampoline: its caller was interrupted */
#define RULE_SIGNED	2	/* arm64: the return address is signed (PAC) */

struct rule {
	uint8_t cfa;		/* enum cfa_how */
	uint8_t cfa_reg;
	uint8_t return_reg;	/* the column that holds the return address */
	uint8_t flags;		/* RULE_* */
	int32_t cfa_value;
	uint32_t nr_saved;
	struct saved saved[UNWIND_REGS];	/* .nr_saved elements, by register; for other registers the psABI says what holds */
};

struct rule_row { uint32_t start, rule; };	/* .start: offset from .base of the table; .rule: index in .rules, 0: no rule */

/*
 * A table is compiled once from .eh_frame or .debug_frame (cfi.h), or from .ARM.exidx (exidx.h). A finished table is read-only, and
 * any thread may use it.
 */
struct rule_table {		/* = {0} is one without rows */
	uint64_t base;		/* the lowest address; addresses are virtual addresses in the file */
	VEC(struct rule_row) rows;
	VEC(uint32_t) pages;	/* by page of 1 << .page_shift addresses: number of rows before it; the last: of all rows */
	unsigned page_shift;
	VEC(uint64_t) rules;	/* struct rule, one after the other, without unused elements of .saved; [0] is no rule */
	VEC(uint8_t) programs;	/* each with its length (4 bytes) before it */
	struct index by_rule, by_program;	/* only while the table is built */
};

/* The rule at @addr, borrowed; NULL: there is none. */
const struct rule *rule_table_find(const struct rule_table *t, uint64_t addr);
/* True if a rule begins at exactly @addr. */
bool rule_table_begins(const struct rule_table *t, uint64_t addr);
/* The program that a rule of this table refers to by @value. */
struct bytes rule_table_program(const struct rule_table *t, int32_t value);
/* The memory of a finished table, in bytes, without the struct itself. */
size_t rule_table_bytes(const struct rule_table *t);
void rule_table_release(struct rule_table *t);

/* ---- to build a table, in ascending order of addresses; the caller sets .base before ---- */

/* Stores @r, and returns its index. */
uint32_t rule_table_keep(struct rule_table *t, const struct rule *r);
/* Stores a program, and returns its .value. */
int32_t rule_table_keep_program(struct rule_table *t, const uint8_t *program, uint32_t size);
/* Adds a row: @rule holds from @start on, which is not below that of the last row. Ignores addresses too far from .base. */
void rule_table_add(struct rule_table *t, uint64_t start, uint32_t rule);
/* Call it after the last addition. */
void rule_table_finish(struct rule_table *t);

#endif
