/*
 * Decodes an x86 instruction: finds its length, the kind of branch if it is one, and the target of a direct branch. Callers
 * reach the decoder through struct arch (core/arch.h), which arch.c fills. arch/arm64/insn.c decodes Arm.
 */
#include "arch/x86/insn.h"

#include <errno.h>
#include <stdbool.h>

#include "core/arch.h"

#define MAX_SIZE 15	/* SDM vol. 2, 2.3.11: longer instructions raise #GP */

/*
 * The bytes that follow an opcode. Each opcode has one of these letters:
 *   .  nothing              m  ModRM                 r  ModRM that is always register-register
 *   b  imm8                 M  ModRM, imm8           w  imm16          e  imm16, imm8 (enter)
 *   z  imm16/32             Z  ModRM, imm16/32       v  imm16/32/64    o  address-sized offset
 *   n  near displacement    f  far pointer           g  ModRM, imm8 if reg is 0 or 1   G  the same, imm16/32
 *   d  ModRM, imm32         S  ModRM; SSE4a's two imm8 under 66 or F2
 *   i  nothing, B  imm8, F  far pointer, I  ModRM, imm8: these not in 64 bit mode
 *   x  no instruction       p  prefix or escape: handled before
 */
static const char one_byte_map[] =
	"mmmmbziimmmmbzip" "mmmmbziimmmmbzii" "mmmmbzpimmmmbzpi" "mmmmbzpimmmmbzpi"
	"................" "................" "iipmppppzZbM...." "bbbbbbbbbbbbbbbb"
	"MZIMmmmmmmmmmmmm" "..........F....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
	"MMw.ppMZe.w..bi." "mmmmBBi.mmmmmmmm" "bbbbbbbbnnFb...." "p.pp..gG......mm";

static const char map_0f[] =
	"mmmmx.....x.xm.M" "mmmmmmmmmmmmmmmm" "rrrrrxrxmmmmmmmm" "......x.pxpxxxxx"
	"mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "MMMMmmm.Smxxmmmm"
	"nnnnnnnnnnnnnnnn" "mmmmmmmmmmmmmmmm" "...mMmmm...mMmmm" "mmmmmmmmmmMmmmmm"
	"mmMmMMMm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";

struct decode {
	const uint8_t *start, *pos, *end;
	uint8_t mode;		/* 16, 32, 64 */
	bool opsize, addrsize;	/* prefixes 66, 67 */
	bool rex_w, rex2;
	uint8_t rep;		/* the last of F2, F3; 0: none */
	uint8_t map;		/* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A; others with VEX, EVEX, XOP only */
	uint8_t vector;		/* 0xC4 VEX, 0x62 EVEX, 0x8F XOP, 0: none */
	uint8_t opcode, modrm;
	bool short_code;	/* the instruction is longer than the bytes */
};

static uint8_t peek(struct decode *d, size_t at)
{
	if ((size_t)(d->end - d->pos) <= at) {
		d->short_code = true;
		return 0;
	}
	return d->pos[at];
}

static uint8_t next(struct decode *d)
{
	uint8_t b = peek(d, 0);

	d->pos += !d->short_code;
	return b;
}

static void skip(struct decode *d, size_t n)
{
	if ((size_t)(d->end - d->pos) < n)
		d->short_code = true;
	else
		d->pos += n;
}

/* Legacy prefixes and REX. A REX counts only directly before the opcode. */
static void prefixes(struct decode *d)
{
	for (;; d->pos++) {
		uint8_t b = peek(d, 0);

		if (d->short_code)
			return;
		switch (b) {
		case 0x66: d->opsize = true; break;
		case 0x67: d->addrsize = true; break;
		case 0xf2: case 0xf3: d->rep = b; break;
		case 0xf0: case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: break;
		default:
			if (d->mode != 64 || (b & 0xf0) != 0x40)
				return;
			d->rex_w = b & 8;
			continue;
		}
		d->rex_w = false;
	}
}

