/* Reads all unwind tables of an ELF file: .eh_frame (even without section headers), .debug_frame and .ARM.exidx. Layer: unwind */
#ifndef CORE_UNWIND_FILE_TABLES_H
#define CORE_UNWIND_FILE_TABLES_H

#include "core/unwind/rules.h"

struct cfi_functions;

enum { FILE_FRAMES = 2 };

struct file_tables {		/* = {0} is of a file that has none */
	struct cfi_functions *frames[FILE_FRAMES];	/* of .eh_frame, .debug_frame; NULL: there are none. Searched first, */
	struct rule_table whole;			/* then this: of .ARM.exidx, or of code made at run time */
	bool has_file;		/* a file was read */
};

/* The data that a table is compiled from, in a file or an archive. */
struct unwind_section {
	uint32_t kind;			/* index in file_tables.frames; FILE_FRAMES: .ARM.exidx; others are ignored */
	uint8_t word;			/* bytes of an address: 4 or 8 */
	bool until_zero, arm64;		/* as struct cfi_section's */
	uint64_t addr;			/* of the first byte, in the file's own terms */
	uint64_t table, table_size, end;	/* of .ARM.exidx: offset and size of the index in .bytes; end of the code */
	const uint8_t *bytes;		/* borrowed */
	uint64_t size;
};
typedef void unwind_section_fn(void *ctx, const struct unwind_section *s);

/* Calls @fn for each section that file_tables_read() would compile. Returns false if there is no file @image. */
bool unwind_sections_read(const char *image, const char *debug, unwind_section_fn *fn, void *ctx);
/* Compiles @s into @tables, a struct file_tables, unless it has one of that kind. */
void file_tables_add(void *tables, const struct unwind_section *s);

/* Reads the tables of a mapped file, and of that with its debug information; each may be NULL, and they may be the same. */
void file_tables_read(struct file_tables *t, const char *image, const char *debug);
void file_tables_release(struct file_tables *t);
/* The memory in use now, in bytes. */
size_t file_tables_bytes(const struct file_tables *t);
/* The rule at @addr, in the file's own terms; *whose: the table that has it. NULL: there is no rule. */
const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose);

#endif
