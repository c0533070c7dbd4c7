/*
 * Compiles each entry of .ARM.exidx to an unwind rule that refers to the unwind instructions of the function. Runs these
 * instructions to find the caller of a frame.
 */
#include "core/unwind/exidx.h"

#define CANT_UNWIND	1u
#define COMPACT		0x80000000u	/* set in a word that has instructions, and no address */
#define ENTRIES_MAX	(1u << 22)
#define WORDS_MAX	255		/* maximum number of words of instructions after the first; their number is a byte */

#define R_SP 13
#define R_LR 14
#define R_PC 15

/* ---- compiling ---- */

struct program {
	uint8_t bytes[4 + 4 * WORDS_MAX];
	uint32_t size;
};

/* Decodes @word, at address @at: its low 31 bits are the signed distance from @at to the result (R_ARM_PREL31). */
static uint64_t prel31(uint64_t at, uint32_t word)
{
	return (uint32_t)(at + (uint64_t)((int64_t)((uint64_t)word << 33) >> 33));
}

static bool read_word(const struct exidx_image *image, uint64_t addr, uint32_t *word)
{
	uint64_t v;

	if (!image->read(image->ctx, addr, 4, &v))
		return false;
	*word = (uint32_t)v;
	return true;
}

/* Adds the low @n bytes of @word to the instructions, the most significant first. */
static void add_bytes(struct program *p, uint32_t word, unsigned n)
{
	while (n--)
		p->bytes[p->size++] = (uint8_t)(word >> 8 * n);
}

static bool read_more(const struct exidx_image *image, uint64_t at, unsigned nr, struct program *p)
{
	uint32_t word;

	for (unsigned i = 0; i < nr; i++) {
		if (!read_word(image, at + 4 * i, &word))
			return false;
		add_bytes(p, word, 4);
	}
	return true;
}

/* Reads the instructions for one of the ABI's personality routines: three bytes in @word for routine 0, else two and more words. */
static bool read_compact(const struct exidx_image *image, uint64_t at, uint32_t word, struct program *p)
{
	unsigned index = word >> 24 & 0xf;

	if (index > 2)
		return false;
	add_bytes(p, word, index ? 2 : 3);
	return !index || read_more(image, at + 4, word >> 16 & 0xff, p);
}

/* Reads an entry of .ARM.extab. If it begins with the address of a personality routine, assumes the layout that compilers use. */
static bool read_extab(const struct exidx_image *image, uint64_t at, struct program *p)
{
	uint32_t word;

	if (!read_word(image, at, &word))
		return false;
	if (word & COMPACT)
		return read_compact(image, at, word, p);
	if (!read_word(image, at + 4, &word))
		return false;
	add_bytes(p, word, 3);
	return read_more(image, at + 8, word >> 24, p);
}

/*
 * True if the instructions restore the stack pointer and the program counter from the stack, as only signal trampolines do (glibc,
 * sysdeps/unix/sysv/linux/arm/sigrestorer.S).
 */
static bool restores_all(const struct program *p)
{
	struct bytes b = { p->bytes, p->bytes + p->size, false };
	unsigned mask;

	while (bytes_left(&b)) {
		uint8_t op = bytes_u8(&b);

		if (op == 0xb2)
			bytes_uleb(&b);
		if (op == 0xb1 || op == 0xb3 || (op >= 0xc6 && op <= 0xc9))
			bytes_u8(&b);
		if ((op & 0xf0) != 0x80)
			continue;
		mask = ((op & 0xfu) << 8 | bytes_u8(&b)) << 4;
		if (mask & 1u << R_SP && mask & 1u << R_PC)
			return true;
	}
	return false;
}

static uint32_t keep_rule(struct rule_table *out, const struct exidx_image *image, uint64_t at, uint32_t word)
{
	struct rule r = { .cfa = CFA_EXIDX, .return_reg = R_PC };
	struct program p = { .size = 0 };

	if (word == CANT_UNWIND) {
		r = (struct rule){ .cfa = CFA_REGISTER, .cfa_reg = R_SP, .return_reg = R_PC, .nr_saved = 1 };
		r.saved[0] = (struct saved){ .reg = R_PC, .how = SAVED_NOWHERE };
		return rule_table_keep(out, &r);
	}
	if (word & COMPACT ? word >> 24 & 0x7f || !read_compact(image, at, word, &p) : !read_extab(image, prel31(at, word), &p))
		return 0;
	r.cfa_value = rule_table_keep_program(out, p.bytes, p.size);
	r.flags = restores_all(&p) ? RULE_SIGNAL : 0;
	return rule_table_keep(out, &r);
}

void exidx_compile(struct rule_table *out, const struct exidx_image *image)
{
	uint64_t last = 0;
	uint32_t first, second;

	for (uint64_t i = 0; i < MIN(image->size / 8, ENTRIES_MAX); i++) {
		uint64_t at = image->addr + 8 * i, start;

		if (!read_word(image, at, &first) || !read_word(image, at + 4, &second))
			break;
		start = prel31(at, first);
		if (first & COMPACT || start < last)
			continue;
		if (!i)
			out->base = start;
		rule_table_add(out, start, keep_rule(out, image, at + 4, second));
		last = start;
	}
	if (image->end > last)
		rule_table_add(out, image->end, 0);
	rule_table_finish(out);
}

