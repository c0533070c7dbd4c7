/*
 * Recognizes signal trampolines and PLT stubs by their code, and finds the caller of a frame without unwind tables: by the frame
 * pointer, or by the known stack layout of such code (fallback.h).
 */
#include "core/unwind/fallback.h"

/* ---- frame pointers ---- */

/* In all ABIs here, the frame pointer is the address of the caller's frame pointer, and the return address is in the next word. */
enum step frame_pointer_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m, bool is_leaf)
{
	uint64_t fp, sp, caller_fp, pc;

	if (is_leaf) {
		f->pc = f->regs[arch->link_reg];
		f->known &= ~(1ull << arch->link_reg);
		f->interrupted = false;
		return STEP_CALLER;
	}
	if (arch == &arch_arm || !frame_reg(f, arch->dwarf_fp, &fp))
		return STEP_BAD;
	if (!fp)
		return STEP_ROOT;
	if (!frame_reg(f, arch->dwarf_sp, &sp) || fp < sp)
		return STEP_BAD;
	if (!frame_read_word(m, arch, fp, &caller_fp) || !frame_read_word(m, arch, fp + arch->word, &pc))
		return STEP_MEMORY;
	f->known = 0;
	frame_set(f, arch->dwarf_fp, caller_fp);
	frame_set(f, arch->dwarf_sp, fp + 2u * arch->word);
	f->pc = pc;
	f->interrupted = false;
	return pc ? STEP_CALLER : STEP_ROOT;
}

/* ---- signals ---- */

/*
 * The code of signal trampolines in libraries (musl, Go), and the offsets from the stack pointer at which the kernel has saved the
 * registers. See arch/x86/include/asm/sigframe.h and uapi/asm/sigcontext.h, arch/arm64/kernel/signal.c and uapi/asm/sigcontext.h
 * of Linux.
 */
struct trampoline {
	const struct arch *arch;
	uint8_t code[TRAMPOLINE_MAX];
	uint8_t size, second;		/* .size: bytes of .code; .second: offset of its second instruction, the system call */
	uint16_t pc_at;			/* offset from the stack pointer of the saved program counter */
	uint8_t nr_regs;
	uint16_t reg_at[UNWIND_REGS];	/* by DWARF number */
};

#define X(n) [n] = 312 + 8 * (n)
static const struct trampoline trampolines[] = {
	{	/* mov 15, %rax; syscall */
		&arch_x86_64, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9, 7, 168, 16,
		{ 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96 },
	}, {	/* mov 15, %eax; syscall */
		&arch_x86_64, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7, 5, 168, 16,
		{ 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96 },
	}, {	/* mov x8, 139; svc 0 */
		&arch_arm64, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8, 4, 568, 32,
		{ X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15),
		  X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30), X(31) },
	},
};
#undef X

static const struct trampoline *trampoline_of(const struct arch *arch)
{
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++)
		if (trampolines[i].arch == arch)
			return &trampolines[i];
	return NULL;
}

static bool is_code_of(const struct trampoline *t, const struct arch *arch, const uint8_t *code, size_t n)
{
	return t->arch == arch && n >= t->size && !memcmp(code, t->code, t->size);
}

bool is_trampoline(const struct arch *arch, const uint8_t *code, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++)
		if (is_code_of(&trampolines[i], arch, code, n))
			return true;
	return false;
}

bool is_in_trampoline(const struct arch *arch, const uint8_t *code, size_t before, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++) {
		size_t second = trampolines[i].second;

		if (second <= before && is_code_of(&trampolines[i], arch, code + before - second, n + second))
			return true;
	}
	return is_trampoline(arch, code + before, n);
}

enum step trampoline_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m)
{
	const struct trampoline *t = trampoline_of(arch);
	uint64_t sp, pc, value;

	if (!t || !frame_reg(f, arch->dwarf_sp, &sp))
		return STEP_BAD;
	if (!frame_read_word(m, arch, sp + t->pc_at, &pc))
		return STEP_MEMORY;
	f->known = 0;
	for (unsigned i = 0; i < t->nr_regs; i++)
		if (frame_read_word(m, arch, sp + t->reg_at[i], &value))
			frame_set(f, i, value);
	f->pc = pc;
	f->interrupted = true;
	return pc ? STEP_CALLER : STEP_ROOT;
}

/* ---- code that linkers bring along ---- */

/* Returns the size of the endbr instruction at @code; 0: there is another instruction. */
static size_t endbr_size(const uint8_t *code, size_t n)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e };

	return n > sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) + 1 : 0;
}

/* A stub of a PLT: [endbr] [bnd] jmp *slot. On i386 the slot may be relative to ebx. */
static bool is_x86_stub(const struct arch *arch, const uint8_t *code, size_t n)
{
	size_t at;

	if (n < 7)
		return false;
	at = endbr_size(code, n);
	at += code[at] == 0xf2;
	return code[at] == 0xff && (code[at + 1] == 0x25 || (arch->word == 4 && code[at + 1] == 0xa3));
}

/*
 * An Arm stub computes an address in ip0 and ip1 (x16, x17), or ip, which calls may change, and jumps to it. Its instructions, as
 * GNU ld (bfd/elfnn-aarch64.c, elf32-arm.c) and lld have them: "Procedure Linkage Table" of the ELF for the Arm Architecture and
 * its 64-bit namesake. Words of code are little-endian, whatever data is.
 */
