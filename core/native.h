/*
 * Describes the CPU architecture of the machine that prec runs on: its CPUID, the registers to sample, and the like. The Makefile
 * compiles arch/x86/native.c, arch/arm64/native.c or core/native_none.c, which define the variable native.
 */
#ifndef CORE_NATIVE_H
#define CORE_NATIVE_H

#include <stdint.h>

struct arch;

struct native {
	const struct arch *arch;	/* NULL: unknown; prec can record, but does not know the registers and instructions */
	/* Processor identification as perf's CPUID feature has it, owned by the caller; NULL: unknown. */
	char *(*cpuid)(void);
	/* The counter that hardware trace takes its timestamps from; NULL: none readable. */
	uint64_t (*timestamp)(void);
	/* Writes the vdso of 32-bit programs to the empty file @fd. Returns 0 or -errno. NULL: the host has no such vdso. */
	int (*compat_vdso)(int fd);
	/* A mask of the registers (PERF_REG_*) that the kernel can sample in a 64-bit program; 0: none. */
	uint64_t sample_regs;
	/* Offset of the instruction pointer in struct bpf_perf_event_data, the argument of BPF programs; 0: unknown. */
	uint16_t bpf_ip;
};

/* arch/x86/native.c and arch/arm64/native.c define it; for other targets of the compiler, core/native_none.c. */
extern const struct native native;

#endif
