/*
 * Turns machine instructions into assembler text, with the library capstone. core/code/listing.c uses it for annotated
 * functions, and core/show/script/address_text.c for prec script.
 */
#ifndef CORE_BINARY_DISASM_H
#define CORE_BINARY_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct buf;
struct disasm;

/*
 * Not thread-safe, so each worker has its own. @intel: use Intel's syntax for x86. If prec does not use capstone for @arch,
 * disasm_put() always returns false.
 */
struct disasm *disasm_new(const struct arch *arch, bool intel);
/* The library that cannot be loaded, without which disasm_put() always returns false; NULL: it is loaded. */
const char *disasm_missing(const struct disasm *d);
void disasm_free(struct disasm *d);	/* NULL is fine */

/*
 * Appends the text of the instruction at address @ip, whose bytes are at @code. @bits is the mode as for insn() of struct arch. If
 * the only operand is an address, appends only the mnemonic and a blank, and sets *target to the address; else *target is
 * UINT64_MAX. Returns false, and appends nothing, if capstone does not know the instruction.
 */
bool disasm_put(struct disasm *d, struct buf *out, const uint8_t *code, size_t n, uint64_t ip, unsigned bits, uint64_t *target);

#endif
