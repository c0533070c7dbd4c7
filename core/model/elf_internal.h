/*
 * The inside of an open ELF file, for the files that read it.
 * Layer: model
 */
#ifndef CORE_MODEL_ELF_INTERNAL_H
#define CORE_MODEL_ELF_INTERNAL_H

#include <gelf.h>
#include <stddef.h>

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t section_names;	/* the section that holds them; 0: none */
};

/* The section and its header; NULL: there is none of that name. */
Elf_Scn *elf_section(const struct elf_file *e, const char *name, GElf_Shdr *header);
/* Its contents, in the host's byte order; NULL where there are none in this file. @section may be NULL. */
Elf_Data *elf_contents(Elf_Scn *section);

#endif
