/*
 * The flags of samples of x86 branches, by the instruction, as perf has them.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_X86_FLAGS_H
#define AUXTRACE_X86_FLAGS_H

#include <stdint.h>

/* SYNTH_* beside SYNTH_BRANCH; @kind and @detail as struct insn has them. */
uint32_t x86_branch_flags(uint8_t kind, uint8_t detail);

#endif
