/*
 * Opens a jitdump (compiled code and its symbols) when an MMAP record shows that a process has mapped it. jitdump.c reads the
 * records in the jitdump.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/archive.h"
#include "core/model/jitdump.h"
#include "core/model/load.h"
#include "core/model/machine_state.h"
#include "core/model/namespace.h"
#include "core/model/recorded_file.h"

/* ---- finding it ---- */

/*
 * Reads the dump at @path. Its owner must be trusted, unless this is the very file that the process mapped, or the user chose the
 * tree (--symfs). @beside: the file is in the directory of the recording.
 */
static int read_dump(const struct machine *m, const struct dso *dso, const char *path, bool beside, struct buf *b)
{
	bool known = !beside && m->opts.this_host && dso->mapped.ino;

	if (!beside && !is_recorded_bytes(m, dso, path))
		return -ESTALE;
	if (known || m->opts.symfs)
		return read_regular(path, b, JITDUMP_MAX);
	return read_trusted(path, b, JITDUMP_MAX, m->opts.this_host ? owner_of_process(dso->pid) : geteuid());
}

/*
 * Takes the dump from the archive, or reads the file at the path that was mapped, at this path as the process sees it, or in the
 * directory of the recording. Returns the path, owned by the caller, or NULL if there is no dump.
 */
static char *open_dump(const struct machine *m, const struct dso *dso, struct buf *b)
{
	const struct archive_file *file = archive_find_file(m->archive, dso->path);
	const char *base = strrchr(dso->path, '/');
	char *paths[3] = { below_symfs(m, dso->path), namespace_path(m, dso) }, *found = NULL;

	paths[2] = m->recording_dir ? xasprintf("%s%s", m->recording_dir, base ? base : dso->path) : NULL;
	if (file) {
		buf_put(b, file->bytes, file->size);
		for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
			free(paths[i]);
		return xstrdup(dso->path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		/* The last path is in the directory of the recording, where the dump is a copy. */
		if (!found && paths[i] && !read_dump(m, dso, paths[i], i == 2, b)) {
			found = paths[i];
			continue;
		}
		free(paths[i]);
	}
	return found;
}

void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process)
{
	struct dso *dso = map->dso;
	struct jit_source source = { .strings = m->strings, .monotonic = m->monotonic, .time = map->time, .pid = pid };
	struct buf b = {0};
	struct jitdump *j;
	char *path;

	if (dso->jitdump)
		return;
	j = xcalloc(1, sizeof(*j));
	j->process = process;
	j->dso = dso;
	dso->jitdump = j;
	path = open_dump(m, dso, &b);
	source.any_pid = path && !strstr(path, dso->path);
	if (path && jitdump_read(j, dso, b.data, b.len, &source)) {
		dso->symbols_from = xstrdup(path);
		dso->file = path;
		dso->file_has_code = true;
		vec_push(&m->jitdumps, j);
		debug(1, "'%s': %zu pieces of code", path, j->codes.nr);
	} else {
		free(path);
	}
	buf_release(&b);
}
