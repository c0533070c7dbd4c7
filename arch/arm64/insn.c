/*
 * Decodes an Arm instruction: finds its size, the kind of branch if it is one, and the target of a direct branch. Callers reach
 * the function through struct arch (core/arch.h), which arch.c fills. arch/x86/insn.c decodes x86.
 */
#include "arch/arm64/insn.h"

#include <errno.h>

#include "core/arch.h"
#include "core/base/util.h"

/* The first row of a table for which (instruction & mask) == value describes the instruction. */
struct row {
	uint32_t mask, value;
	uint8_t kind, detail;
};

/* Returns bits @hi to @lo of @v as a signed number. */
static int64_t field(uint32_t v, unsigned hi, unsigned lo)
{
	return (int64_t)((uint64_t)v << (63 - hi)) >> (63 - hi + lo);
}

static const struct row *find(const struct row *rows, size_t nr, uint32_t v)
{
	for (const struct row *r = rows; r < rows + nr; r++)
		if ((v & r->mask) == r->value)
			return r;
	return NULL;
}

static void classify(struct insn *out, const struct row *rows, size_t nr, uint32_t v)
{
	const struct row *r = find(rows, nr, v);

	if (r) {
		out->kind = r->kind;
		out->detail = r->detail;
	}
}

/* A64, encodings with bits 28:26 = 101 (C4.1: branches, exceptions, system) that are not direct branches. */
static const struct row a64[] = {
	{ 0xfffffc1f, 0xd61f0000, INSN_JUMP_INDIRECT, 0 },	/* br */
	{ 0xfffff81f, 0xd61f081f, INSN_JUMP_INDIRECT, 0 },	/* braaz, brabz */
	{ 0xfffff800, 0xd71f0800, INSN_JUMP_INDIRECT, 0 },	/* braa, brab */
	{ 0xfffffc1f, 0xd63f0000, INSN_CALL_INDIRECT, 0 },	/* blr */
	{ 0xfffff81f, 0xd63f081f, INSN_CALL_INDIRECT, 0 },	/* blraaz, blrabz */
	{ 0xfffff800, 0xd73f0800, INSN_CALL_INDIRECT, 0 },	/* blraa, blrab */
	{ 0xfffffc1f, 0xd65f0000, INSN_RET, 0 },		/* ret */
	{ 0xfffffbe0, 0xd65f0be0, INSN_RET, 0 },		/* retaa, retab, retaasppcr, retabsppcr */
	{ 0xffc0001f, 0x5500001f, INSN_RET, 0 },		/* retaasppc, retabsppc */
	{ 0xffffffff, 0xd69f03e0, INSN_FAR_RET, 0 },		/* eret */
	{ 0xfffffbff, 0xd69f0bff, INSN_FAR_RET, 0 },		/* eretaa, eretab */
	{ 0xffffffff, 0xd6bf03e0, INSN_FAR_RET, 0 },		/* drps */
	{ 0xfffffbff, 0xd6ff03e0, INSN_FAR_RET, 0 },		/* texit (FEAT_TEV) */
	{ 0xfffdf01f, 0xd4e00000, INSN_FAR_CALL, 0 },		/* tenter */
	{ 0xffe0001f, 0xd4000001, INSN_FAR_CALL, 0 },		/* svc */
	{ 0xffe0001f, 0xd4000002, INSN_FAR_CALL, 0 },		/* hvc */
	{ 0xffe0001f, 0xd4000003, INSN_FAR_CALL, 0 },		/* smc */
	{ 0xfffff0ff, 0xd50330df, INSN_ISB, 0 },
	{ 0xffffffdf, 0xd503205f, INSN_ISB, ARM_WAIT },	/* wfe, wfi */
	{ 0xffffffc0, 0xd5031000, INSN_ISB, ARM_WAIT },	/* wfet, wfit */
	{ 0xffffffe0, 0xd5233060, INSN_ISB, ARM_TSTART },
};

