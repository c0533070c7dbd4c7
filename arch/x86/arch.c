/*
 * Defines struct arch (core/arch.h) for 64-bit and 32-bit x86, so that any host can read their recordings. One table has the
 * names of the registers, in the order of PERF_REG_X86_* (Linux 6.1). Others have the DWARF register numbers, and the system
 * calls in which a thread may wait.
 */
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

/* System calls that may wait, by number: arch/x86/entry/syscalls/syscall_64.tbl, Linux 6.18. */
static const struct arch_call calls_64[] = {
	{ 0, CALL_DESCRIPTOR, 0 },	/* read */
	{ 1, CALL_DESCRIPTOR, 0 },	/* write */
	{ 7, CALL_NAMELESS, 0 },	/* poll */
	{ 16, CALL_DESCRIPTOR, 0 },	/* ioctl */
	{ 17, CALL_DESCRIPTOR, 0 },	/* pread64 */
	{ 18, CALL_DESCRIPTOR, 0 },	/* pwrite64 */
	{ 19, CALL_DESCRIPTOR, 0 },	/* readv */
	{ 20, CALL_DESCRIPTOR, 0 },	/* writev */
	{ 23, CALL_NAMELESS, 0 },	/* select */
	{ 34, CALL_NAMELESS, 0 },	/* pause */
	{ 35, CALL_NAMELESS, 0 },	/* nanosleep */
	{ 40, CALL_DESCRIPTOR, 1 },	/* sendfile */
	{ 42, CALL_DESCRIPTOR, 0 },	/* connect */
	{ 43, CALL_DESCRIPTOR, 0 },	/* accept */
	{ 44, CALL_DESCRIPTOR, 0 },	/* sendto */
	{ 45, CALL_DESCRIPTOR, 0 },	/* recvfrom */
	{ 46, CALL_DESCRIPTOR, 0 },	/* sendmsg */
	{ 47, CALL_DESCRIPTOR, 0 },	/* recvmsg */
	{ 61, CALL_CHILD, 0 },	/* wait4 */
	{ 72, CALL_DESCRIPTOR, 0 },	/* fcntl */
	{ 73, CALL_DESCRIPTOR, 0 },	/* flock */
	{ 74, CALL_DESCRIPTOR, 0 },	/* fsync */
	{ 75, CALL_DESCRIPTOR, 0 },	/* fdatasync */
	{ 128, CALL_NAMELESS, 0 },	/* rt_sigtimedwait */
	{ 130, CALL_NAMELESS, 0 },	/* rt_sigsuspend */
	{ 202, CALL_FUTEX, 0 },	/* futex */
	{ 230, CALL_NAMELESS, 0 },	/* clock_nanosleep */
	{ 232, CALL_DESCRIPTOR, 0 },	/* epoll_wait */
	{ 247, CALL_CHILD, 1 },	/* waitid */
	{ 270, CALL_NAMELESS, 0 },	/* pselect6 */
	{ 271, CALL_NAMELESS, 0 },	/* ppoll */
	{ 275, CALL_DESCRIPTOR, 0 },	/* splice */
	{ 281, CALL_DESCRIPTOR, 0 },	/* epoll_pwait */
	{ 288, CALL_DESCRIPTOR, 0 },	/* accept4 */
	{ 295, CALL_DESCRIPTOR, 0 },	/* preadv */
	{ 296, CALL_DESCRIPTOR, 0 },	/* pwritev */
	{ 299, CALL_DESCRIPTOR, 0 },	/* recvmmsg */
	{ 307, CALL_DESCRIPTOR, 0 },	/* sendmmsg */
	{ 327, CALL_DESCRIPTOR, 0 },	/* preadv2 */
	{ 328, CALL_DESCRIPTOR, 0 },	/* pwritev2 */
	{ 441, CALL_DESCRIPTOR, 0 },	/* epoll_pwait2 */
	{ 449, CALL_NAMELESS, 0 },	/* futex_waitv */
	{ 455, CALL_FUTEX_WAIT, 0 },	/* futex_wait */
};

const struct arch arch_x86_64 = {
	.name = "x86_64", .aliases = aliases_64, .family = ARCH_X86,
	.kernel_start = 1ull << 63,
	.regs = regs, .nr_regs = sizeof(regs) / sizeof(regs[0]),
	.dwarf_regs = dwarf_regs_64, .nr_dwarf_regs = sizeof(dwarf_regs_64), .pc_reg = 8, .sp_reg = 7,
	.word = 8, .dwarf_sp = 7, .dwarf_fp = 6, .dwarf_kept = 1 << 3 | 1 << 6 | 0xf << 12,
	.calls = calls_64, .nr_calls = sizeof(calls_64) / sizeof(calls_64[0]),
	.call_names = x86_64_call_names,
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
