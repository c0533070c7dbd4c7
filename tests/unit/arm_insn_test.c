/*
 * The branch tables of A64, A32 and T32: known encodings (from the assembler, among them those that
 * capstone 4 does not know) and random words against capstone.
 */
#include "arch/arm64/insn.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/util.h"

static unsigned failed;

static const struct known {
	const char *text;
	unsigned mode;
	uint32_t code;		/* T32 in 32 bits: the first half in the upper 16 */
	uint8_t size, kind, detail;
	int64_t disp;
} known[] = {
	{ "b .+8", 64, 0x14000002, 4, INSN_JUMP, 0, 8 },
	{ "b .-4", 64, 0x17ffffff, 4, INSN_JUMP, 0, -4 },
	{ "bl .-0x8000000", 64, 0x96000000, 4, INSN_CALL, 0, -0x8000000 },
	{ "b.ne .+12", 64, 0x54000061, 4, INSN_COND, 0, 12 },
	{ "bc.ne .+12", 64, 0x54000071, 4, INSN_COND, 0, 12 },
	{ "cbz w3, .-8", 64, 0x34ffffc3, 4, INSN_COND, 0, -8 },
	{ "cbnz x3, .+16", 64, 0xb5000083, 4, INSN_COND, 0, 16 },
	{ "tbz w1, #3, .-32768", 64, 0x361c0001, 4, INSN_COND, 0, -32768 },
	{ "tbnz x1, bit 35, .+32764", 64, 0xb71bffe1, 4, INSN_COND, 0, 32764 },
	{ "cbgt w1, w2, .+8", 64, 0x74020041, 4, INSN_COND, 0, 8 },
	{ "cbgt x1, #5, .+8", 64, 0xf5028041, 4, INSN_COND, 0, 8 },
	{ "br x16", 64, 0xd61f0200, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "braaz x5", 64, 0xd61f08bf, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "brabz x5", 64, 0xd61f0cbf, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "braa x5, x6", 64, 0xd71f08a6, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "brab x5, sp", 64, 0xd71f0cbf, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "blr x8", 64, 0xd63f0100, 4, INSN_CALL_INDIRECT, 0, 0 },
	{ "blraaz x8", 64, 0xd63f091f, 4, INSN_CALL_INDIRECT, 0, 0 },
	{ "blraa x8, x9", 64, 0xd73f0909, 4, INSN_CALL_INDIRECT, 0, 0 },
	{ "blrab x8, sp", 64, 0xd73f0d1f, 4, INSN_CALL_INDIRECT, 0, 0 },
	{ "ret", 64, 0xd65f03c0, 4, INSN_RET, 0, 0 },
	{ "ret x5", 64, 0xd65f00a0, 4, INSN_RET, 0, 0 },
	{ "retaa", 64, 0xd65f0bff, 4, INSN_RET, 0, 0 },
	{ "retab", 64, 0xd65f0fff, 4, INSN_RET, 0, 0 },
	{ "retaasppcr x3", 64, 0xd65f0be3, 4, INSN_RET, 0, 0 },
	{ "retabsppc .-8", 64, 0x5520005f, 4, INSN_RET, 0, 0 },
	{ "eret", 64, 0xd69f03e0, 4, INSN_FAR_RET, 0, 0 },
	{ "eretaa", 64, 0xd69f0bff, 4, INSN_FAR_RET, 0, 0 },
	{ "eretab", 64, 0xd69f0fff, 4, INSN_FAR_RET, 0, 0 },
	{ "drps", 64, 0xd6bf03e0, 4, INSN_FAR_RET, 0, 0 },
	{ "texit", 64, 0xd6ff03e0, 4, INSN_FAR_RET, 0, 0 },
	{ "texit nb", 64, 0xd6ff07e0, 4, INSN_FAR_RET, 0, 0 },
	{ "tenter", 64, 0xd4e00400, 4, INSN_FAR_CALL, 0, 0 },
	{ "tenter nb", 64, 0xd4e20400, 4, INSN_FAR_CALL, 0, 0 },
	{ "svc #0", 64, 0xd4000001, 4, INSN_FAR_CALL, 0, 0 },
	{ "hvc #1", 64, 0xd4000022, 4, INSN_FAR_CALL, 0, 0 },
	{ "smc #0", 64, 0xd4000003, 4, INSN_FAR_CALL, 0, 0 },
	{ "isb", 64, 0xd5033fdf, 4, INSN_ISB, 0, 0 },
	{ "isb #3", 64, 0xd50333df, 4, INSN_ISB, 0, 0 },
	{ "dsb sy", 64, 0xd5033f9f, 4, INSN_OTHER, 0, 0 },
	{ "sb", 64, 0xd50330ff, 4, INSN_OTHER, 0, 0 },
	{ "wfe", 64, 0xd503205f, 4, INSN_ISB, ARM_WAIT, 0 },
	{ "wfi", 64, 0xd503207f, 4, INSN_ISB, ARM_WAIT, 0 },
	{ "wfet x3", 64, 0xd5031003, 4, INSN_ISB, ARM_WAIT, 0 },
	{ "wfit x3", 64, 0xd5031023, 4, INSN_ISB, ARM_WAIT, 0 },
	{ "tstart x3", 64, 0xd5233063, 4, INSN_ISB, ARM_TSTART, 0 },
	{ "nop", 64, 0xd503201f, 4, INSN_OTHER, 0, 0 },
	{ "bti c", 64, 0xd503245f, 4, INSN_OTHER, 0, 0 },
	{ "paciasp", 64, 0xd503233f, 4, INSN_OTHER, 0, 0 },
	{ "ldr x0, =x", 64, 0x58000080, 4, INSN_OTHER, 0, 0 },
	{ "b .+8", 32, 0xea000000, 4, INSN_JUMP, 0, 8 },
	{ "bne .", 32, 0x1afffffe, 4, INSN_COND, 0, 0 },
	{ "bl .+8", 32, 0xeb000000, 4, INSN_CALL, 0, 8 },
	{ "blne .+8", 32, 0x1b000000, 4, INSN_CALL, ARM_CONDITIONAL, 8 },
	{ "blx .+10", 32, 0xfb000000, 4, INSN_CALL, ARM_EXCHANGE, 10 },
	{ "bx lr", 32, 0xe12fff1e, 4, INSN_RET, 0, 0 },
	{ "bxeq lr", 32, 0x012fff1e, 4, INSN_RET, ARM_CONDITIONAL, 0 },
	{ "bx r3", 32, 0xe12fff13, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "blx r3", 32, 0xe12fff33, 4, INSN_CALL_INDIRECT, 0, 0 },
	{ "mov pc, lr", 32, 0xe1a0f00e, 4, INSN_RET, 0, 0 },
	{ "movs pc, lr", 32, 0xe1b0f00e, 4, INSN_FAR_RET, 0, 0 },
	{ "subs pc, lr, #4", 32, 0xe25ef004, 4, INSN_FAR_RET, 0, 0 },
	{ "add pc, pc, r3, lsl #2", 32, 0xe08ff103, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "ldr pc, [pc, r3, lsl #2]", 32, 0xe79ff103, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "pop {pc}", 32, 0xe49df004, 4, INSN_RET, 0, 0 },
	{ "pop {r4, pc}", 32, 0xe8bd8010, 4, INSN_RET, 0, 0 },
	{ "ldm r3, {r4, pc}", 32, 0xe8938010, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "ldm sp!, {pc}^", 32, 0xe8fd8000, 4, INSN_FAR_RET, 0, 0 },
	{ "rfeia sp!", 32, 0xf8bd0a00, 4, INSN_FAR_RET, 0, 0 },
	{ "eret", 32, 0xe160006e, 4, INSN_FAR_RET, 0, 0 },
	{ "svc 0", 32, 0xef000000, 4, INSN_FAR_CALL, 0, 0 },
	{ "isb", 32, 0xf57ff06f, 4, INSN_ISB, 0, 0 },
	{ "isb #3", 32, 0xf57ff063, 4, INSN_ISB, 0, 0 },
	{ "wfi", 32, 0xe320f003, 4, INSN_ISB, ARM_WAIT, 0 },
	{ "cmp r0, pc", 32, 0xe150000f, 4, INSN_OTHER, 0, 0 },
	{ "movw r3, #1", 32, 0xe3003001, 4, INSN_OTHER, 0, 0 },
	{ "b .+4", 16, 0xe000, 2, INSN_JUMP, 0, 4 },
	{ "bne .-4", 16, 0xd1fc, 2, INSN_COND, 0, -4 },
	{ "cbz r3, .+4", 16, 0xb103, 2, INSN_COND, 0, 4 },
	{ "cbnz r3, .+130", 16, 0xbbfb, 2, INSN_COND, 0, 130 },
	{ "b.w .+4", 16, 0xf000b800, 4, INSN_JUMP, 0, 4 },
	{ "bne.w .-4", 16, 0xf47faffe, 4, INSN_COND, 0, 0 },
	{ "bl .", 16, 0xf7fffffe, 4, INSN_CALL, 0, 0 },
	{ "blx .+4", 16, 0xf000e800, 4, INSN_CALL, ARM_EXCHANGE, 4 },
	{ "bx lr", 16, 0x4770, 2, INSN_RET, 0, 0 },
	{ "bx r3", 16, 0x4718, 2, INSN_JUMP_INDIRECT, 0, 0 },
	{ "blx r3", 16, 0x4798, 2, INSN_CALL_INDIRECT, 0, 0 },
	{ "mov pc, r3", 16, 0x469f, 2, INSN_JUMP_INDIRECT, 0, 0 },
	{ "add pc, r3", 16, 0x449f, 2, INSN_JUMP_INDIRECT, 0, 0 },
	{ "pop {r4, pc}", 16, 0xbd10, 2, INSN_RET, 0, 0 },
	{ "pop.w {r4-r8, pc}", 16, 0xe8bd81f0, 4, INSN_RET, 0, 0 },
	{ "ldr pc, [sp], #4", 16, 0xf85dfb04, 4, INSN_RET, 0, 0 },
	{ "ldr.w pc, [r3]", 16, 0xf8d3f000, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "tbb [pc, r3]", 16, 0xe8dff003, 4, INSN_JUMP_INDIRECT, 0, 0 },
	{ "subs pc, lr, #4", 16, 0xf3de8f04, 4, INSN_FAR_RET, 0, 0 },
	{ "rfeia sp!", 16, 0xe9bdc000, 4, INSN_FAR_RET, 0, 0 },
	{ "isb", 16, 0xf3bf8f6f, 4, INSN_ISB, 0, 0 },
	{ "isb #3", 16, 0xf3bf8f63, 4, INSN_ISB, 0, 0 },
	{ "dsb sy", 16, 0xf3bf8f4f, 4, INSN_OTHER, 0, 0 },
	{ "wfi", 16, 0xbf30, 2, INSN_ISB, ARM_WAIT, 0 },
	{ "svc 0", 16, 0xdf00, 2, INSN_FAR_CALL, 0, 0 },
	{ "udf", 16, 0xde00, 2, INSN_OTHER, 0, 0 },
	{ "it eq", 16, 0xbf08, 2, INSN_OTHER, 0, 0 },
};