/* pp of VEX, EVEX and XOP: 1 is 66, 2 is F3, 3 is F2. */
static void set_pp(struct decode *d, unsigned pp)
{
	d->opsize = pp == 1;
	d->rep = pp == 2 ? 0xf3 : pp == 3 ? 0xf2 : 0;
}

static void vex2(struct decode *d)
{
	d->vector = 0xc4;
	d->map = 1;
	set_pp(d, peek(d, 1) & 3);
	skip(d, 2);
}

/* Three-byte VEX, and XOP which has the same form. */
static void vex3(struct decode *d, uint8_t which)
{
	d->vector = which;
	d->map = peek(d, 1) & 0x1f;
	d->rex_w = peek(d, 2) & 0x80;
	set_pp(d, peek(d, 2) & 3);
	skip(d, 3);
}

static void evex(struct decode *d)
{
	d->vector = 0x62;
	d->map = peek(d, 1) & 7;
	d->rex_w = peek(d, 2) & 0x80;
	set_pp(d, peek(d, 2) & 3);
	skip(d, 4);
}

static void rex2(struct decode *d)
{
	uint8_t payload = peek(d, 1);

	d->rex2 = true;
	d->map = payload >> 7;
	d->rex_w = payload & 8;
	skip(d, 2);
}

/* Reads the escape bytes, which select a map, and the opcode. */
static void opcode(struct decode *d)
{
	uint8_t b = peek(d, 0), after;
	bool operand_is_register;

	if (b == 0x0f) {
		d->pos++;
		d->map = 1;
		after = peek(d, 0);
		if (after == 0x38 || after == 0x3a) {
			d->pos++;
			d->map = after == 0x38 ? 2 : 3;
		}
	} else if (b == 0xc4 || b == 0xc5 || b == 0x62 || b == 0x8f || b == 0xd5) {
		after = peek(d, 1);
		operand_is_register = d->mode == 64 || after >= 0xc0;
		if (b == 0xc5 && operand_is_register)
			vex2(d);
		else if (b == 0xc4 && operand_is_register)
			vex3(d, 0xc4);
		else if (b == 0x62 && operand_is_register)
			evex(d);
		else if (b == 0x8f && (after & 0x1f) >= 8)
			vex3(d, 0x8f);
		else if (b == 0xd5 && d->mode == 64)
			rex2(d);
	}
	d->opcode = next(d);
}

/* EVEX map 4 of APX: the legacy instructions, and some of the other maps' without an immediate. */
static char promoted(uint8_t op)
{
	switch (op) {
	case 0x80: case 0x83: case 0x6b: case 0xc0: case 0xc1: case 0x24: case 0x2c: case 0xd4: return 'M';
	case 0x81: case 0x69: return 'Z';
	case 0xf6: return 'g';
	case 0xf7: return 'G';
	default: return 'm';
	}
}

static char vector_operands(const struct decode *d)
{
	char c;

	switch (d->map) {
	case 1:
		c = map_0f[d->opcode];
		if (d->vector == 0xc4 && d->opcode == 0x77)
			return '.';	/* vzeroupper, vzeroall */
		return c == 'M' ? 'M' : 'm';
	case 2: case 5: case 6: case 9: return 'm';
	case 3: case 8: return 'M';
	case 4: return d->vector == 0x62 ? promoted(d->opcode) : 'x';
	case 7: case 10: return 'd';
	default: return 'x';
	}
}

static char operands(const struct decode *d)
{
	uint8_t op = d->opcode;

	if (d->vector)
		return vector_operands(d);
	if (d->map == 2)
		return 'm';
	if (d->map == 3)
		return 'M';
	if (d->map == 1)
		return map_0f[op];
	if (d->mode != 64 && (op == 0xc4 || op == 0xc5 || op == 0x62))
		return 'm';	/* les, lds, bound */
	return one_byte_map[op];
}

