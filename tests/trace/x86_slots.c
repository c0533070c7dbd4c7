/*
 * x86_slots: encodings of 64 bit x86, all opcodes with all kinds of operands, as raw bytes on standard output: a slot of 16
 * bytes for each, filled up with nops (0x90), so that a disassembler that goes through all of it meets the beginning of each.
 *
 * Opcodes: all of the maps 0F, 0F38, 0F3A and of one byte, after prefixes and REX; with VEX the maps 1 to 3, with EVEX 1 to
 * 3, 5 and 6. Operands: registers, memory without displacement, with 8 and 32 bits of it, with SIB, with RIP.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/macros.h"

#define SLOT 16

struct encoding { unsigned char bytes[SLOT]; unsigned n; };

static void add(struct encoding *e, unsigned byte)
{
	e->bytes[e->n++] = (unsigned char)byte;
}

/* @reg: the middle bits of ModRM. */
static void put_operands(struct encoding e, unsigned form, unsigned reg)
{
	static const struct { unsigned char modrm, sib; } forms[] = {
		{ 0xc0, 0x90 }, { 0x00, 0x90 }, { 0x41, 0x90 }, { 0x82, 0x90 }, { 0x44, 0x24 }, { 0x05, 0x90 }, { 0x04, 0x25 },
	};

	add(&e, forms[form].modrm | reg << 3);
	add(&e, forms[form].sib);
	memset(e.bytes + e.n, 0x90, SLOT - e.n);
	fwrite(e.bytes, SLOT, 1, stdout);
}

#define NR_FORMS 7

static void put_opcode(struct encoding e, unsigned opcode, unsigned regs)
{
	add(&e, opcode);
	for (unsigned form = 0; form < NR_FORMS; form++)
		for (unsigned reg = 0; reg < 8; reg++)
			if (regs >> reg & 1)
				put_operands(e, form, reg);
}

static void put_legacy(void)
{
	static const unsigned char prefixes[][3] = {
		{ 0 }, { 0x66 }, { 0xf2 }, { 0xf3 }, { 0x48 }, { 0x66, 0x48 }, { 0x67 }, { 0x2e }, { 0x45 }, { 0xf3, 0x4c },
	};
	static const unsigned char maps[][3] = { { 0 }, { 0x0f }, { 0x0f, 0x38 }, { 0x0f, 0x3a } };

	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++)
		for (size_t m = 0; m < ARRAY_SIZE(maps); m++)
			for (unsigned opcode = 0; opcode < 256; opcode++) {
				struct encoding e = {0};

				for (size_t i = 0; prefixes[p][i]; i++)
					add(&e, prefixes[p][i]);
				for (size_t i = 0; maps[m][i]; i++)
					add(&e, maps[m][i]);
				put_opcode(e, opcode, 0xff);
			}
}

static void put_vex(void)
{
	for (unsigned map = 1; map <= 3; map++)
		for (unsigned low = 0; low < 256; low++) {	/* W, vvvv, L, pp */
			unsigned vvvv = low >> 3 & 0xf;

			if (vvvv != 0xf && vvvv != 0x3)
				continue;
			for (unsigned opcode = 0; opcode < 256; opcode++)
				put_opcode((struct encoding){ { 0xc4, 0xe0 | map, (unsigned char)low }, 3 }, opcode, 0x42);
		}
}

static void put_evex(void)
{
	static const unsigned char maps[] = { 1, 2, 3, 5, 6 };

	for (size_t m = 0; m < ARRAY_SIZE(maps); m++)
		for (unsigned w_pp = 0; w_pp < 8; w_pp++)
			for (unsigned last = 0; last < 8; last++)	/* L'L, b */
				for (unsigned opcode = 0; opcode < 256; opcode++)
					put_opcode((struct encoding){ {
						0x62, 0xf0 | maps[m], (unsigned char)(0x7c | (w_pp & 3) | (w_pp & 4) << 5),
						(unsigned char)(0x08 | last << 4) }, 4 }, opcode, 0x02);
}

int main(void)
{
	put_legacy();
	put_vex();
	put_evex();
	return 0;
}
