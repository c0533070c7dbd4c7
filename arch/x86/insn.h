/*
 * Finds the length and the branch kind of x86 instructions in 16, 32 and 64 bit mode. The decoders of hardware trace, prec annotate
 * and the unwinder call x86_insn() through struct arch (core/arch.h).
 */
#ifndef ARCH_X86_INSN_H
#define ARCH_X86_INSN_H

#include <stddef.h>
#include <stdint.h>

struct insn;

/* struct insn.detail: the exact instruction of a kind, if a reader or a decoder needs it. */
enum x86_detail {
	X86_PLAIN,
	X86_SYSCALL,		/* FAR_CALL: syscall, sysenter */
	X86_INT,		/* FAR_CALL: int n, int1, int3, into */
	X86_VMCALL,		/* FAR_CALL: vmcall, vmmcall */
	X86_SYSRET,		/* FAR_RET: sysret, sysexit */
	X86_IRET,		/* FAR_RET: iret, uiret, erets, eretu */
	X86_VMENTRY,		/* FAR_RET: vmlaunch, vmresume */
	X86_RSM,		/* FAR_RET */
	X86_LOOP,		/* COND: loop, loope, loopne, jcxz */
	X86_JMPABS,		/* JUMP_INDIRECT: jmpabs, a direct jump that is traced as if it were indirect */
};

/*
 * See struct arch.insn. Near branches with an operand-size prefix are measured as Intel's processors do:
 * in 64 bit mode the prefix is ignored.
 * Source: Intel SDM vol. 2 (opcode maps, VEX/EVEX encodings), Intel APX specification (REX2, EVEX map 4), AMD APM vol. 3 and 5
 * (3DNow!, XOP, SSE4a).
 */
int x86_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode);

#endif