/* The bytes of @code as they are in memory; returns how many. */
static size_t bytes_of(uint8_t *p, uint32_t code, unsigned mode)
{
	uint32_t v = code;

	if (mode == 16 && code >> 16)
		v = code >> 16 | code << 16;
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	return mode == 16 && !(code >> 16) ? 2 : 4;
}

static void check_known(void)
{
	for (const struct known *k = known; k < known + ARRAY_SIZE(known); k++) {
		uint8_t code[4];
		size_t n = bytes_of(code, k->code, k->mode);
		struct insn in;
		int err = arm_insn_read(&in, code, n, k->mode);

		if (!err && in.size == k->size && in.kind == k->kind && in.detail == k->detail && in.disp == k->disp &&
		    arm_insn_read(&in, code, n - 1, k->mode) == -ERANGE)
			continue;
		failed++;
		printf("%u '%s' (%x): %d, size %d kind %d detail %d disp %lld\n", k->mode, k->text, k->code, err,
		       in.size, in.kind, in.detail, (long long)in.disp);
	}
}

/* capstone 4 has no groups for every branch: go by the name and by what is written. */
static bool capstone_branches(csh cs, const cs_insn *c, unsigned mode, int64_t *disp)
{
	static const char *const direct[] = { "b", "bl", "blx", "cbz", "cbnz", "tbz", "tbnz" };
	const char *comma = strrchr(c->op_str, '#');
	const char *name = c->mnemonic;
	cs_regs read, written;
	uint8_t nr_read, nr_written;

	*disp = INT64_MIN;
	if (cs_insn_group(cs, c, CS_GRP_JUMP) || cs_insn_group(cs, c, CS_GRP_CALL) || name[0] == 'b' ||
	    strstr(name, "cbz") || strstr(name, "cbnz") || strstr(name, "tbz") || strstr(name, "tbnz")) {
		for (size_t i = 0; i < ARRAY_SIZE(direct); i++)
			if (str_starts(name, direct[i]) && comma)
				*disp = strtoll(comma + 1, NULL, 0) - (int64_t)c->address;
		if (*disp != INT64_MIN)
			return true;
	}
	if (mode == 64)
		return str_eq(name, "br") || str_eq(name, "blr") || str_eq(name, "ret") || str_eq(name, "eret") ||
		       str_eq(name, "drps");
	if (cs_regs_access(cs, c, read, &nr_read, written, &nr_written))
		return false;
	for (int i = 0; i < nr_written; i++)
		if (written[i] == ARM_REG_PC)
			return true;
	return false;
}

