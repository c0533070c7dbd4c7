/*
 * Computes the code of a loaded kernel module from the module's file, for disassembly and hardware trace. core/model/code.c calls
 * it if there is no copy of the kernel's memory (kcore).
 */
#ifndef CORE_BINARY_ELF_MODULE_H
#define CORE_BINARY_ELF_MODULE_H

#include "core/binary/elf.h"
#include "core/binary/code_image.h"

/*
 * Returns the offset from the module's base at which the kernel places each section with code, by number of the section; UINT64_MAX
 * for other sections. The kernel keeps their order, and aligns them. Owned by the caller; NULL: not an ET_REL file.
 */
uint64_t *elf_file_module_layout(const struct elf_file *e);

/* Gets the address of a symbol of the kernel or of another module; false: unknown. */
typedef bool elf_symbol_fn(void *ctx, const char *name, uint64_t *addr);
/*
 * Makes the code of module @e as loaded at @base. Relocates branches to other sections and to symbols that @find knows, and removes
 * calls of the function tracer. The result lacks the addresses of the module's data, and the instructions that the kernel patches,
 * for example for the processor. *out stays empty if @e is no object file.
 */
void elf_module_code(const struct elf_file *e, uint64_t base, elf_symbol_fn *find, void *ctx, struct code_image *out);

#endif
