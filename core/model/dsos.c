/* Finds the dso (mapped file, dso.h) of a path and build id, or makes a new one with the short name that perf shows. */
#include "core/model/dsos.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/binary/code_image.h"
#include "core/model/jitdump.h"
#include "core/model/map.h"
#include "core/model/srcline.h"

bool is_anonymous(const char *filename)
{
	static const char *const prefixes[] = {
		"//anon", "/dev/zero", "/anon_hugepage", "[stack", "[heap]", "/SYSV", "[anon:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(filename, prefixes[i]))
			return true;
	return !*filename;
}

/* "jit-PID.dump" */
static bool is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/');
	int end = 0;

	base = base ? base + 1 : path;
	return str_starts(base, "jit-") && (sscanf(base, "jit-%*u.dump%n", &end), end) && !base[end];
}

enum dso_kind dso_kind_of(const char *filename)
{
	if (str_eq(filename, "[vdso]") || str_eq(filename, VDSO32) || str_eq(filename, "[vdsox32]"))
		return DSO_VDSO;
	if (is_anonymous(filename) || str_starts(filename, "/memfd:") || str_starts(filename, "anon_inode:"))
		return DSO_ANON;
	return *filename == '[' ? DSO_UNKNOWN : is_jitdump(filename) ? DSO_JIT : DSO_USER;
}

/* The name of a module by its file: "/lib/modules/.../nf-nat.ko.xz" is "[nf_nat]". */
static const char *module_name(struct dsos *d, const char *path)
{
	const char *base = strrchr(path, '/'), *end;
	char name[128];
	int n;

	if (*path == '[')
		return intern(d->strings, path);
	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	n = end ? (int)MIN(end - base, 100) : (int)strnlen(base, 100);
	snprintf(name, sizeof(name), "[%.*s]", n, base);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return intern(d->strings, name);
}

static const char *short_name(struct dsos *d, enum dso_kind kind, const char *path)
{
	const char *base = strrchr(path, '/');
	char name[64];
	int pid;

	if (kind == DSO_MODULE)
		return module_name(d, path);
	/* As perf shows it. */
	if (kind == DSO_ANON && sscanf(path, "/tmp/perf-%d.map", &pid) == 1) {
		snprintf(name, sizeof(name), "[JIT] tid %d", pid);
		return intern(d->strings, name);
	}
	if ((kind != DSO_USER && kind != DSO_JIT && !str_starts(path, "/memfd:")) || !base || !base[1])
		return path;
	return intern(d->strings, base + 1);
}

static uint64_t pointer_hash(const char *interned)
{
	return hash_u64((uintptr_t)interned);
}

static const struct path_build_id *find_path_id(const struct dsos *d, const char *key)
{
	uint64_t h = pointer_hash(key);

	index_for(pos, &d->by_id_path, h)
		if (d->path_ids.v[pos].path == key)
			return &d->path_ids.v[pos];
	return NULL;
}

/* The lookup key: the path; for a module its name, because only some records have its file. */
static const char *key_of(struct dsos *d, enum dso_kind kind, const char *path)
{
	return kind == DSO_MODULE ? module_name(d, path) : intern_printable(d->strings, path);
}

static struct dso *new_dso(struct dsos *d, enum dso_kind kind, const char *path, const char *key)
{
	struct dso *dso = xcalloc(1, sizeof(*dso));
	const struct path_build_id *known = find_path_id(d, key);

	dso->path = intern_printable(d->strings, path);
	dso->name = short_name(d, kind, dso->path);
	dso->kind = kind;
	dso->number = (uint32_t)d->list.nr;
	if (known) {
		dso->build_id = known->id;
		dso->id_by_path = true;
	}
	pthread_mutex_init(&dso->lock, NULL);
	index_add(&d->by_path, pointer_hash(key), dso->number);
	vec_push(&d->list, dso);
	return dso;
}

/* True if @map maps another file than the first map of the path did. */
static bool is_other_inode(const struct mapped_file *f, const struct map *map)
{
	if (!map || !map->ino || !f->ino)
		return false;
	return map->ino != f->ino || map->maj != f->maj || map->min != f->min ||
	       (map->ino_generation && f->generation && map->ino_generation != f->generation);
}

