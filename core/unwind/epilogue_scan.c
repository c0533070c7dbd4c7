/*
 * Follows x86 code to its return instruction, and adds up what each instruction pops, to find the return address on the stack
 * (epilogue_scan.h). The unwinder needs this for code without unwind tables.
 */
#include "core/unwind/epilogue_scan.h"

#include <endian.h>
#include <string.h>

#include "core/arch.h"

#define INSNS_MAX	48
#define BELOW_MAX	1024

/* Numbers of registers, as in instructions. */
enum { REG_SP = 4, REG_FP = 5 };

struct scan {
	const struct arch *arch;
	struct epilogue_scan *out;
	int depth;
};

struct bytes {			/* the bytes of an instruction, without prefixes */
	const uint8_t *code;
	size_t n;
	uint8_t rex;
};

static struct bytes without_prefixes(const struct arch *arch, const uint8_t *code, size_t n)
{
	struct bytes b = { code, n, 0 };

	while (b.n > 1 && (*b.code == 0x66 || *b.code == 0xf2 || *b.code == 0xf3 || *b.code == 0x2e || *b.code == 0x3e)) {
		b.code++;
		b.n--;
	}
	if (b.n > 1 && arch->word == 8 && (*b.code & 0xf0) == 0x40) {
		b.rex = *b.code++;
		b.n--;
	}
	return b;
}

/* ---- instructions that leave the stack pointer as it is ---- */

/* The operand that an instruction writes: none, the register in ModRM.reg, or the register or memory in ModRM.rm. */
enum writes { NOT_KNOWN, NOTHING, REG, RM };

/* The operand that is written, by the opcode of one byte. Intel SDM vol. 2, appendix A. */
static const uint8_t writes[256] = {
	[0x01] = RM, [0x03] = REG, [0x05] = NOTHING, [0x09] = RM, [0x0b] = REG, [0x21] = RM, [0x23] = REG, [0x25] = NOTHING,
	[0x29] = RM, [0x2b] = REG, [0x2d] = NOTHING, [0x31] = RM, [0x33] = REG, [0x38] = NOTHING, [0x39] = NOTHING,
	[0x3b] = NOTHING, [0x3c] = NOTHING, [0x3d] = NOTHING, [0x63] = REG, [0x80] = RM, [0x81] = RM, [0x83] = RM, [0x84] = NOTHING,
	[0x85] = NOTHING, [0x88] = RM, [0x89] = RM, [0x8b] = REG, [0x8d] = REG, [0x90] = NOTHING, [0xa8] = NOTHING,
	[0xa9] = NOTHING,
	[0xb8] = NOTHING, [0xb9] = NOTHING, [0xba] = NOTHING, [0xbb] = NOTHING, [0xbd] = NOTHING, [0xbe] = NOTHING,
	[0xbf] = NOTHING, [0xc0] = RM, [0xc1] = RM, [0xc6] = RM, [0xc7] = RM, [0xd0] = RM, [0xd1] = RM, [0xf6] = RM, [0xf7] = RM,
};

static bool leaves_stack(const struct bytes *b)
{
	uint8_t op = b->code[0], modrm = b->n > 1 ? b->code[1] : 0;

	if (b->n > 1 && b->code[0] == 0x0f && (b->code[1] == 0x1e || b->code[1] == 0x1f))
		return true;
	switch (writes[op]) {
	case NOTHING:
		return true;
	case REG:
		return (modrm >> 3 & 7) != REG_SP || b->rex & 4;
	case RM:
		return modrm < 0xc0 || (modrm & 7) != REG_SP || b->rex & 1;
	default:
		return false;
	}
}

/* ---- those that move it ---- */

/*
 * A pop below the initial stack pointer only undoes a push of the scanned code. A pop above it restores a register of the caller.
 * The offset of the caller's frame pointer is noted; for other registers only that some are restored.
 */
static bool scan_push_or_pop(struct scan *s, const struct bytes *b)
{
	bool is_fp = (b->code[0] & 7) == REG_FP && !(b->rex & 1);

	if (b->code[0] < 0x58) {
		s->depth -= s->arch->word;
		return true;
	}
	if (s->depth >= 0 && !is_fp)
		s->out->pops_others = true;
	else if (s->depth >= 0 && s->out->fp_at < 0)
		s->out->fp_at = (int16_t)s->depth;
	s->depth += s->arch->word;
	return s->depth <= BELOW_MAX;
}

/* Handles "add n, %rsp" and "sub n, %rsp", in which n has one or four bytes. Returns false for other instructions. */
static bool scan_addition(struct scan *s, const struct bytes *b)
{
	bool is_sub = b->n > 1 && b->code[1] == 0xe8 + REG_SP, is_byte = b->n == 3 && b->code[0] == 0x83;
	int32_t n;

	if ((!is_byte && (b->n != 6 || b->code[0] != 0x81)) || b->rex & 1 || (!is_sub && b->code[1] != 0xc0 + REG_SP))
		return false;
	memcpy(&n, b->code + 2, is_byte ? 1 : sizeof(n));
	n = is_byte ? (int8_t)b->code[2] : (int32_t)le32toh((uint32_t)n);
	if (n < -BELOW_MAX || n > BELOW_MAX)
		return false;
	s->depth += is_sub ? -n : n;
	return true;
}

/* Handles one instruction. Returns false if its effect on the stack pointer is unknown. */
static bool scan_insn(struct scan *s, const uint8_t *code, size_t n)
{
	struct bytes b = without_prefixes(s->arch, code, n);

	if (b.n == 1 && b.code[0] >= 0x50 && b.code[0] < 0x60)
		return scan_push_or_pop(s, &b);
	return scan_addition(s, &b) || leaves_stack(&b);
}

/* ---- the way ---- */

/*
 * Sets @at to the target of a jump or of a forward branch, if the target is within the code. A jump elsewhere is a tail call.
 * Forward branches are taken, because they skip optional code. Backward branches are not, because they repeat a loop.
 */
static bool goes_within(const struct insn *insn, size_t *at, size_t n)
{
	uint64_t to = *at + (uint64_t)insn->disp;

	if (to >= n || (insn->kind != INSN_JUMP && (insn->kind != INSN_COND || insn->disp < 0)))
		return false;
	*at = to;
	return true;
}

static bool arrives(const struct scan *s)
{
	s->out->depth = (uint16_t)s->depth;
	return s->depth >= 0 && s->depth <= BELOW_MAX;
}

static bool follow(struct scan *s, const uint8_t *code, size_t at, size_t n)
{
	struct insn insn;

	for (unsigned i = 0; i < INSNS_MAX && at < n; i++) {
		if (s->arch->insn(&insn, code + at, n - at, s->arch->word * 8) || !insn.size)
			return false;
		s->out->is_straight &= insn.kind != INSN_COND;
		if (goes_within(&insn, &at, n))
			continue;
		switch (insn.kind) {
		case INSN_RET:
		case INSN_JUMP:
		case INSN_JUMP_INDIRECT:
			return arrives(s);
		case INSN_COND:
		case INSN_CALL:
		case INSN_CALL_INDIRECT:
			break;
		case INSN_OTHER:
			if (!scan_insn(s, code + at, insn.size))
				return false;
			break;
		default:
			return false;
		}
		at += insn.size;
	}
	return false;
}

bool find_epilogue(const struct arch *arch, const uint8_t *code, size_t before, size_t n, struct epilogue_scan *out)
{
	struct scan s = { .arch = arch, .out = out };

	*out = (struct epilogue_scan){ .fp_at = -1, .is_straight = true };
	return arch->family == ARCH_X86 && arch->insn && follow(&s, code, before, before + n);
}