/* Direct branches of A64, with the bits that have the distance in words. */
static const struct {
	uint32_t mask, value;
	uint8_t kind, hi, lo;
} a64_direct[] = {
	{ 0xfc000000, 0x14000000, INSN_JUMP, 25, 0 },		/* b */
	{ 0xfc000000, 0x94000000, INSN_CALL, 25, 0 },		/* bl */
	{ 0xff000000, 0x54000000, INSN_COND, 23, 5 },		/* b.cond, bc.cond */
	{ 0x7e000000, 0x34000000, INSN_COND, 23, 5 },		/* cbz, cbnz */
	{ 0x7e000000, 0x36000000, INSN_COND, 18, 5 },		/* tbz, tbnz */
	{ 0x7f00c000, 0x74000000, INSN_COND, 13, 5 },		/* cb<cc> of two registers */
	{ 0xff008000, 0x74008000, INSN_COND, 13, 5 },		/* cbb<cc>, cbh<cc> */
	{ 0x7f004000, 0x75000000, INSN_COND, 13, 5 },		/* cb<cc> with an immediate */
};

static void insn_a64(struct insn *out, uint32_t v)
{
	out->size = 4;
	if ((v >> 26 & 7) != 5)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(a64_direct); i++) {
		if ((v & a64_direct[i].mask) != a64_direct[i].value)
			continue;
		out->kind = a64_direct[i].kind;
		out->disp = 4 * field(v, a64_direct[i].hi, a64_direct[i].lo);
		return;
	}
	classify(out, a64, ARRAY_SIZE(a64), v);
}

/* A32 without a condition (F4.1: bits 31:28 = 1111). */
static const struct row a32_unconditional[] = {
	{ 0xfe50ffff, 0xf8100a00, INSN_FAR_RET, 0 },		/* rfe */
	{ 0xfffffff0, 0xf57ff060, INSN_ISB, 0 },
};

/* A32 with a condition: bits 27:0 of the instruction. */
static const struct row a32[] = {
	{ 0x0fffffff, 0x012fff1e, INSN_RET, 0 },		/* bx lr */
	{ 0x0ffffff0, 0x012fff10, INSN_JUMP_INDIRECT, 0 },	/* bx */
	{ 0x0ffffff0, 0x012fff20, INSN_JUMP_INDIRECT, 0 },	/* bxj */
	{ 0x0ffffff0, 0x012fff30, INSN_CALL_INDIRECT, 0 },	/* blx */
	{ 0x0fffffff, 0x0160006e, INSN_FAR_RET, 0 },		/* eret */
	{ 0x0f000000, 0x0f000000, INSN_FAR_CALL, 0 },		/* svc */
	{ 0x0ff000f0, 0x01400070, INSN_FAR_CALL, 0 },		/* hvc */
	{ 0x0ff000f0, 0x01600070, INSN_FAR_CALL, 0 },		/* smc */
	{ 0x0ffffffe, 0x0320f002, INSN_ISB, ARM_WAIT },	/* wfe, wfi */
	{ 0x0fff0fff, 0x0e070f95, INSN_ISB, 0 },		/* mcr p15, 0, rt, c7, c5, 4 */
	{ 0x0fffffff, 0x01a0f00e, INSN_RET, 0 },		/* mov pc, lr */
	{ 0x0fffffff, 0x049df004, INSN_RET, 0 },		/* pop {pc} */
	{ 0x0e000010, 0x06000010, INSN_OTHER, 0 },		/* media instructions */
	{ 0x0c50f000, 0x0410f000, INSN_JUMP_INDIRECT, 0 },	/* ldr pc */
	{ 0x0e508000, 0x08508000, INSN_FAR_RET, 0 },		/* ldm {..., pc}^ */
	{ 0x0fff8000, 0x08bd8000, INSN_RET, 0 },		/* pop {..., pc} */
	{ 0x0e508000, 0x08108000, INSN_JUMP_INDIRECT, 0 },	/* ldm {..., pc} */
	{ 0x0e000090, 0x00000090, INSN_OTHER, 0 },		/* multiplies, loads and stores of halves, swaps */
	{ 0x0d800000, 0x01000000, INSN_OTHER, 0 },		/* tst to cmn, movw, movt, miscellaneous */
	{ 0x0c10f000, 0x0010f000, INSN_FAR_RET, 0 },		/* subs pc, lr and its like */
	{ 0x0c10f000, 0x0000f000, INSN_JUMP_INDIRECT, 0 },	/* data processing into pc */
};

