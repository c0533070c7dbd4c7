/* Frames without a rule. Layer: unwind */
#include "core/unwind/fallback.h"

/* ---- frame pointers ---- */

/* The frame pointer leads to the caller's, and after that is the return address: all ABIs here have it so. */
enum step frame_pointer_step(struct frame *f, const struct arch *arch, const struct memory *m, bool is_leaf)
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
 * Code that libraries (musl, Go's) have for it, and where from the stack pointer on the kernel has left registers then:
 * arch/x86/include/asm/sigframe.h and uapi/asm/sigcontext.h, arch/arm64/kernel/signal.c and uapi/asm/sigcontext.h of Linux.
 */
struct trampoline {
	const struct arch *arch;
	uint8_t code[TRAMPOLINE_MAX];
	uint8_t size;
	uint16_t pc_at;
	uint8_t nr_regs;
	uint16_t reg_at[UNWIND_REGS];	/* by DWARF number */
};

#define X(n) [n] = 312 + 8 * (n)
static const struct trampoline trampolines[] = {
	{	/* mov 15, %rax; syscall */
		&arch_x86_64, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9, 168, 16,
		{ 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96 },
	}, {	/* mov 15, %eax; syscall */
		&arch_x86_64, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7, 168, 16,
		{ 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96 },
	}, {	/* mov x8, 139; svc 0 */
		&arch_arm64, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8, 568, 32,
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

bool is_trampoline(const struct arch *arch, const uint8_t *code, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++) {
		const struct trampoline *t = &trampolines[i];

		if (t->arch == arch && n >= t->size && !memcmp(code, t->code, t->size))
			return true;
	}
	return false;
}

enum step trampoline_step(struct frame *f, const struct arch *arch, const struct memory *m)
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

/* ---- the procedure linkage table ---- */

/* [bnd] jmp *word; of i386, where the word is may count from ebx. An endbr instruction may stand before it. */
bool is_stub(const struct arch *arch, const uint8_t *code, size_t n)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e };
	size_t at = 0;

	if (arch->family != ARCH_X86 || n < STUB_MAX)
		return false;
	if (!memcmp(code, endbr, sizeof(endbr)))
		at = sizeof(endbr) + 1;
	at += code[at] == 0xf2;
	return code[at] == 0xff && (code[at + 1] == 0x25 || (arch->word == 4 && code[at + 1] == 0xa3));
}

enum step entry_step(struct frame *f, const struct arch *arch, const struct memory *m)
{
	uint64_t sp, pc;

	if (arch->link_reg || !frame_reg(f, arch->dwarf_sp, &sp))
		return STEP_BAD;
	if (!frame_read_word(m, arch, sp, &pc))
		return STEP_MEMORY;
	f->known &= arch->dwarf_kept;
	frame_set(f, arch->dwarf_sp, sp + arch->word);
	f->pc = pc;
	f->interrupted = false;
	return pc ? STEP_CALLER : STEP_ROOT;
}
