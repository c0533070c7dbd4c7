/*
 * Reads the unwind tables of all code in a jitdump (core/model/jit_code.h) into one table. An address in this table is the
 * offset of the code in the jitdump.
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
