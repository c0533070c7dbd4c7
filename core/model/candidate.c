/*
 * Opens files that may have the symbols of a dso, and rejects files with another build id than the recorded one. load.c chooses
 * which files to try.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/debuginfod.h"
#include "core/model/load.h"
#include "core/model/namespace.h"
#include "core/model/recorded_file.h"

/* Recorders before Linux 5.12 store no size, and pad ids of less than 20 bytes with zeros. */
bool same_build_id(const struct build_id *recorded, const struct build_id *found)
{
	static const uint8_t zeros[BUILD_ID_MAX];
	uint8_t n = MIN(recorded->size, found->size);

	return n && n <= BUILD_ID_MAX && !memcmp(recorded->data, found->data, n) &&
	       !memcmp(recorded->data + n, zeros, (size_t)(recorded->size - n));
}

/* Opens @path, which it takes over. NULL: the file is missing, is no ELF file, or has another build id than the recorded one. */
static struct elf_file *open_if_same(struct dso *dso, char *path)
{
	struct elf_file *e = NULL;
	struct build_id id;
	int err = elf_file_open(&e, path);

	if (err) {
		debug(1, "'%s': not '%s': %s", dso->path, path, strerror(-err));
		free(path);
		return NULL;
	}
	elf_file_build_id(e, &id);
	if (dso->build_id.size && !same_build_id(&dso->build_id, &id)) {
		debug(1, "'%s': '%s' has another build id", dso->path, path);
		/* A later search, for code, does not change the state of the dso's symbols. */
		if (!dso->loaded)
			dso->state = DSO_CHANGED;
		elf_file_close(e);
		free(path);
		return NULL;
	}
	debug(1, "'%s': there is '%s'", dso->path, path);
	return e;
}

char *below_symfs(const struct machine *m, const char *path)
{
	return xasprintf("%s%s", m->opts.symfs ? m->opts.symfs : "", path);
}

char *build_id_path(const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	if (id->size < 2)
		return NULL;
	build_id_text(id, text);
	return xasprintf("%.2s/%s", text, text + 2);
}

char *cache_path(const struct build_id *id, const char *leaf)
{
	const char *home = getenv("HOME");
	char *part = home ? build_id_path(id) : NULL, *path;
	struct stat st;

	if (!part)
		return NULL;
	path = xasprintf("%s/.debug", home);
	if (!stat(path, &st) && !is_trusted_owner(st.st_uid)) {
		free(path);
		free(part);
		return NULL;
	}
	free(path);
	path = xasprintf("%s/.debug/.build-id/%s/%s", home, part, leaf);
	free(part);
	return path;
}

struct elf_file *open_candidate(struct dso *dso, char *path, const char **used)
{
	struct elf_file *e = path ? open_if_same(dso, path) : NULL;

	if (e)
		*used = path;
	return e;
}

struct elf_file *drop_candidate(struct elf_file *e, const char **used)
{
	elf_file_close(e);
	free((char *)(uintptr_t)*used);
	*used = NULL;
	return NULL;
}

struct elf_file *open_with_symbols(struct dso *dso, char *path, const char **used)
{
	struct elf_file *e = open_candidate(dso, path, used);

	return !e || elf_file_has(e, ".symtab") ? e : drop_candidate(e, used);
}

/* Without a build id, checks if it is the mapped file; if not, closes it and sets *used to NULL. */
static struct elf_file *only_recorded(const struct machine *m, struct dso *dso, struct elf_file *e, const char **used)
{
	if (!e || dso->build_id.size || is_recorded_file(m, dso, e))
		return e;
	debug(1, "'%s': '%s' is not used: %s", dso->path, *used, dso->why ? dso->why : "it may be another");
	return drop_candidate(e, used);
}

struct elf_file *open_image(const struct machine *m, struct dso *dso, const char **used)
{
	struct elf_file *e = NULL;

	/* The directory of --symfs comes first, because a copy in perf's cache may be stripped. */
	if (m->opts.symfs && dso->path[0] == '/')
		e = only_recorded(m, dso, open_candidate(dso, below_symfs(m, dso->path), used), used);
	if (!e)
		e = open_candidate(dso, cache_path(&dso->build_id, dso->kind == DSO_VDSO ? "vdso" : "elf"), used);
	if (!e && !m->opts.symfs && dso->path[0] == '/')
		e = only_recorded(m, dso, open_candidate(dso, below_symfs(m, dso->path), used), used);
	/* Without a build id the file may be any user's. */
	if (!e && dso->path[0] == '/' && dso->build_id.size)
		e = open_candidate(dso, namespace_path(m, dso), used);
	if (!e && dso->kind == DSO_USER)
		e = open_candidate(dso, debuginfod_find(m->debuginfod, DEBUGINFOD_IMAGE, &dso->build_id, dso->path), used);
	return e;
}

bool has_dwarf(const struct elf_file *e)
{
	return e && (elf_file_has(e, ".debug_info") || elf_file_has(e, ".zdebug_info"));
}
