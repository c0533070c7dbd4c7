/*
 * Finds the caller of a frame whose code has no unwind tables. It follows frame pointers, or recognizes signal trampolines and
 * PLT stubs by their instructions.
 */
#ifndef CORE_UNWIND_FALLBACK_H
#define CORE_UNWIND_FALLBACK_H

#include "core/unwind/frame.h"

/*
 * Replaces @f by its caller, as frame_step() does, by frame pointers. @is_leaf: the return address is still in the link register.
 * Never set it for an architecture without link register.
 */
enum step frame_pointer_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m, bool is_leaf);

/* Maximum size of a signal trampoline's code, bytes. */
#define TRAMPOLINE_MAX	16

/* True if the @n bytes of code at a return address are a signal trampoline. */
bool is_trampoline(const struct arch *arch, const uint8_t *code, size_t n);
/* The same for an address within a trampoline, @before bytes after the start of @before + @n bytes of code. */
bool is_in_trampoline(const struct arch *arch, const uint8_t *code, size_t before, size_t n);
/* Replaces @f by the code that the signal interrupted, as frame_step() does. The kernel has saved its registers on the stack. */
enum step trampoline_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m);

/* ---- PLT stubs ---- */

#define STUB_BEFORE	24	/* find_stub() needs so many bytes of code before an address, */
#define STUB_MAX	28	/* and so many from it on */

enum stub {
	STUB_NONE,
	STUB_UNTOUCHED,	/* the stack and the link register are as the call left them */
	STUB_PUSHED,	/* PLT0 of arm64 has pushed stub_push() bytes */
};

/*
 * Checks if the code after the first @before of @before + @n bytes is a PLT stub: a jump through a word in memory. Linkers make
 * no unwind tables for stubs on Arm, nor for those of static programs on x86.
 */
enum stub find_stub(const struct arch *arch, const uint8_t *code, size_t before, size_t n);
/* The number of bytes that a STUB_PUSHED stub has pushed. */
unsigned stub_push(const struct arch *arch);
/* Replaces @f by its caller if its code has only pushed @pushed bytes: 0 at the first instruction of most functions. */
enum step entry_step(struct unwind_frame *f, const struct arch *arch, unsigned pushed, const struct memory *m);

#endif
