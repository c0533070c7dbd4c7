/*
 * Defines struct elf_file, an open ELF file, and helpers that read its sections with libelf. The files elf*.c and other readers
 * of sections include elf_internal.h. Code that needs only symbols and segments includes elf.h.
 */
#ifndef CORE_BINARY_ELF_INTERNAL_H
#define CORE_BINARY_ELF_INTERNAL_H

#include <gelf.h>
#include <stddef.h>

#include "core/base/vec.h"

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t section_names;	/* number of the section with the names of sections; 0: none */
	char *unpacked;		/* owned contents of a compressed file; NULL: .elf reads the file itself */
};

#define ELF_UNPACKED_MAX (256u << 20)	/* maximum unpacked bytes of a packed file or section that is not large itself */
#define ELF_LINES_UNPACKED_MAX (4u << 20)	/* the same for one section of line tables */

/* If the file is a compressed ELF file (gzip, xz, zstd), as kernel modules may be, .elf becomes its contents. */
void elf_unpack(struct elf_file *e);
/* Returns the unpacked size that a compressed section claims; UINT64_MAX: unreadable. For other sections, returns their size. */
uint64_t elf_section_unpacked_size(Elf_Scn *section, const GElf_Shdr *header, const char *name);
/* True if the unpacked size that the sections claim is sensible. Call it before libdw opens the file, as libdw unpacks them all. */
bool elf_sections_are_valid(const struct elf_file *e);

/* Finds the section of that name and its header; NULL: there is none. */
Elf_Scn *elf_section(const struct elf_file *e, const char *name, GElf_Shdr *header);
/* The section's name, "" if it has none. */
const char *elf_section_name(const struct elf_file *e, const GElf_Shdr *header);
/* Reads the headers of all sections, by number, so that they are not looked up for each symbol. vec_free(&out->list). */
struct elf_headers { VEC(GElf_Shdr) list; };
void elf_headers(const struct elf_file *e, struct elf_headers *out);
/* Calls @each with the symbols of section @table that have a (borrowed) name, until it returns true. Returns whether it did. */
typedef bool elf_symbol_each_fn(void *arg, const char *name, const GElf_Sym *sym);
bool elf_each_symbol(const struct elf_file *e, const char *table, elf_symbol_each_fn *each, void *arg);
/* The contents of a section, in the host's byte order; NULL if this file does not have them. @section may be NULL. */
Elf_Data *elf_contents(Elf_Scn *section);

/* Finds the first program header of @type, PT_*. False: there is none. */
bool elf_find_segment(const struct elf_file *e, uint32_t type, GElf_Phdr *p);

#endif
