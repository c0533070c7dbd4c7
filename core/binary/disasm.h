/*
 * Turns machine instructions into assembler text, with the library capstone. core/code/listing.c uses it for annotated
 * functions, and core/show/script/address_text.c for prec script.
 * Layer: binary
 */
#ifndef CORE_BINARY_DISASM_H
#define CORE_BINARY_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct buf;
struct disasm;

/* Not thread-safe: each worker has its own. If prec does not use capstone for @arch, no instruction is known. */
struct disasm *disasm_new(const struct arch *arch);
void disasm_free(struct disasm *d);	/* NULL is fine */
/* Selects Intel's syntax for x86. Call it before the first instruction. */
void disasm_use_intel(struct disasm *d);

/*
 * Appends the instruction at @ip with bytes @code; @bits as the mode of struct arch's insn(). If its only operand is an
 * address, appends the mnemonic and a blank, with the address in *target; else *target is UINT64_MAX. Returns false, and
 * appends nothing, if capstone does not know it.
 */
bool disasm_put(struct disasm *d, struct buf *out, const uint8_t *code, size_t n, uint64_t ip, unsigned bits, uint64_t *target);

#endif
