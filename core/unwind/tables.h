/*
 * The unwind tables of a machine's dsos: compiled when the first address in a file is asked for, once however many processes
 * have it mapped and under however many names, and shared by all workers.
 * Those of a recording's machine are its world for unwinders, too.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_TABLES_H
#define CORE_UNWIND_TABLES_H

#include "core/unwind/world.h"

struct archive;
struct dso;
struct machine;

/* Find the dso's file, unless that was done. */
typedef void load_dso_fn(void *ctx, struct dso *dso);

/* Safe from any thread. */
struct unwind_tables;
struct unwind_tables *unwind_tables_new(load_dso_fn *load, void *ctx);
/* Those of a sealed machine, borrowed. */
struct unwind_tables *unwind_tables_of_machine(const struct machine *m);
/* The machine's world, borrowed from its tables. */
const struct unwind_world *unwind_tables_world(const struct unwind_tables *t);
void unwind_tables_free(struct unwind_tables *t);
/* Add the sections of all tables that were asked for to @out->dsos, which are those of the machine by number. */
void unwind_tables_archive(struct unwind_tables *t, struct archive *out);
/* Borrowed, and read-only; NULL: the dso is no file. Loads the dso if nobody has. */
const struct file_tables *unwind_tables_of(struct unwind_tables *t, struct dso *dso);

#endif
