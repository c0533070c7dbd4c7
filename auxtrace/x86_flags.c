/*
 * Converts the kind of an x86 instruction to the branch flags of a synthesized sample (SYNTH_*). For example, SYSCALL becomes
 * SYNTH_CALL | SYNTH_SYSCALL. prec script -F flags prints these flags.
 */
#include "auxtrace/x86_flags.h"

#include "arch/x86/insn.h"
#include "core/arch.h"
#include "core/perfdata/sample.h"

uint32_t x86_branch_flags(uint8_t kind, uint8_t detail)
{
	switch (kind) {
	case INSN_COND: return SYNTH_CONDITIONAL;
	case INSN_CALL:
	case INSN_CALL_INDIRECT: return SYNTH_CALL;
	case INSN_RET: return SYNTH_RETURN;
	case INSN_FAR_CALL:
		return SYNTH_CALL | (detail == X86_SYSCALL ? SYNTH_SYSCALL : detail == X86_VMCALL ? SYNTH_VMEXIT : SYNTH_INTERRUPT);
	case INSN_FAR_RET:
		return detail == X86_VMENTRY ? SYNTH_CALL | SYNTH_VMENTRY :
		       SYNTH_RETURN | (detail == X86_SYSRET ? SYNTH_SYSCALL : SYNTH_INTERRUPT);
	default: return 0;
	}
}