/* ---- running: EHABI32, section 10.3 ---- */

struct popper {
	struct unwind_frame *frame;
	const struct memory *memory;
	struct bytes program;
	uint32_t vsp;
	bool has_pc;
	enum step end;		/* STEP_CALLER until an instruction fails */
};

/* Pops the registers in @mask, whose bit 0 is register number @first. If the stack pointer is popped, it is the new .vsp. */
static void pop_regs(struct popper *p, unsigned first, unsigned mask)
{
	bool has_sp = (mask << first) & 1u << R_SP;
	uint64_t value;

	for (unsigned reg = first; mask; reg++, mask >>= 1) {
		if (!(mask & 1))
			continue;
		if (!p->memory->read(p->memory->ctx, p->vsp, 4, &value)) {
			p->end = STEP_MEMORY;
			return;
		}
		frame_set(p->frame, reg, value);
		p->vsp += 4;
		p->has_pc |= reg == R_PC;
	}
	if (has_sp)
		p->vsp = (uint32_t)p->frame->regs[R_SP];
}

static void set_vsp(struct popper *p, unsigned reg)
{
	uint64_t value;

	if (reg == R_SP || reg == R_PC || !frame_reg(p->frame, reg, &value))
		p->end = STEP_BAD;
	else
		p->vsp = (uint32_t)value;
}

static void pop_masked(struct popper *p, uint8_t op)
{
	unsigned mask = (op & 0xfu) << 8 | bytes_u8(&p->program);

	if (mask)
		pop_regs(p, 4, mask);
	else
		p->end = STEP_BAD;	/* "refuse to unwind" */
}

static void run_spare(struct popper *p, uint8_t op)
{
	switch (op) {
	case 0xb0:		/* finish */
		p->program.pos = p->program.end;
		break;
	case 0xb1:
		pop_regs(p, 0, bytes_u8(&p->program) & 0xf);
		break;
	case 0xb2:
		p->vsp += 0x204 + ((uint32_t)bytes_uleb(&p->program) << 2);
		break;
	case 0xb3:		/* VFP registers as FSTMFDX stores them, with an additional word */
		p->vsp += 8 * ((bytes_u8(&p->program) & 0xfu) + 1) + 4;
		break;
	case 0xb4:		/* the signature of the return address */
		p->vsp += 4;
		break;
	case 0xb8 ... 0xbf:
		p->vsp += 8 * ((op & 7u) + 1) + 4;
		break;
	case 0xc6:
	case 0xc8:
	case 0xc9:
		p->vsp += 8 * ((bytes_u8(&p->program) & 0xfu) + 1);
		break;
	case 0xc0 ... 0xc5:
	case 0xd0 ... 0xd7:
		p->vsp += 8 * ((op & 7u) + 1);
		break;
	case 0xc7:
		p->vsp += 4 * (unsigned)__builtin_popcount(bytes_u8(&p->program) & 0xfu);
		break;
	default:
		p->end = STEP_BAD;
	}
}

static void run_one(struct popper *p)
{
	uint8_t op = bytes_u8(&p->program);

	switch (op) {
	case 0x00 ... 0x3f:
		p->vsp += ((op & 0x3fu) << 2) + 4;
		break;
	case 0x40 ... 0x7f:
		p->vsp -= ((op & 0x3fu) << 2) + 4;
		break;
	case 0x80 ... 0x8f:
		pop_masked(p, op);
		break;
	case 0x90 ... 0x9f:
		set_vsp(p, op & 0xf);
		break;
	case 0xa0 ... 0xaf:
		pop_regs(p, 4, (1u << ((op & 7) + 1)) - 1);
		if (op & 8 && p->end == STEP_CALLER)
			pop_regs(p, R_LR, 1);
		break;
	default:
		run_spare(p, op);
	}
}

enum step exidx_run(struct bytes program, struct unwind_frame *f, const struct memory *m)
{
	struct popper p = { .frame = f, .memory = m, .program = program, .end = STEP_CALLER };
	uint64_t value, old_sp, old_pc = f->pc;

	if (!frame_reg(f, R_SP, &old_sp))
		return STEP_BAD;
	p.vsp = (uint32_t)old_sp;
	while (bytes_left(&p.program) && p.end == STEP_CALLER) {
		run_one(&p);
		if (p.program.bad)
			p.end = STEP_BAD;
	}
	if (p.end != STEP_CALLER)
		return p.end;
	if (!frame_reg(f, p.has_pc ? R_PC : R_LR, &value))
		return STEP_BAD;
	frame_set(f, R_SP, p.vsp);
	f->pc = value & ~1ull;
	f->interrupted = false;
	if (!f->pc || (f->pc == old_pc && p.vsp == old_sp))
		return STEP_ROOT;
	return STEP_CALLER;
}
