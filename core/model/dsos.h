/*
 * All dsos of a machine, found by what a mapping says of them: its file name and build id.
 * Layer: model
 */
#ifndef CORE_MODEL_DSOS_H
#define CORE_MODEL_DSOS_H

#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/vec.h"
#include "core/model/dso.h"

struct map;

struct told_id { const char *path; struct build_id id; };	/* a build id told apart from the maps */

struct dsos {
	struct strtab *strings;		/* borrowed */
	VEC(struct dso *) list;		/* owned */
	struct index by_path;		/* by the interned path; of modules: by the name */
	VEC(struct told_id) told;
	struct index told_by_path;
};

#define KERNEL_NAME "[kernel.kallsyms]"
#define VDSO32 "[vdso32]"		/* of 32-bit programs on a 64-bit kernel */

/* What a user-space mapping of @filename is. */
enum dso_kind dso_kind_of(const char *filename);
/* Memory without a file, in which a JIT may put code. */
bool is_anonymous(const char *filename);

/*
 * The dso of @kind at @path (for a module: its file or "[name]"), made if it is new. @id: what the mapping says,
 * NULL or size 0: nothing. Borrowed.
 */
struct dso *dsos_find(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id);
/* The same of a user's map: where it tells an inode, a path stands for as many files as it had inodes. */
struct dso *dsos_find_mapped(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id,
			     const struct map *map);
/* A build id of a file; @kernel: of the kernel or a module. */
void dsos_tell_id(struct dsos *d, const char *path, const struct build_id *id, bool kernel);
void dsos_release(struct dsos *d);

#endif
