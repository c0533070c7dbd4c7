/*
 * What loading a dso's symbols from files has in common, for load.c and load_kernel.c.
 * Layer: model
 */
#ifndef CORE_MODEL_LOAD_H
#define CORE_MODEL_LOAD_H

#include "core/model/machine_state.h"

#define DEBUG_DIR "/usr/lib/debug"	/* where distributions put debug files */

bool same_build_id(const struct build_id *recorded, const struct build_id *found);
/* @path below the directory of --symfs. Owned by the caller. */
char *below_symfs(const struct machine *m, const char *path);
/* perf's cache: ~/.debug/.build-id/xx/yyyy/@leaf. Owned by the caller; NULL without an id or a home. */
char *cache_path(const struct build_id *id, const char *leaf);
/*
 * Open @path (taken over; NULL: nothing to try) if it is an ELF file with the dso's build id; *used then owns the path.
 * NULL otherwise; where there is another build id, dso->state says DSO_CHANGED.
 */
struct elf_file *open_candidate(struct dso *dso, char *path, const char **used);
/* The file that was mapped, dso->file then; NULL: it is not here. */
struct elf_file *open_image(const struct machine *m, struct dso *dso);
bool has_dwarf(const struct elf_file *e);

/* Both leave dso->state at DSO_NOT_FOUND, or what is more exact, where nothing was found. */
void load_kernel(struct machine *m, struct dso *dso);
void load_module(struct machine *m, struct dso *dso);

#endif