static void modrm16(struct decode *d)
{
	unsigned mod = d->modrm >> 6, rm = d->modrm & 7;

	if (mod == 1)
		skip(d, 1);
	else if (mod == 2 || (mod == 0 && rm == 6))
		skip(d, 2);
}

static void modrm(struct decode *d)
{
	unsigned mod, rm, base;

	d->modrm = next(d);
	mod = d->modrm >> 6;
	rm = d->modrm & 7;
	if (mod == 3)
		return;
	if (d->mode == 16 ? !d->addrsize : d->mode == 32 && d->addrsize) {
		modrm16(d);
		return;
	}
	base = rm;
	if (rm == 4)
		base = next(d) & 7;	/* SIB */
	if (mod == 1)
		skip(d, 1);
	else if (mod == 2 || (mod == 0 && base == 5))
		skip(d, 4);
}

/* Returns the number of bytes of an operand-sized immediate. */
static unsigned immz(const struct decode *d)
{
	if (d->rex_w)
		return 4;
	return (d->mode == 16) != d->opsize ? 2 : 4;
}

static unsigned near_size(const struct decode *d)
{
	return d->mode == 64 ? 4 : immz(d);
}

static unsigned offset_size(const struct decode *d)
{
	if (d->mode == 64)
		return d->addrsize ? 4 : 8;
	return (d->mode == 16) != d->addrsize ? 2 : 4;
}

/* Skips the bytes that letter @c stands for. Returns 0 or -EINVAL. */
static int pass_operands(struct decode *d, char c)
{
	bool has_imm;

	switch (c) {
	case '.': return 0;
	case 'm': modrm(d); return 0;
	case 'r': d->modrm = next(d); return 0;
	case 'b': skip(d, 1); return 0;
	case 'M': modrm(d), skip(d, 1); return 0;
	case 'w': skip(d, 2); return 0;
	case 'e': skip(d, 3); return 0;
	case 'z': skip(d, immz(d)); return 0;
	case 'Z': modrm(d), skip(d, immz(d)); return 0;
	case 'v': skip(d, d->rex_w ? 8 : immz(d)); return 0;
	case 'o': skip(d, offset_size(d)); return 0;
	case 'n': skip(d, near_size(d)); return 0;
	case 'd': modrm(d), skip(d, 4); return 0;
	case 'S': modrm(d), skip(d, d->opsize || d->rep == 0xf2 ? 2 : 0); return 0;
	case 'g': case 'G':
		modrm(d);
		has_imm = (d->modrm & 0x38) < 0x10;
		skip(d, !has_imm ? 0 : c == 'g' ? 1 : immz(d));
		return 0;
	}
	if (d->mode == 64)
		return -EINVAL;
	switch (c) {
	case 'i': return 0;
	case 'B': skip(d, 1); return 0;
	case 'I': modrm(d), skip(d, 1); return 0;
	case 'F': skip(d, 2 + immz(d)); return 0;
	default: return -EINVAL;
	}
}

static void set(struct insn *out, enum insn_kind kind, enum x86_detail detail)
{
	out->kind = kind;
	out->detail = detail;
}

/* The displacement is the last @n bytes of the instruction. */
static void direct(struct insn *out, const struct decode *d, enum insn_kind kind, enum x86_detail detail, unsigned n)
{
	const uint8_t *p = d->pos - n;
	uint64_t rel = 0;

	for (unsigned i = 0; i < n; i++)
		rel |= (uint64_t)p[i] << (64 - 8 * n + 8 * i);
	set(out, kind, detail);
	out->disp = out->size + ((int64_t)rel >> (64 - 8 * n));
}

static void classify_group5(struct insn *out, const struct decode *d)
{
	switch (d->modrm >> 3 & 7) {
	case 2: set(out, INSN_CALL_INDIRECT, X86_PLAIN); break;
	case 3: set(out, INSN_FAR_CALL, X86_PLAIN); break;
	case 4: set(out, INSN_JUMP_INDIRECT, X86_PLAIN); break;
	case 5: set(out, INSN_FAR_JUMP, X86_PLAIN); break;
	}
}