static void insn_a32(struct insn *out, uint32_t v)
{
	bool always = v >> 28 == 0xf, conditional = v >> 28 < 0xe;

	out->size = 4;
	if (always && (v >> 25 & 7) == 5) {			/* blx label */
		out->kind = INSN_CALL;
		out->detail = ARM_EXCHANGE;
		out->disp = 4 * field(v, 23, 0) + 2 * (v >> 24 & 1) + 8;
	} else if (always) {
		classify(out, a32_unconditional, ARRAY_SIZE(a32_unconditional), v);
	} else if ((v >> 25 & 7) == 5) {			/* b, bl */
		out->kind = v >> 24 & 1 ? INSN_CALL : conditional ? INSN_COND : INSN_JUMP;
		out->detail = conditional && out->kind == INSN_CALL ? ARM_CONDITIONAL : 0;
		out->disp = 4 * field(v, 23, 0) + 8;
	} else {
		classify(out, a32, ARRAY_SIZE(a32), v & 0x0fffffff);
		if (conditional && out->kind != INSN_OTHER && out->kind != INSN_ISB)
			out->detail |= ARM_CONDITIONAL;
	}
}

/* T32 in 16 bits. */
static const struct row t16[] = {
	{ 0xffff, 0x4770, INSN_RET, 0 },			/* bx lr */
	{ 0xff80, 0x4700, INSN_JUMP_INDIRECT, 0 },		/* bx */
	{ 0xff80, 0x4780, INSN_CALL_INDIRECT, 0 },		/* blx */
	{ 0xffff, 0x46f7, INSN_RET, 0 },			/* mov pc, lr */
	{ 0xff87, 0x4687, INSN_JUMP_INDIRECT, 0 },		/* mov pc */
	{ 0xff87, 0x4487, INSN_JUMP_INDIRECT, 0 },		/* add pc */
	{ 0xff00, 0xbd00, INSN_RET, 0 },			/* pop {..., pc} */
	{ 0xff00, 0xdf00, INSN_FAR_CALL, 0 },			/* svc */
	{ 0xffef, 0xbf20, INSN_ISB, ARM_WAIT },		/* wfe, wfi */
};

static void insn_t16(struct insn *out, uint32_t v)
{
	out->size = 2;
	if (v >> 12 == 0xd && (v >> 8 & 0xf) < 0xe) {
		out->kind = INSN_COND;				/* b<cond> */
		out->disp = 2 * field(v, 7, 0) + 4;
	} else if (v >> 11 == 0x1c) {
		out->kind = INSN_JUMP;				/* b */
		out->disp = 2 * field(v, 10, 0) + 4;
	} else if ((v & 0xf500) == 0xb100) {
		out->kind = INSN_COND;				/* cbz, cbnz */
		out->disp = (v >> 9 & 1) * 64 + (v >> 3 & 31) * 2 + 4;
	} else {
		classify(out, t16, ARRAY_SIZE(t16), v);
	}
}

