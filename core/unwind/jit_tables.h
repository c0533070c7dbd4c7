/*
 * The unwind tables of a jitdump (core/model/jit_code.h): of each piece of code what was told of its unwinding, in one table, whose
 * addresses are offsets in the file, as those of the code are.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_JIT_TABLES_H
#define CORE_UNWIND_JIT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

struct file_tables;
struct jitdump;

/* Add them to the empty @t. What is damaged is left out. */
void jit_tables_read(struct file_tables *t, const struct jitdump *j);

#endif
