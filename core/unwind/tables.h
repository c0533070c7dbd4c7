/*
 * Keeps the unwind tables of all files that recorded processes have mapped. file_tables.h reads the tables of a file when they
 * are first needed. The unwinder finds rules in the tables through memory_ops.h.
 */
#ifndef CORE_UNWIND_TABLES_H
#define CORE_UNWIND_TABLES_H

#include "core/unwind/memory_ops.h"

struct archive;
struct dso;
struct machine;

/* Loads the file of @dso unless it is loaded. As the parameter @unload: unloads it, so that it is loaded again when needed. */
typedef void load_dso_fn(void *ctx, struct dso *dso);

/*
 * The tables of a file are compiled when they are first needed, once for all processes that map it, and all worker threads share
 * them. Safe from any thread.
 */
struct unwind_tables;
struct unwind_tables *unwind_tables_new(load_dso_fn *load, void *ctx);
/* Makes the tables for the dsos of @m, which is sealed and borrowed. */
struct unwind_tables *unwind_tables_of_machine(const struct machine *m);
/* Implements memory_ops.h for the machine of @t. Borrowed from @t. */
const struct memory_ops *unwind_tables_memory_ops(const struct unwind_tables *t);
void unwind_tables_free(struct unwind_tables *t);

/*
 * Bounds the tables, if the number of files may grow. When they are full, unwind_tables_trim() drops the least recently used
 * half, and calls @unload for their dsos. No thread may use the tables meanwhile. It makes borrowed pointers invalid, which a new
 * unwind_tables_generation() shows.
 */
void unwind_tables_bound(struct unwind_tables *t, load_dso_fn *unload, unsigned max_files, size_t max_bytes);
bool unwind_tables_are_full(const struct unwind_tables *t);
/* True if they have the maximum number of files, so that no other can be opened until they are trimmed. */
bool unwind_tables_lack_files(const struct unwind_tables *t);
/* True if a file could not be opened since the last unwind_tables_trim(), because the process has too many open files. */
bool unwind_tables_lacked_files(const struct unwind_tables *t);
void unwind_tables_trim(struct unwind_tables *t);
unsigned unwind_tables_generation(const struct unwind_tables *t);

/* Adds the sections of all tables that were used to @out->dsos, which has the machine's dsos by number. */
void unwind_tables_archive(struct unwind_tables *t, struct archive *out);
/* The tables of a dso, borrowed and read-only; NULL: the dso is neither a file nor a jitdump. Loads the dso if necessary. */
const struct file_tables *unwind_tables_of(struct unwind_tables *t, struct dso *dso);

#endif
