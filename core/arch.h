/*
 * Describes the architectures that a recording may come from: registers, system calls, and a function that decodes instructions.
 * The tables are in arch/. core/native.h describes the machine on which prec runs.
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
	INSN_FAR_RET,		/* back from there: iret, sysret, eret */
	INSN_FAR_JUMP,
	INSN_PTWRITE,		/* x86: makes a PTW packet; falls through */
	INSN_MOV_CR3,		/* x86: another address space from here on, which may not be traced; falls through */
	INSN_ISB,		/* arm: isb, or another instruction that a trace may show as a waypoint; falls through */
};

struct insn {
	uint8_t size;		/* bytes */
	uint8_t kind;		/* enum insn_kind */
	uint8_t detail;		/* depends on the arch: enum x86_detail, bits of enum arm_insn_detail; 0: nothing special */
	int64_t disp;		/* direct kinds: target = ip of this instruction + disp */
};

/* How the arguments of a system call name the object that it waits for. */
enum arch_call_kind {
	CALL_NAMELESS,		/* unknown from the arguments */
	CALL_FUTEX,		/* (address, operation, expected, ...) */
	CALL_FUTEX_WAIT,	/* (address, expected, ...): futex_wait(2), since Linux 6.7 */
	CALL_DESCRIPTOR,	/* argument number .argument, from 0, is a file descriptor */
	CALL_CHILD,		/* argument number .argument is the pid of a child */
};

struct arch_call { uint16_t number; uint8_t kind, argument; };	/* a system call that may wait; .kind: enum arch_call_kind */

/* The processors that run the programs: the 32-bit and the 64-bit arch of a family share them. */
enum arch_family { ARCH_OTHER, ARCH_X86, ARCH_ARM };

struct arch {
	const char *name;		/* as uname -m prints it */
	const char *const *aliases;	/* other spellings, NULL-terminated; NULL: none */
	uint8_t family;			/* enum arch_family */
	uint64_t kernel_start;		/* addresses from here on are the kernel's, with any number of page table levels */
	const char *const *regs;	/* names by PERF_REG_* number; a NULL entry: unused */
	unsigned nr_regs;
	const uint8_t *dwarf_regs;	/* the PERF_REG_* number of each DWARF register of the psABI; NULL: unknown */
	unsigned nr_dwarf_regs;
	uint8_t pc_reg, sp_reg;		/* PERF_REG_* numbers */
	uint8_t link_reg;		/* PERF_REG_* number: where a call saves the return address; 0: on the stack */
	uint8_t word;			/* bytes of an address */
	uint8_t dwarf_sp, dwarf_fp;	/* DWARF register numbers: the stack pointer, the frame pointer */
	uint64_t dwarf_kept;		/* a bit for each DWARF register that functions keep, unless an unwind table differs */
	uint64_t pc_flags;		/* bits of a return address that only give the instruction set there */
	const struct arch_call *calls;	/* the system calls that may wait, by number; NULL: unknown */
	unsigned nr_calls;
	const char *const *call_names;	/* names of the system calls below ARCH_COMMON_CALLS, by number; NULL: unknown */
	const struct arch *compat;	/* the arch of its 32-bit programs; NULL: it has none, or is a 32-bit arch itself */
	/*
	 * The instruction at @code, where @n bytes can be read. @mode: 16, 32 or 64 on x86; 64 (A64), 32 (A32) or 16 (T32) on arm.
	 * Returns 0; -EINVAL: no instruction; -ERANGE: longer than @n. NULL: instructions of this arch cannot be decoded.
	 */
	int (*insn)(struct insn *out, const uint8_t *code, size_t n, unsigned mode);
};

/* Returns system call @number if it may wait. NULL: it does not wait, or @arch is NULL. */
const struct arch_call *arch_call_find(const struct arch *arch, uint64_t number);

/* From here on, system calls have the same number on x86_64 and arm64. */
#define ARCH_COMMON_CALLS 424

/* Returns the name of system call @number, such as "openat"; NULL: unknown. @arch may be NULL. */
const char *arch_call_name(const struct arch *arch, uint64_t number);

/* Returns the arch whose name uname -m printed on the recorded machine; NULL: unknown. */
const struct arch *arch_find(const char *uname_machine);

extern const char *const x86_64_call_names[ARCH_COMMON_CALLS], *const arm64_call_names[ARCH_COMMON_CALLS];
/* All architectures are compiled on every host, so an arm64 recording can be read on x86. */
extern const struct arch arch_x86_64, arch_i386, arch_arm64, arch_arm;

#endif
