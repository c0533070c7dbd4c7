/*
 * Reads all unwind tables of an ELF file: .eh_frame (even without section headers), .debug_frame and .ARM.exidx. Also reads those
 * of a jitdump (core/model/jitdump.h). tables.h keeps the tables of all mapped files.
 */
#ifndef CORE_UNWIND_FILE_TABLES_H
#define CORE_UNWIND_FILE_TABLES_H

#include "core/unwind/rules.h"

struct cfi_functions;
struct jitdump;

enum { FILE_FRAMES = 2 };

struct file_tables {		/* = {0}: the file has no tables */
	struct cfi_functions *frames[FILE_FRAMES];	/* from .eh_frame and .debug_frame; NULL: missing; searched first */
	struct rule_table whole;			/* from .ARM.exidx, or of code made at run time; searched last */
	bool has_file;		/* the tables are those of an ELF file, which could be read */
};

/* The data that a table is compiled from, in a file or an archive. */
struct unwind_section {
	uint32_t kind;			/* index in file_tables.frames; FILE_FRAMES: .ARM.exidx; others are ignored */
	uint8_t word;			/* bytes of an address: 4 or 8 */
	bool until_zero, arm64;		/* as struct cfi_section's */
	uint64_t addr;			/* virtual address of the first byte in the file */
	uint64_t table, table_size, end;	/* of .ARM.exidx: offset and size of the index in .bytes; end of the code */
	const uint8_t *bytes;		/* borrowed */
	uint64_t size;
};
typedef void unwind_section_fn(void *ctx, const struct unwind_section *s);

/* Calls @fn for each section that file_tables_read() would compile. Returns 0, or -errno if @image cannot be read. */
int unwind_sections_read(const char *image, const char *debug, unwind_section_fn *fn, void *ctx);
/* Compiles @s into @tables, a struct file_tables, unless that has a table of the same kind. */
void file_tables_add(void *tables, const struct unwind_section *s);

/*
 * Reads the tables of the mapped file @image and of its debug file @debug. Each may be NULL, and both may be one file. Returns 0,
 * or -errno if @image cannot be read.
 */
int file_tables_read(struct file_tables *t, const char *image, const char *debug);
/* Adds the tables of all code in @j to the empty @t. An address is the offset of code in the jitdump. Skips damaged tables. */
void jit_tables_read(struct file_tables *t, const struct jitdump *j);
void file_tables_release(struct file_tables *t);
/* The memory in use now, in bytes. */
size_t file_tables_bytes(const struct file_tables *t);
/* The rule at @addr, a virtual address in the file. *whose is the table that has the rule. NULL: there is no rule. */
const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose);

#endif
