/* See cs_program.h. */
#include "tests/trace/cs_program.h"

#include "arch/arm64/insn.h"
#include "core/arch.h"
#include "tests/trace/cs_encode.h"

static void put(struct buf *image, uint32_t v, unsigned size)
{
	char bytes[4] = { (char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24) };

	buf_put(image, bytes, size);
}

#define MOST_RANDOM	1000	/* from here on: what other decoders do not know */

static uint32_t a64(const struct cs_code_insn *i, int64_t disp, uint64_t r)
{
	uint32_t words = (uint32_t)(disp / 4);
	static const uint32_t other[] = { 0xd503201f, 0x91000400, 0xf9400020, 0xd4000001, 0xd503233f, 0x58000080 };
	static const uint32_t rets[] = { 0xd65f03c0, 0xd65f0bff, 0xd65f0fff };
	static const uint32_t jumps[] = { 0xd61f0200, 0xd71f0a11, 0xd61f0a1f };
	static const uint32_t calls[] = { 0xd63f0100, 0xd73f0909, 0xd63f091f };
	static const uint32_t texits[] = { 0xd6ff03e0, 0xd6ff07e0 };

	switch (i->kind) {
	case INSN_JUMP:
		return 0x14000000 | (words & 0x3ffffff);
	case INSN_CALL:
		return 0x94000000 | (words & 0x3ffffff);
	case INSN_COND:
		return (r % 3 == 0 ? 0x54000001u : r % 3 == 1 ? 0xb4000003u : 0x54000011u) | (words & 0x7ffff) << 5;
	case INSN_RET:
		return rets[r % 3];
	case INSN_JUMP_INDIRECT:
		return r >= MOST_RANDOM ? texits[r % 2] : jumps[r % 3];
	case INSN_CALL_INDIRECT:
		return calls[r % 3];
	case INSN_ISB:
		return 0xd5033fdf;
	default:
		return other[r % ARRAY_SIZE(other)];
	}
}

static uint32_t a32(const struct cs_code_insn *i, int64_t disp, uint64_t r)
{
	uint32_t words = (uint32_t)((disp - 8) / 4);
	static const uint32_t other[] = { 0xe1a00000, 0xe2811001, 0xe5910000, 0xef000000, 0xe3003001 };
	static const uint32_t rets[] = { 0xe12fff1e, 0xe8bd8010, 0xe49df004, 0xe1a0f00e };
	static const uint32_t jumps[] = { 0xe12fff13, 0xe79ff103, 0xe08ff103 };

	switch (i->kind) {
	case INSN_JUMP:
		return 0xea000000 | (words & 0xffffff);
	case INSN_CALL:
		return 0xeb000000 | (words & 0xffffff);
	case INSN_COND:
		return 0x1a000000 | (words & 0xffffff);
	case INSN_FAR_JUMP:	/* blx label */
		return 0xfa000000 | (words & 0xffffff) | (uint32_t)((disp - 8) >> 1 & 1) << 24;
	case INSN_RET:
		return rets[r % 4];
	case INSN_JUMP_INDIRECT:
		return jumps[r % 3];
	case INSN_CALL_INDIRECT:
		return 0xe12fff33;
	case INSN_ISB:
		return 0xf57ff06f;
	default:
		return other[r % ARRAY_SIZE(other)];
	}
}

/* The first half in the lower 16 bits, as it is in memory. */
static uint32_t t32_far(int64_t disp, uint32_t second)
{
	uint32_t d = (uint32_t)(disp - 4), s = d >> 24 & 1, j1 = !(d >> 23 & 1) ^ s, j2 = !(d >> 22 & 1) ^ s;

	return (0xf000 | s << 10 | (d >> 12 & 0x3ff)) | (second | j1 << 13 | j2 << 11 | (d >> 1 & 0x7ff)) << 16;
}

static uint32_t t32_near(int64_t disp)
{
	uint32_t d = (uint32_t)(disp - 4);

	return (0xf040 | (d >> 20 & 1) << 10 | (d >> 12 & 0x3f)) |
	       (0x8000 | (d >> 18 & 1) << 13 | (d >> 19 & 1) << 11 | (d >> 1 & 0x7ff)) << 16;
}