/* T32 in 32 bits, the first half in the upper 16. */
static const struct row t32[] = {
	{ 0xfffffff0, 0xf3bf8f60, INSN_ISB, 0 },
	{ 0xfff0d000, 0xf3c08000, INSN_JUMP_INDIRECT, 0 },	/* bxj */
	{ 0xfff0d000, 0xf3d08000, INSN_FAR_RET, 0 },		/* subs pc, lr; eret */
	{ 0xfffffffe, 0xf3af8002, INSN_ISB, ARM_WAIT },	/* wfe, wfi */
	{ 0xfff0f000, 0xf7e08000, INSN_FAR_CALL, 0 },		/* hvc */
	{ 0xfff0f000, 0xf7f08000, INSN_FAR_CALL, 0 },		/* smc */
	{ 0xfff0ffe0, 0xe8d0f000, INSN_JUMP_INDIRECT, 0 },	/* tbb, tbh */
	{ 0xffffffff, 0xf85dfb04, INSN_RET, 0 },		/* pop {pc} */
	{ 0xff70f000, 0xf850f000, INSN_JUMP_INDIRECT, 0 },	/* ldr pc */
	{ 0xffff8000, 0xe8bd8000, INSN_RET, 0 },		/* pop {..., pc} */
	{ 0xffd08000, 0xe8908000, INSN_JUMP_INDIRECT, 0 },	/* ldmia {..., pc} */
	{ 0xffd08000, 0xe9108000, INSN_JUMP_INDIRECT, 0 },	/* ldmdb {..., pc} */
	{ 0xffd0ffff, 0xe810c000, INSN_FAR_RET, 0 },		/* rfedb */
	{ 0xffd0ffff, 0xe990c000, INSN_FAR_RET, 0 },		/* rfeia */
	{ 0xffff0fff, 0xee070f95, INSN_ISB, 0 },		/* mcr p15, 0, rt, c7, c5, 4 */
};

/* The displacement of b.w, bl and blx: S:I1:I2:imm10:imm11:0, where I1 = !(J1 ^ S). */
static int64_t t32_disp25(uint32_t v)
{
	uint32_t s = v >> 26 & 1, i1 = !((v >> 13 & 1) ^ s), i2 = !((v >> 11 & 1) ^ s);
	uint32_t d = s << 24 | i1 << 23 | i2 << 22 | (v >> 16 & 0x3ff) << 12 | (v & 0x7ff) << 1;

	return field(d, 24, 0) + 4;
}

/* The displacement of b<cond>.w: S:J2:J1:imm6:imm11:0. */
static int64_t t32_disp21(uint32_t v)
{
	uint32_t d = (v >> 26 & 1) << 20 | (v >> 11 & 1) << 19 | (v >> 13 & 1) << 18 |
		     (v >> 16 & 0x3f) << 12 | (v & 0x7ff) << 1;

	return field(d, 20, 0) + 4;
}

static void insn_t32(struct insn *out, uint32_t v)
{
	out->size = 4;
	switch (v & 0xf800d000) {
	case 0xf0009000:					/* b.w */
		out->kind = INSN_JUMP;
		out->disp = t32_disp25(v);
		return;
	case 0xf000c000:					/* blx label */
		out->detail = ARM_EXCHANGE;
		/* fall through */
	case 0xf000d000:					/* bl */
		out->kind = INSN_CALL;
		out->disp = t32_disp25(v);
		return;
	case 0xf0008000:
		if ((v >> 23 & 7) == 7)				/* not a condition: system instructions */
			break;
		out->kind = INSN_COND;				/* b<cond>.w */
		out->disp = t32_disp21(v);
		return;
	}
	classify(out, t32, ARRAY_SIZE(t32), v);
}

static uint32_t half(const uint8_t *p)
{
	return (uint32_t)(p[0] | p[1] << 8);
}

static int insn_thumb(struct insn *out, const uint8_t *code, size_t n)
{
	uint32_t first;

	if (n < 2)
		return -ERANGE;
	first = half(code);
	if (first >> 11 < 0x1d) {
		insn_t16(out, first);
		return 0;
	}
	if (n < 4)
		return -ERANGE;
	insn_t32(out, first << 16 | half(code + 2));
	return 0;
}

int arm_insn_read(struct insn *out, const uint8_t *code, size_t n, unsigned mode)
{
	uint32_t v;

	*out = (struct insn){ 0 };
	if (mode == 16)
		return insn_thumb(out, code, n);
	if (n < 4)
		return -ERANGE;
	v = half(code) | half(code + 2) << 16;
	if (mode == 64)
		insn_a64(out, v);
	else if (mode == 32)
		insn_a32(out, v);
	else
		return -EINVAL;
	return 0;
}