/* Instructions that capstone 4 itself has wrong or cannot describe. */
static bool skip(const cs_insn *c, unsigned mode)
{
	static const char *const odd[] = { "svc", "hvc", "smc", "isb", "udf", "bkpt", "brk", "crc", "mcr", "mrc",
		"bic", "bf", "bti" };

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		if (str_starts(c->mnemonic, odd[i]))
			return true;
	return mode != 64 && !strchr("bct", c->mnemonic[0]);
}

static void check_random(csh cs, unsigned mode)
{
	uint64_t state = 88172645463325252ull, tried = 0, branches = 0;
	cs_insn *c = cs_malloc(cs);

	for (int i = 0; i < 400000; i++) {
		uint8_t code[4];
		const uint8_t *p = code;
		size_t n = 4;
		uint64_t address = 0x10000000;
		struct insn in;
		int64_t disp;
		bool is, want;

		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		for (int k = 0; k < 4; k++)
			code[k] = (uint8_t)(state >> 8 * k);
		if (!cs_disasm_iter(cs, &p, &n, &address, c) || skip(c, mode))
			continue;
		tried++;
		want = capstone_branches(cs, c, mode, &disp);
		if (arm_insn_read(&in, code, 4, mode))
			failed++;
		is = in.kind != INSN_OTHER && in.kind != INSN_FAR_CALL && in.kind != INSN_ISB;
		branches += is;
		if (in.detail & ARM_EXCHANGE && mode == 16)
			in.disp &= ~3ll;
		if (c->size == in.size && is == want && (disp == INT64_MIN || disp == in.disp))
			continue;
		if (failed++ < 20)
			printf("%u %02x%02x%02x%02x '%s %s': size %d kind %d disp %lld, capstone %d %lld\n", mode,
			       code[3], code[2], code[1], code[0], c->mnemonic, c->op_str, in.size, in.kind,
			       (long long)in.disp, want, (long long)disp);
	}
	if (!branches || tried < 1000)
		failed++, printf("mode %u: only %llu tried\n", mode, (unsigned long long)tried);
	cs_free(c, 1);
}

static void random_against_capstone(unsigned mode, cs_arch arch, cs_mode m)
{
	csh cs;

	if (cs_open(arch, m, &cs)) {
		failed++;
		return;
	}
	cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON);
	check_random(cs, mode);
	cs_close(&cs);
}

int main(void)
{
	check_known();
	random_against_capstone(64, CS_ARCH_ARM64, CS_MODE_ARM);
	random_against_capstone(32, CS_ARCH_ARM, (cs_mode)(CS_MODE_ARM | CS_MODE_V8));
	random_against_capstone(16, CS_ARCH_ARM, (cs_mode)(CS_MODE_THUMB | CS_MODE_V8));
	return failed ? 1 : 0;
}