static uint32_t t32(const struct cs_code_insn *i, int64_t disp, uint64_t r)
{
	static const uint32_t narrow[] = { 0xbf00, 0x3001, 0x6808, 0xdf00, 0xbf08 };
	static const uint32_t wide[] = { 0x8000f3af, 0x0101f101, 0x0000f8d1 };

	switch (i->kind) {
	case INSN_JUMP:
		return t32_far(disp, 0x9000);
	case INSN_CALL:
		return t32_far(disp, 0xd000);
	case INSN_COND:
		return t32_near(disp);
	case INSN_FAR_JUMP:	/* blx label: from the address rounded down */
		return t32_far((disp + 3) & ~3ll, 0xc000);
	case INSN_RET:
		return i->size == 2 ? (r % 2 ? 0x4770 : 0xbd10) : 0xfb04f85d;
	case INSN_JUMP_INDIRECT:
		return i->size == 2 ? 0x469f : 0xf003e8df;
	case INSN_CALL_INDIRECT:
		return 0x4798;
	case INSN_ISB:
		return 0x8f6ff3bf;
	default:
		return i->size == 2 ? narrow[r % ARRAY_SIZE(narrow)] : wide[r % ARRAY_SIZE(wide)];
	}
}

static uint8_t random_kind(struct cs_unit *u, bool arm)
{
	static const uint8_t kinds[] = { INSN_COND, INSN_COND, INSN_COND, INSN_JUMP, INSN_CALL, INSN_CALL, INSN_RET, INSN_RET,
		INSN_JUMP_INDIRECT, INSN_CALL_INDIRECT, INSN_ISB, INSN_FAR_JUMP };

	if (cs_unit_random(u, 5))
		return INSN_OTHER;
	return kinds[cs_unit_random(u, ARRAY_SIZE(kinds) - !arm)];
}

static uint8_t size_of(struct cs_unit *u, uint8_t kind, unsigned mode)
{
	if (mode != 16)
		return 4;
	switch (kind) {
	case INSN_OTHER:
	case INSN_RET:
	case INSN_JUMP_INDIRECT:
		return cs_unit_random(u, 2) ? 2 : 4;
	case INSN_CALL_INDIRECT:
		return 2;
	default:
		return 4;
	}
}

/* A target of a branch out of instruction @i: of the same instruction set, or for blx of the other one. */
static size_t random_target(struct cs_unit *u, const struct cs_program *p, size_t i)
{
	size_t nr = p->insns.nr, cut = p->switch_at;
	bool first = (i < cut) != (p->insns.v[i].kind == INSN_FAR_JUMP);

	if (cut == nr)
		return cs_unit_random(u, nr);
	return first ? cs_unit_random(u, cut) : cut + cs_unit_random(u, nr - cut);
}

void cs_program_make(struct cs_program *p, struct cs_unit *u, const struct cs_program_form *form, size_t nr)
{
	uint64_t ip = form->high ? 0xffff800010080000ull : 0x400000;

	*p = (struct cs_program){ .switch_at = form->arm ? nr / 2 : nr };
	for (size_t i = 0; i < nr; i++) {
		unsigned mode = !form->arm ? 64 : i < nr / 2 ? 32 : 16;
		uint8_t kind = random_kind(u, form->arm);

		/* Whoever runs off the end or from A32 into T32 would be lost. */
		if (i == nr - 1 || i + 1 == p->switch_at)
			kind = INSN_JUMP;
		vec_push(&p->insns, (struct cs_code_insn){ ip, size_of(u, kind, mode), kind, (uint8_t)mode, 0 });
		ip += p->insns.v[i].size;
	}
	for (size_t i = 0; i < nr; i++) {
		struct cs_code_insn *in = &p->insns.v[i];
		uint64_t r = cs_unit_random(u, MOST_RANDOM);
		int64_t disp;

		if (form->texit)
			r += r % 3 * MOST_RANDOM;
		in->to = random_target(u, p, i);
		disp = (int64_t)(p->insns.v[in->to].ip - in->ip);
		put(&p->image, in->mode == 64 ? a64(in, disp, r) : in->mode == 32 ? a32(in, disp, r) : t32(in, disp, r),
		    in->size);
	}
}
