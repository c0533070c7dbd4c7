/*
 * Compiles DWARF call frame information (.eh_frame and .debug_frame) into tables of unwind rules (rules.h). file_tables.c finds the
 * sections in ELF and jitdump files.
 * Sources: DWARF 5, section 6.4; for .eh_frame also the Linux Standard Base, "Exception Frames".
 */
#ifndef CORE_UNWIND_CFI_H
#define CORE_UNWIND_CFI_H

#include "core/unwind/cfi_section.h"
#include "core/unwind/rules.h"

/*
 * Compiles all valid entries of @nr sections, sorted by .from to .to, into the empty @out, and finishes it. Skips invalid
 * entries: sections are hostile. Takes time linear in their size.
 */
void cfi_compile_all(struct rule_table *out, const struct cfi_section *s, size_t nr);

/*
 * The functions of a section. Each is compiled into a table of its own when it is first needed, because most programs are much
 * larger than the part of them that runs. Safe from any thread.
 */
struct cfi_functions;
/* Lists the functions of @s, and copies the section's bytes. */
struct cfi_functions *cfi_functions_new(const struct cfi_section *s);
void cfi_functions_free(struct cfi_functions *f);
/* The table of the function that contains @addr, compiled if necessary; borrowed and read-only. NULL: there is no function. */
const struct rule_table *cfi_functions_find(struct cfi_functions *f, uint64_t addr);
/* The number of functions, and the table of function @i in order of address. */
size_t cfi_functions_nr(const struct cfi_functions *f);
const struct rule_table *cfi_functions_table(struct cfi_functions *f, size_t i);
/* The memory in use now, in bytes. */
size_t cfi_functions_bytes(const struct cfi_functions *f);

#endif
