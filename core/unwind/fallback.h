/*
 * Frames without a rule: code that somebody made at run time, or wrote without tables, keeps frame pointers, or it is what the
 * kernel lets a signal handler return to.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FALLBACK_H
#define CORE_UNWIND_FALLBACK_H

#include "core/unwind/frame.h"

/*
 * From @f to its caller by frame pointers, as frame_step(). @is_leaf: the return address is still in the link register (of
 * architectures that have one).
 */
enum step frame_pointer_step(struct frame *f, const struct arch *arch, const struct memory *m, bool is_leaf);

/* Longest code of a signal trampoline, bytes. */
#define TRAMPOLINE_MAX	16

/* Is the code, @n bytes at a return address, where signal handlers return to? */
bool is_trampoline(const struct arch *arch, const uint8_t *code, size_t n);
/* To what the signal interrupted, as frame_step(): its registers are on the stack. */
enum step trampoline_step(struct frame *f, const struct arch *arch, const struct memory *m);

/* ---- the procedure linkage table ---- */

#define STUB_MAX 7	/* bytes */

/*
 * Is that at the start of @n bytes what calls into other files go through, a jump to where a word says? The linker makes no
 * unwind tables for those of static programs.
 */
bool is_stub(const struct arch *arch, const uint8_t *code, size_t n);
/* The caller of a function that has not touched the stack; what tables say of the first instruction of most functions. */
enum step entry_step(struct frame *f, const struct arch *arch, const struct memory *m);

#endif