struct stub_insn {
	const struct arch *arch;
	uint32_t mask, value;
	enum { STUB_MAKES, STUB_GOES, STUB_PUSHES } does;
};

static const struct stub_insn stub_insns[] = {
	{ &arch_arm64, 0x1f00001f, 0x10000010, STUB_MAKES },	/* adr, adrp x16, place */
	{ &arch_arm64, 0x1f00001f, 0x10000011, STUB_MAKES },	/* adr, adrp x17, place */
	{ &arch_arm64, 0xffc003ff, 0xf9400211, STUB_MAKES },	/* ldr x17, [x16, n] */
	{ &arch_arm64, 0xff00001f, 0x58000010, STUB_MAKES },	/* ldr x16, place */
	{ &arch_arm64, 0xff8003ff, 0x91000210, STUB_MAKES },	/* add x16, x16, n */
	{ &arch_arm64, 0xffffffff, 0x8b110210, STUB_MAKES },	/* add x16, x16, x17 */
	{ &arch_arm64, 0xffffffff, 0xd503245f, STUB_MAKES },	/* bti c */
	{ &arch_arm64, 0xffffffff, 0xd503219f, STUB_MAKES },	/* autia1716 */
	{ &arch_arm64, 0xffffffdf, 0xd61f0200, STUB_GOES },	/* br x16; br x17 differs in a bit of the mask */
	{ &arch_arm64, 0xffffffff, 0xa9bf7bf0, STUB_PUSHES },	/* stp x16, x30, [sp, -16]! */
	{ &arch_arm, 0xffffffff, 0x46c04778, STUB_MAKES },	/* Thumb: bx pc; nop */
	{ &arch_arm, 0xfffff000, 0xe28fc000, STUB_MAKES },	/* add ip, pc, n */
	{ &arch_arm, 0xfffff000, 0xe28cc000, STUB_MAKES },	/* add ip, ip, n */
	{ &arch_arm, 0xfffff000, 0xe59fc000, STUB_MAKES },	/* ldr ip, place */
	{ &arch_arm, 0xffffffff, 0xe08cc00f, STUB_MAKES },	/* add ip, ip, pc */
	{ &arch_arm, 0xffffffff, 0xe08fc00c, STUB_MAKES },	/* add ip, pc, ip */
	{ &arch_arm, 0xfff0f000, 0xe300c000, STUB_MAKES },	/* movw ip, n */
	{ &arch_arm, 0xfff0f000, 0xe340c000, STUB_MAKES },	/* movt ip, n */
	{ &arch_arm, 0xfffff000, 0xe5bcf000, STUB_GOES },	/* ldr pc, [ip, n]! */
	{ &arch_arm, 0xfffff000, 0xe59cf000, STUB_GOES },	/* ldr pc, [ip, n] */
	{ &arch_arm, 0xffffffff, 0xe51ff004, STUB_GOES },	/* ldr pc, [pc, -4] */
	{ &arch_arm, 0xffffffff, 0xe12fff1c, STUB_GOES },	/* bx ip */
};

/* Returns the row for the instruction at @code; NULL: PLT stubs have no such instruction. */
static const struct stub_insn *stub_insn_at(const struct arch *arch, const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	word = le32toh(word);
	for (size_t i = 0; i < ARRAY_SIZE(stub_insns); i++)
		if (stub_insns[i].arch == arch && (word & stub_insns[i].mask) == stub_insns[i].value)
			return &stub_insns[i];
	return NULL;
}

/* Finds a stub around the address @before bytes after @code. The head of the PLT pushes first, and continues like other stubs. */
static enum stub find_arm_stub(const struct arch *arch, const uint8_t *code, size_t before, size_t n)
{
	enum stub found = STUB_UNTOUCHED;
	const struct stub_insn *insn;

	for (size_t at = before; at >= 4; at -= 4) {
		insn = stub_insn_at(arch, code + at - 4);
		if (insn && insn->does == STUB_PUSHES)
			found = STUB_PUSHED;
		if (!insn || insn->does != STUB_MAKES)
			break;
	}
	for (size_t at = before; at + 4 <= before + n; at += 4) {
		insn = stub_insn_at(arch, code + at);
		if (!insn)
			break;
		if (insn->does == STUB_GOES)
			return found;
	}
	return STUB_NONE;
}

enum stub find_stub(const struct arch *arch, const uint8_t *code, size_t before, size_t n)
{
	if (arch->family == ARCH_X86)
		return is_x86_stub(arch, code + before, n) ? STUB_UNTOUCHED : STUB_NONE;
	return arch->family == ARCH_ARM ? find_arm_stub(arch, code, before, n) : STUB_NONE;
}

unsigned stub_push(const struct arch *arch)
{
	return 2u * arch->word;
}

enum step entry_step(struct unwind_frame *f, const struct arch *arch, unsigned pushed, const struct memory *m)
{
	uint64_t sp, pc;

	if (!frame_reg(f, arch->dwarf_sp, &sp))
		return STEP_BAD;
	sp += pushed;
	if (arch->link_reg) {
		if (!frame_reg(f, arch->link_reg, &pc))
			return STEP_BAD;
	} else {
		if (!frame_read_word(m, arch, sp, &pc))
			return STEP_MEMORY;
		sp += arch->word;
	}
	f->known &= arch->dwarf_kept;
	frame_set(f, arch->dwarf_sp, sp);
	f->pc = pc & ~arch->pc_flags;
	f->interrupted = false;
	return pc ? STEP_CALLER : STEP_ROOT;
}
