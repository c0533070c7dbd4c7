/*
 * Defines struct arch (core/arch.h) for arm64 and 32-bit Arm, so that any host can read their recordings. One table has the names
 * of the registers, in the order of PERF_REG_ARM64_* and PERF_REG_ARM_*. Others have the DWARF register numbers, and the system
 * calls in which a thread may wait.
 */
#include "core/arch.h"

#include "arch/arm64/insn.h"

static const char *const regs_64[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29",
	"lr", "sp", "pc",
};

static const char *const regs_32[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

/* DWARF and perf number the registers alike (AADWARF64 and AADWARF32, "DWARF register names"). arm64's pc has no DWARF number. */
static const uint8_t dwarf_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

static const char *const aliases_64[] = { "arm64", NULL };
static const char *const aliases_32[] = { "armv7l", "armv7", "armv6l", "armv8l", "armv5tel", NULL };

/* System calls that may wait, by number: scripts/syscall.tbl, Linux 6.18. */
static const struct arch_call calls_64[] = {
	{ 22, CALL_DESCRIPTOR, 0 },	/* epoll_pwait */
	{ 25, CALL_DESCRIPTOR, 0 },	/* fcntl */
	{ 29, CALL_DESCRIPTOR, 0 },	/* ioctl */
	{ 32, CALL_DESCRIPTOR, 0 },	/* flock */
	{ 63, CALL_DESCRIPTOR, 0 },	/* read */
	{ 64, CALL_DESCRIPTOR, 0 },	/* write */
	{ 65, CALL_DESCRIPTOR, 0 },	/* readv */
	{ 66, CALL_DESCRIPTOR, 0 },	/* writev */
	{ 67, CALL_DESCRIPTOR, 0 },	/* pread64 */
	{ 68, CALL_DESCRIPTOR, 0 },	/* pwrite64 */
	{ 69, CALL_DESCRIPTOR, 0 },	/* preadv */
	{ 70, CALL_DESCRIPTOR, 0 },	/* pwritev */
	{ 71, CALL_DESCRIPTOR, 1 },	/* sendfile */
	{ 72, CALL_NAMELESS, 0 },	/* pselect6 */
	{ 73, CALL_NAMELESS, 0 },	/* ppoll */
	{ 76, CALL_DESCRIPTOR, 0 },	/* splice */
	{ 82, CALL_DESCRIPTOR, 0 },	/* fsync */
	{ 83, CALL_DESCRIPTOR, 0 },	/* fdatasync */
	{ 95, CALL_CHILD, 1 },	/* waitid */
	{ 98, CALL_FUTEX, 0 },	/* futex */
	{ 101, CALL_NAMELESS, 0 },	/* nanosleep */
	{ 115, CALL_NAMELESS, 0 },	/* clock_nanosleep */
	{ 133, CALL_NAMELESS, 0 },	/* rt_sigsuspend */
	{ 137, CALL_NAMELESS, 0 },	/* rt_sigtimedwait */
	{ 202, CALL_DESCRIPTOR, 0 },	/* accept */
	{ 203, CALL_DESCRIPTOR, 0 },	/* connect */
	{ 206, CALL_DESCRIPTOR, 0 },	/* sendto */
	{ 207, CALL_DESCRIPTOR, 0 },	/* recvfrom */
	{ 211, CALL_DESCRIPTOR, 0 },	/* sendmsg */
	{ 212, CALL_DESCRIPTOR, 0 },	/* recvmsg */
	{ 242, CALL_DESCRIPTOR, 0 },	/* accept4 */
	{ 243, CALL_DESCRIPTOR, 0 },	/* recvmmsg */
	{ 260, CALL_CHILD, 0 },	/* wait4 */
	{ 269, CALL_DESCRIPTOR, 0 },	/* sendmmsg */
	{ 286, CALL_DESCRIPTOR, 0 },	/* preadv2 */
	{ 287, CALL_DESCRIPTOR, 0 },	/* pwritev2 */
	{ 441, CALL_DESCRIPTOR, 0 },	/* epoll_pwait2 */
	{ 449, CALL_NAMELESS, 0 },	/* futex_waitv */
	{ 455, CALL_FUTEX_WAIT, 0 },	/* futex_wait */
};

const struct arch arch_arm64 = {
	.name = "aarch64", .aliases = aliases_64, .family = ARCH_ARM,
	.kernel_start = 1ull << 63,
	.regs = regs_64, .nr_regs = sizeof(regs_64) / sizeof(regs_64[0]),
	.dwarf_regs = dwarf_regs, .nr_dwarf_regs = 32, .pc_reg = 32, .sp_reg = 31, .link_reg = 30,
	.word = 8, .dwarf_sp = 31, .dwarf_fp = 29, .dwarf_kept = 0x7ffull << 19,
	.calls = calls_64, .nr_calls = sizeof(calls_64) / sizeof(calls_64[0]),
	.call_names = arm64_call_names,
	.compat = &arch_arm,
	.insn = arm_insn_read,
};

const struct arch arch_arm = {
	.name = "arm", .aliases = aliases_32, .family = ARCH_ARM,
	.kernel_start = 0xc0000000ull,
	.regs = regs_32, .nr_regs = sizeof(regs_32) / sizeof(regs_32[0]),
	.dwarf_regs = dwarf_regs, .nr_dwarf_regs = 16, .pc_reg = 15, .sp_reg = 13, .link_reg = 14,
	.word = 4, .dwarf_sp = 13, .dwarf_fp = 11, .dwarf_kept = 0xff << 4, .pc_flags = 1,
	.insn = arm_insn_read,
};
