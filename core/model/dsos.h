/* Keeps the list of all dsos (mapped files, dso.h) of a recording, and finds a dso by its path and its build id. */
#ifndef CORE_MODEL_DSOS_H
#define CORE_MODEL_DSOS_H

#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/vec.h"
#include "core/model/dso.h"

struct map;

struct path_build_id { const char *path; struct build_id id; };	/* a build id from another source than maps */

struct dsos {
	struct strtab *strings;		/* borrowed */
	VEC(struct dso *) list;		/* owned */
	struct index by_path;		/* by the interned path; a module by its name */
	VEC(struct path_build_id) path_ids;
	struct index by_id_path;
};

#define KERNEL_NAME "[kernel.kallsyms]"
#define VDSO32 "[vdso32]"		/* the vdso of 32-bit programs on a 64-bit kernel */

/* The kind of a user-space mapping of @filename. */
enum dso_kind dso_kind_of(const char *filename);
/* True for the map of memory without a file, in which a JIT compiler may put code. */
bool is_anonymous(const char *filename);

/* The dso of @kind at @path (for a module: its file or "[name]"), made if new; borrowed. @id: its build id; NULL: unknown. */
struct dso *dsos_find(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id);
/* The same for @map of a process: if @map has an inode, files with other inodes at the same path are other dsos. */
struct dso *dsos_find_mapped(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id,
			     const struct map *map);
/* Makes a dso for the kernel of a guest, or for a module of it. No two guests share a dso, even of the same name. Borrowed. */
struct dso *dsos_add_guest(struct dsos *d, const char *path);
/* Sets the reference symbol of @kernel to that in @filename ("[kernel.kallsyms]_text"), and its address to @addr. */
void dsos_set_reference(struct dsos *d, struct dso *kernel, const char *filename, uint64_t addr);
/* The dso of @kind at @path with exactly the build id @id; NULL: no dso has it. */
struct dso *dsos_find_known(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id);
/* Adds the build id of the file at @path from another source than its maps. @kernel: the file is the kernel or a module. */
void dsos_report_id(struct dsos *d, const char *path, const struct build_id *id, bool kernel);
void dsos_release(struct dsos *d);

#endif
