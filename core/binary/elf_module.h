/*
 * Makes the code of a kernel module as it is in memory, out of the module's file. It lacks only what the kernel patches for the
 * processor.
 * Layer: binary
 */
#ifndef CORE_BINARY_ELF_MODULE_H
#define CORE_BINARY_ELF_MODULE_H

#include "core/binary/elf.h"
#include "core/binary/code_image.h"

/*
 * The kernel's layout of a module's code sections from its base on: in their order, as aligned. Owned by the caller; NULL:
 * not an ET_REL file. Other sections have UINT64_MAX.
 */
uint64_t *elf_file_module_layout(const struct elf_file *e);

/* The address of a symbol of the kernel or of another module, in *addr; false: not known. */
typedef bool elf_symbol_fn(void *ctx, const char *name, uint64_t *addr);
/*
 * The code of @e as it is with its base at @base: branches to other sections and to symbols that @find knows are filled in, calls
 * to the function tracer taken out. *out stays empty if @e is no object file.
 */
void elf_module_code(const struct elf_file *e, uint64_t base, elf_symbol_fn *find, void *ctx, struct code_image *out);

#endif
