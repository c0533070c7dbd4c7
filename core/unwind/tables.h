/*
 * The unwind tables of a machine's dsos: compiled when the first address in a file is asked for, once however many processes
 * have it mapped and under however many names, and shared by all workers.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_TABLES_H
#define CORE_UNWIND_TABLES_H

#include "core/unwind/file_tables.h"

struct dso;
struct machine;

/* Safe from any thread; @m is sealed, and borrowed. */
struct unwind_tables;
struct unwind_tables *unwind_tables_new(const struct machine *m);
void unwind_tables_free(struct unwind_tables *t);
/* Borrowed, and read-only; NULL: the dso is no file. Loads the dso if nobody has. */
const struct file_tables *unwind_tables_of(struct unwind_tables *t, struct dso *dso);

#endif
