/*
 * The unwind tables of a file, out of whatever it has: .eh_frame, with or without section headers, .debug_frame, .ARM.exidx.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FILE_TABLES_H
#define CORE_UNWIND_FILE_TABLES_H

#include "core/unwind/rules.h"

enum { FILE_TABLES = 3 };

struct file_tables {		/* = {0} is of a file that has none */
	struct rule_table v[FILE_TABLES];	/* asked in this order: .eh_frame, .debug_frame, .ARM.exidx */
	bool has_file;		/* there was a file to look into */
};

/* Read the file that was mapped, and the one with its debug information; each may be NULL, and they may be the same. */
void file_tables_read(struct file_tables *t, const char *image, const char *debug);
void file_tables_release(struct file_tables *t);
/* The rule at @addr, in the file's own terms, and whose it is; NULL: none of the tables has one. */
const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose);

#endif
