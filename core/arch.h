/*
 * Describes the architectures that a recording may come from: register names, system calls, and a function that decodes
 * instructions. All architectures are compiled on every host, so an arm64 recording can be read on x86. core/native.h describes
 * the host itself.
 * Layer: arch
 */
#ifndef CORE_ARCH_H
#define CORE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The effect of an instruction on control flow. */
enum insn_kind {
	INSN_OTHER,		/* falls through */
	INSN_JUMP,		/* direct, always taken */
	INSN_JUMP_INDIRECT,
	INSN_COND,		/* direct, taken or not */
	INSN_CALL,		/* direct */
	INSN_CALL_INDIRECT,
	INSN_RET,
	INSN_FAR_CALL,		/* into another privilege or mode: syscall, int, svc, hvc, smc */
	INSN_FAR_RET,		/* and back: iret, sysret, eret */
	INSN_FAR_JUMP,
	INSN_PTWRITE,		/* x86: makes a PTW packet; falls through */
	INSN_MOV_CR3,		/* x86: another address space from here on, which may not be traced; falls through */
	INSN_ISB,		/* arm: isb or another that traces may show as a waypoint; falls through */
};

struct insn {
	uint8_t size;		/* bytes */
	uint8_t kind;		/* enum insn_kind */
	uint8_t detail;		/* the arch's own: see arch/x86/insn.h, arch/arm64/insn.h; 0: nothing */
	int64_t disp;		/* direct kinds: target = ip of this instruction + disp */
};

/* The object of a wait in a system call. */
enum arch_call_kind {
	CALL_NAMELESS,		/* unknown from the arguments */
	CALL_FUTEX,		/* (address, operation, expected, ...) */
	CALL_FUTEX_WAIT,	/* (address, expected, ...): futex_wait(2), since Linux 6.7 */
	CALL_DESCRIPTOR,	/* .argument is one */
	CALL_CHILD,		/* .argument is its pid */
};

struct arch_call { uint16_t number; uint8_t kind, argument; };	/* a system call that may wait; enum arch_call_kind */

/* The manufacturer: common to its 32-bit and 64-bit programs. */
enum arch_family { ARCH_OTHER, ARCH_X86, ARCH_ARM };

struct arch {
	const char *name;		/* as uname -m prints it */
	const char *const *aliases;	/* other spellings, NULL-terminated; NULL: none */
	uint8_t family;			/* enum arch_family */
	uint64_t kernel_start;		/* addresses from here on are the kernel's, however many levels its tables have */
	const char *const *regs;	/* names by PERF_REG_* number; a NULL entry: unused */
	unsigned nr_regs;
	const uint8_t *dwarf_regs;	/* PERF_REG_* numbers by DWARF register number, as the psABI has those; NULL: unknown */
	unsigned nr_dwarf_regs;
	uint8_t pc_reg, sp_reg;		/* PERF_REG_* numbers */
	uint8_t link_reg;		/* the same, of what holds the return address until a function saves it; 0: memory does */
	uint8_t word;			/* bytes of an address */
	uint8_t dwarf_sp, dwarf_fp;	/* DWARF register numbers: the stack pointer, the frame pointer */
	uint64_t dwarf_kept;		/* a bit for each DWARF register that a call does not change, unless tables say so */
	uint64_t pc_flags;		/* bits of a return address that are no address: which instruction set is there */
	const struct arch_call *calls;	/* by number; NULL: unknown */
	unsigned nr_calls;
	const char *const *call_names;	/* of all system calls below ARCH_COMMON_CALLS, by number; NULL: unknown */
	const struct arch *compat;	/* what its programs of 32 bits are of; NULL: it has none, or is that itself */
	/*
	 * Measure and classify the instruction at @code, of which @n bytes can be read. @mode: 16, 32 or
	 * 64 on x86; 64 (A64), 32 (A32) or 16 (T32) on arm. Returns 0, -EINVAL if it is no instruction,
	 * -ERANGE if @n cuts it. NULL: not needed for this machine.
	 */
	int (*insn)(struct insn *out, const uint8_t *code, size_t n, unsigned mode);
};

/* The system call of that number, if it may wait; NULL: another, or @arch is not known. */
const struct arch_call *arch_call_find(const struct arch *arch, uint64_t number);

/* From here on, system calls have the same number on x86_64 and arm64. */
#define ARCH_COMMON_CALLS 424

/* "openat"; NULL: no system call has that number, or the names of @arch (may be NULL) are not known. */
const char *arch_call_name(const struct arch *arch, uint64_t number);

/* The arch of a recording, by what uname -m said there; NULL if unknown (names and numbers still print). */
const struct arch *arch_find(const char *uname_machine);

extern const char *const x86_64_call_names[ARCH_COMMON_CALLS], *const arm64_call_names[ARCH_COMMON_CALLS];
extern const struct arch arch_x86_64, arch_i386, arch_arm64, arch_arm;

#endif
