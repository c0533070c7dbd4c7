/*
 * Unwinds frames that have no unwind table: by frame pointers, or by the known code of signal trampolines and PLT stubs.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FALLBACK_H
#define CORE_UNWIND_FALLBACK_H

#include "core/unwind/frame.h"

/*
 * From @f to its caller by frame pointers, as frame_step(). @is_leaf: the return address is still in the link register (of
 * architectures that have one).
 */
enum step frame_pointer_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m, bool is_leaf);

/* Longest code of a signal trampoline, bytes. */
#define TRAMPOLINE_MAX	16

/* True if the code, @n bytes at a return address, is a signal trampoline. */
bool is_trampoline(const struct arch *arch, const uint8_t *code, size_t n);
/* The same of the code after the first @before of @before + @n bytes, of which some instructions may have run. */
bool is_in_trampoline(const struct arch *arch, const uint8_t *code, size_t before, size_t n);
/* Steps to the code that the signal interrupted, as frame_step(). Its registers are on the stack. */
enum step trampoline_step(struct unwind_frame *f, const struct arch *arch, const struct memory *m);

/* ---- PLT stubs ---- */

#define STUB_BEFORE	24	/* bytes of code before an address that find_stub() needs, */
#define STUB_MAX	28	/* and bytes from the address on */

enum stub {
	STUB_NONE,
	STUB_UNTOUCHED,	/* the stack and the link register are as the call left them */
	STUB_PUSHED,	/* stub_push() bytes are on the stack: PLT0 of arm64 pushed them */
};

/*
 * Finds out if the code after the first @before of @before + @n bytes is a PLT stub, a jump through a word in memory. Linkers
 * make no unwind tables for stubs on Arm, nor for those of static programs on x86.
 */
enum stub find_stub(const struct arch *arch, const uint8_t *code, size_t before, size_t n);
/* The bytes that are on the stack in a STUB_PUSHED stub. */
unsigned stub_push(const struct arch *arch);
/* Steps to the caller of code that has only pushed @pushed bytes: 0 at the first instruction of most functions. */
enum step entry_step(struct unwind_frame *f, const struct arch *arch, unsigned pushed, const struct memory *m);

#endif
