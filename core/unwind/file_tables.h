/*
 * Reads all unwind tables of a file: .eh_frame, with or without section headers, .debug_frame, .ARM.exidx.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FILE_TABLES_H
#define CORE_UNWIND_FILE_TABLES_H

#include "core/unwind/rules.h"

struct cfi_functions;

enum { FILE_FRAMES = 2 };

struct file_tables {		/* = {0} is of a file that has none */
	struct cfi_functions *frames[FILE_FRAMES];	/* of .eh_frame, .debug_frame; NULL: there are none. Asked first, */
	struct rule_table whole;			/* and then that of .ARM.exidx, or of code made at run time */
	bool has_file;		/* there was a file to look into */
};

/* The input of a table, as it stands in a file or an archive. */
struct unwind_section {
	uint32_t kind;			/* the place in file_tables.frames, after them .ARM.exidx; others are left out */
	uint8_t word;			/* bytes of an address: 4 or 8 */
	bool until_zero, arm64;		/* as struct cfi_section's */
	uint64_t addr;			/* of the first byte, in the file's own terms */
	uint64_t table, table_size, end;	/* of .ARM.exidx: where in the bytes its index is; the end of the code */
	const uint8_t *bytes;		/* borrowed */
	uint64_t size;
};
typedef void unwind_section_fn(void *ctx, const struct unwind_section *s);

/* Call @fn for each, as file_tables_read() would compile them. Returns whether there is the file @image. */
bool unwind_sections_read(const char *image, const char *debug, unwind_section_fn *fn, void *ctx);
/* Compile @s for the struct file_tables @tables, unless that has one of its kind. */
void file_tables_add(void *tables, const struct unwind_section *s);

/* Read the file that was mapped, and the one with its debug information; each may be NULL, and they may be the same. */
void file_tables_read(struct file_tables *t, const char *image, const char *debug);
void file_tables_release(struct file_tables *t);
/* The memory in use now, in bytes. */
size_t file_tables_bytes(const struct file_tables *t);
/* The rule at @addr, in the file's own terms, and whose it is; NULL: none of the tables has one. */
const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose);

#endif
