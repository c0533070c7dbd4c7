/*
 * Finds the size and the branch kind of A64, A32 and T32 instructions. The decoders of hardware trace, prec annotate and the
 * unwinder call arm_insn_read() through struct arch (core/arch.h). Source: Arm ARM (DDI 0487), chapters C4, F3 and F4.
 */
#ifndef ARCH_ARM64_INSN_H
#define ARCH_ARM64_INSN_H

#include <stddef.h>
#include <stdint.h>

struct insn;

/* Bits of struct insn.detail. */
enum arm_insn_detail {
	ARM_CONDITIONAL = 1,	/* A32: a branch other than INSN_COND has a condition (T32 has it in an IT instruction) */
	ARM_EXCHANGE = 2,	/* blx label: from A32 to T32 or back. From T32 to A32, the target is (ip + disp) & ~3 */
	ARM_WAIT = 4,		/* INSN_ISB that is wfi, wfe, wfit or wfet: traces may treat these as branches, too */
	ARM_TSTART = 8,		/* INSN_ISB that is tstart: starts a transaction */
};

/* See struct arch.insn. Branches to a register, loads and moves into pc are the indirect kinds. */
int arm_insn_read(struct insn *out, const uint8_t *code, size_t n, unsigned mode);

#endif