/* Files differ by build id, and if @map has an inode, by inode. Without a build id, takes the latest file. */
static struct dso *look_up(const struct dsos *d, enum dso_kind kind, const char *key, const struct build_id *id,
			   const struct map *map)
{
	uint64_t h = pointer_hash(key);
	struct dso *found = NULL;

	index_for(pos, &d->by_path, h) {
		struct dso *dso = d->list.v[pos];

		if (dso->kind != kind || (kind == DSO_MODULE ? dso->name : dso->path) != key)
			continue;
		if (id && dso->build_id.size && build_id_equal(&dso->build_id, id))
			return dso;
		if (is_other_inode(&dso->mapped, map))
			continue;
		if ((!id || !dso->build_id.size) && (!found || found->number < dso->number))
			found = dso;
	}
	return found;
}

/* Removes the build id of @older if it is by path: the section has the id of the path's last file, which is another dso. */
static void adopt_recorded_id(struct dso *older)
{
	if (!older || !older->id_by_path)
		return;
	older->build_id = (struct build_id){0};
	older->id_by_path = false;
}

struct dso *dsos_find_mapped(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id,
			     const struct map *map)
{
	const char *key = key_of(d, kind, path);
	struct dso *dso;

	if (id && !id->size)
		id = NULL;
	dso = look_up(d, kind, key, id, map);
	if (!dso) {
		if (!id)
			adopt_recorded_id(look_up(d, kind, key, NULL, NULL));
		dso = new_dso(d, kind, path, key);
	}
	/* Writes the build id only if it differs, because the live unwinder may be reading it. */
	if (id && !build_id_equal(&dso->build_id, id))
		dso->build_id = *id;
	if (id && dso->id_by_path)
		dso->id_by_path = false;
	return dso;
}

struct dso *dsos_find(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id)
{
	return dsos_find_mapped(d, kind, path, id, NULL);
}

struct dso *dsos_add_guest(struct dsos *d, const char *path)
{
	return new_dso(d, DSO_GUEST, path, key_of(d, DSO_GUEST, path));
}

/* In @filename, the name of the reference symbol follows the bracket. */
void dsos_set_reference(struct dsos *d, struct dso *kernel, const char *filename, uint64_t addr)
{
	const char *name = strchr(filename, ']');

	if (!name || !name[1] || !addr)
		return;
	kernel->reference = intern(d->strings, name + 1);
	kernel->reference_addr = addr;
}

struct dso *dsos_find_known(struct dsos *d, enum dso_kind kind, const char *path, const struct build_id *id)
{
	struct dso *dso = look_up(d, kind, key_of(d, kind, path), id, NULL);

	return dso && build_id_equal(&dso->build_id, id) ? dso : NULL;
}

static bool is_kernel_image(const char *path)
{
	return str_starts(path, "[kernel") || strstr(path, "vmlinux");
}

void dsos_report_id(struct dsos *d, const char *path, const struct build_id *id, bool kernel)
{
	enum dso_kind kind = !kernel ? dso_kind_of(path) : is_kernel_image(path) ? DSO_KERNEL : DSO_MODULE;
	const char *key = key_of(d, kind, kind == DSO_KERNEL ? KERNEL_NAME : path);
	struct dso *known;

	if (!id->size || find_path_id(d, key))
		return;
	index_add(&d->by_id_path, pointer_hash(key), (uint32_t)d->path_ids.nr);
	vec_push(&d->path_ids, (struct path_build_id){ key, *id });
	known = look_up(d, kind, key, NULL, NULL);
	if (known && !known->build_id.size) {
		known->build_id = *id;
		known->id_by_path = true;
	}
}

void dsos_release(struct dsos *d)
{
	vec_for(it, &d->list) {
		struct dso *dso = *it;

		srcline_release(dso);
		dso_code_free(dso->code);
		jitdump_free(dso->jitdump);
		symbols_release(&dso->symbols);
		vec_free(&dso->segments.list);
		free(dso->why);
		free((char *)(uintptr_t)dso->symbols_from);
		free((char *)(uintptr_t)dso->file);
		if (dso->image_fd)
			close(dso->image_fd);
		free((char *)(uintptr_t)dso->dwarf_file);
		pthread_mutex_destroy(&dso->lock);
		free(dso);
	}
	vec_free(&d->list);
	vec_free(&d->path_ids);
	index_release(&d->by_path);
	index_release(&d->by_id_path);
}
