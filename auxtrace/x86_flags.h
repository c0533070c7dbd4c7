/* Converts the kind of an x86 instruction, such as a call or a return, to the branch flags that perf gives a sample (SYNTH_*). */
#ifndef AUXTRACE_X86_FLAGS_H
#define AUXTRACE_X86_FLAGS_H

#include <stdint.h>

/* SYNTH_* in addition to SYNTH_BRANCH; @kind and @detail are those of struct insn. */
uint32_t x86_branch_flags(uint8_t kind, uint8_t detail);

#endif
