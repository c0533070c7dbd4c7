/* The x86 rows: register names in PERF_REG_X86_* order (asm/perf_regs.h, Linux 6.1). Layer: arch */
#include "core/arch.h"

#include "arch/x86/insn.h"

static const char *const regs[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
#define XMM(n)	[32 + 2 * n] = "XMM" #n, "XMM" #n	/* two halves */
	XMM(0), XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7),
	XMM(8), XMM(9), XMM(10), XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
};

/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8-r15, return address: System V psABI for AMD64, figure 3.36. */
static const uint8_t dwarf_regs_64[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
/* eax, ecx, edx, ebx, esp, ebp, esi, edi, return address: System V psABI for Intel386, table 2.14. */
static const uint8_t dwarf_regs_32[] = { 0, 2, 3, 1, 7, 6, 4, 5, 8 };

static const char *const aliases_64[] = { "amd64", NULL };
static const char *const aliases_32[] = { "i686", "i586", "i486", "x86", NULL };

const struct arch arch_x86_64 = {
	.name = "x86_64", .aliases = aliases_64, .family = ARCH_X86,
	.kernel_start = 1ull << 63,
	.regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]),
	.dwarf_regs = dwarf_regs_64, .nr_dwarf_regs = sizeof(dwarf_regs_64), .pc_reg = 8, .sp_reg = 7,
	.word = 8, .dwarf_sp = 7, .dwarf_fp = 6, .dwarf_kept = 1 << 3 | 1 << 6 | 0xf << 12,
	.compat = &arch_i386,
	.insn = x86_insn,
};

const struct arch arch_i386 = {
	.name = "i386", .aliases = aliases_32, .family = ARCH_X86,
	.kernel_start = 0xc0000000ull,
	.regs = regs, .nr_regs = 16,
	.dwarf_regs = dwarf_regs_32, .nr_dwarf_regs = sizeof(dwarf_regs_32), .pc_reg = 8, .sp_reg = 7,
	.word = 4, .dwarf_sp = 4, .dwarf_fp = 5, .dwarf_kept = 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7,
	.insn = x86_insn,
};
