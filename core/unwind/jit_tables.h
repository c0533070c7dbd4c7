/*
 * Reads the unwind tables of a jitdump (core/model/jit_code.h): the unwind information of all its pieces of code, in one table.
 * Addresses in it are offsets in the file, as those of the code are.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JIT_TABLES_H
#define CORE_UNWIND_JIT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct file_tables;
struct jitdump;

/* Adds the tables of @j to the empty @t. Skips damaged ones. */
void jit_tables_read(struct file_tables *t, const struct jitdump *j);

#endif
