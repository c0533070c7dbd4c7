/* Converts the kind of an x86 instruction to the branch flags of samples, as perf has them. Layer: auxtrace */
#ifndef AUXTRACE_X86_FLAGS_H
#define AUXTRACE_X86_FLAGS_H

#include <stdint.h>

/* SYNTH_* in addition to SYNTH_BRANCH; @kind and @detail are those of struct insn. */
uint32_t x86_branch_flags(uint8_t kind, uint8_t detail);

#endif