static void classify_one_byte(struct insn *out, const struct decode *d)
{
	switch (d->opcode) {
	case 0x70 ... 0x7f: direct(out, d, INSN_COND, X86_PLAIN, 1); break;
	case 0x9a: set(out, INSN_FAR_CALL, X86_PLAIN); break;
	case 0xa1: if (d->rex2) set(out, INSN_JUMP_INDIRECT, X86_JMPABS); break;
	case 0xc2: case 0xc3: set(out, INSN_RET, X86_PLAIN); break;
	case 0xca: case 0xcb: set(out, INSN_FAR_RET, X86_PLAIN); break;
	case 0xcc: case 0xcd: case 0xce: case 0xf1: set(out, INSN_FAR_CALL, X86_INT); break;
	case 0xcf: set(out, INSN_FAR_RET, X86_IRET); break;
	case 0xe0 ... 0xe3: direct(out, d, INSN_COND, X86_LOOP, 1); break;
	case 0xe8: direct(out, d, INSN_CALL, X86_PLAIN, near_size(d)); break;
	case 0xe9: direct(out, d, INSN_JUMP, X86_PLAIN, near_size(d)); break;
	case 0xea: set(out, INSN_FAR_JUMP, X86_PLAIN); break;
	case 0xeb: direct(out, d, INSN_JUMP, X86_PLAIN, 1); break;
	case 0xff: classify_group5(out, d); break;
	}
}

/* 0F 01 with a register operand: each ModRM byte is an instruction of its own. */
static void classify_group7(struct insn *out, const struct decode *d)
{
	switch (d->modrm) {
	case 0xc1: set(out, INSN_FAR_CALL, X86_VMCALL); break;
	case 0xc2: case 0xc3: set(out, INSN_FAR_RET, X86_VMENTRY); break;
	case 0xca: if (d->rep) set(out, INSN_FAR_RET, X86_IRET); break;	/* erets, eretu; else clac */
	case 0xd9: set(out, INSN_FAR_CALL, X86_VMCALL); break;
	case 0xec: if (d->rep == 0xf3) set(out, INSN_FAR_RET, X86_IRET); break;	/* uiret */
	}
}

static void classify_0f(struct insn *out, const struct decode *d)
{
	switch (d->opcode) {
	case 0x01: classify_group7(out, d); break;
	case 0x05: case 0x34: set(out, INSN_FAR_CALL, X86_SYSCALL); break;
	case 0x07: case 0x35: set(out, INSN_FAR_RET, X86_SYSRET); break;
	case 0x22:
		if ((d->modrm & 0x38) == 0x18)
			set(out, INSN_MOV_CR3, X86_PLAIN);
		break;
	case 0x80 ... 0x8f: direct(out, d, INSN_COND, X86_PLAIN, near_size(d)); break;
	case 0xaa: set(out, INSN_FAR_RET, X86_RSM); break;
	case 0xae:
		if (d->rep == 0xf3 && !d->opsize && (d->modrm & 0x38) == 0x20)
			set(out, INSN_PTWRITE, X86_PLAIN);
		break;
	}
}

int x86_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode)
{
	struct decode d = { .start = code, .pos = code, .end = code + (n < MAX_SIZE ? n : MAX_SIZE), .mode = mode };
	int err;

	*out = (struct insn){ .kind = INSN_OTHER };
	prefixes(&d);
	if (!d.short_code)
		opcode(&d);
	if (!d.short_code) {
		err = pass_operands(&d, operands(&d));
		if (err)
			return err;
	}
	if (d.short_code)
		return n < MAX_SIZE ? -ERANGE : -EINVAL;
	out->size = d.pos - d.start;
	if (!d.vector && d.map == 0)
		classify_one_byte(out, &d);
	else if (!d.vector && d.map == 1)
		classify_0f(out, &d);
	return 0;
}
