/*
 * Lengths and branches of x86 instructions in 16, 32 and 64 bit mode.
 * Source: Intel SDM vol. 2 (opcode maps, VEX/EVEX/REX2 encodings), AMD APM vol. 3 (3DNow!, XOP).
 * Layer: arch
 */
#ifndef ARCH_X86_INSN_H
#define ARCH_X86_INSN_H

#include <stddef.h>
#include <stdint.h>

struct insn;

/* See struct arch.insn. */
int x86_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode);

#endif
