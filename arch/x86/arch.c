/* The x86 rows: register names in PERF_REG_X86_* order (asm/perf_regs.h, Linux 6.1). Layer: arch */
#include "core/arch.h"

#include "arch/x86/insn.h"

static const char *const regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
};

static const char *const aliases_64[] = { "amd64", NULL };
static const char *const aliases_32[] = { "i686", "i586", "i486", "x86", NULL };

const struct arch arch_x86_64 = {
	.name = "x86_64", .aliases = aliases_64, .family = ARCH_X86,
	.kernel_start = 1ull << 63,
	.regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]),
	.insn = x86_insn,
};

const struct arch arch_i386 = {
	.name = "i386", .aliases = aliases_32, .family = ARCH_X86,
	.kernel_start = 0xc0000000ull,
	.regs = regs, .nr_regs = 16,
	.insn = x86_insn,
};
