/*
 * Branches of A64, A32 and T32 instructions. Source: Arm ARM (DDI 0487), chapters C4 and F3, F4.
 * Layer: arch
 */
#ifndef ARCH_ARM64_INSN_H
#define ARCH_ARM64_INSN_H

#include <stddef.h>
#include <stdint.h>

struct insn;

/* See struct arch.insn. */
int arm_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode);

#endif
