/*
 * Finds the address and file offset of a function or variable in an ELF file, by name. prec record needs them for uprobes,
 * breakpoints and address filters.
 */
#ifndef CORE_BINARY_ELF_SYMBOL_H
#define CORE_BINARY_ELF_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

struct names;

struct elf_position {
	uint64_t vaddr;		/* virtual address in the file */
	uint64_t offset;	/* in the file; UINT64_MAX: it is not in the file (.bss) */
	uint64_t size;		/* 0: unknown */
	uint64_t first_vaddr;	/* virtual address of the first loaded segment */
	bool relocated;		/* the addresses are relative to the address at which the file is loaded (PIE, library) */
};

/* Returns 0, -errno if the file cannot be read, -ENOEXEC if it is not ELF, -ENOENT without that symbol. */
int elf_position_of(const char *path, const char *symbol, struct elf_position *out);
/* Adds the names of the file's functions to @out, which error messages suggest. */
void elf_function_names(const char *path, struct names *out);
/* Calls @each for all named code of .symtab, or else of .dynsym. Returns 0, -errno, or -ENOEXEC if the file is not ELF. */
int elf_functions(const char *path, void (*each)(void *arg, const char *name, const struct elf_position *p, bool global),
		  void *arg);

#endif
