/*
 * Runs the instructions of a CIE or FDE (DWARF 5, section 6.4.2). For each address of a function, they say where the caller's
 * value of each register is saved.
 */
#ifndef CORE_UNWIND_CFI_PROGRAM_H
#define CORE_UNWIND_CFI_PROGRAM_H

#include "core/unwind/cfi_section.h"
#include "core/unwind/rules.h"

struct cfi_state {		/* the rules for an address */
	uint8_t cfa, cfa_reg;	/* as in struct rule */
	bool is_signed;
	int32_t cfa_value;
	uint64_t set;		/* registers with a rule; the others are as the psABI defines */
	struct { uint8_t how; int32_t value; } regs[UNWIND_REGS];
};

struct cfi_cie {		/* the data that several FDEs share */
	uint64_t code_align;
	int64_t data_align;
	uint8_t return_reg;
	uint8_t encoding;	/* DW_EH_PE_*, of the addresses in FDEs */
	bool good, has_size;	/* .good: it is valid and supported; .has_size: FDEs have sized augmentation data ("z") */
	bool is_signal;
	struct bytes program;
	struct cfi_state first;
};

/* Runs a CIE's program, and stores the resulting state in @cie->first. Returns false if it is invalid. */
bool cfi_run_first(const struct cfi_section *s, struct cfi_cie *cie, struct rule_table *out);
/* Adds the rows of the function at [@start, @end) to @out, up to the first invalid instruction of @program. */
void cfi_run(const struct cfi_section *s, const struct cfi_cie *cie, struct bytes program, uint64_t start, uint64_t end,
	     struct rule_table *out);

#endif
