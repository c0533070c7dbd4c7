/*
 * Takes symbols and code from the archive in a recording (core/perfdata/archive.h), so that the recorded binaries are not needed.
 * archive_save.c makes the archive.
 */
#include "core/model/machine_archive.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/binary/code_image.h"
#include "core/model/load.h"

int machine_set_archive(struct machine *m, const void *section, size_t size)
{
	struct archive *a = xcalloc(1, sizeof(*a));
	int err = archive_unpack(a, section, size);
	const char *hidden = archive_text(a, a->hidden);

	if (err) {
		free(a);
		return err;
	}
	m->archive = a;
	m->kallsyms.hidden = hidden ? xstrdup(hidden) : NULL;
	return 0;
}

const struct archive *machine_archive(const struct machine *m)
{
	return m->archive;
}

void machine_track_lookups(struct machine *m)
{
	m->noting = true;
}

/* ---- symbols ---- */

uint32_t archived_nth(const struct machine *m, const struct dso *dso)
{
	uint32_t nth = 0;

	for (uint32_t i = 0; i < dso->number; i++)
		nth += m->dsos.list.v[i]->path == dso->path;
	return nth;
}

static const struct archive_dso *entry_of(const struct machine *m, const struct dso *dso)
{
	uint32_t nth = m->archive ? archived_nth(m, dso) : 0;

	if (!m->archive)
		return NULL;
	vec_for(entry, &m->archive->dsos) {
		const char *path = archive_text(m->archive, entry->path);

		if (entry->nth == nth && entry->kind == dso->kind && path && str_eq(path, dso->path))
			return entry;
	}
	return NULL;
}

static void load_symbols(struct dso *dso, const struct archive_dso *from)
{
	vec_for(s, &from->symbols) {
		const char *name = archive_text(dso->archive, s->name);

		if (!name || s->end <= s->start)
			continue;
		symbols_add(&dso->symbols, &(struct symbol){
			.start = s->start, .end = s->end, .name = name, .binding = MIN(s->binding, SYMBOL_GLOBAL),
			.function = s->flags & ARCHIVE_FUNCTION, .label = s->flags & ARCHIVE_LABEL,
			.thumb = s->flags & ARCHIVE_THUMB, .made = s->flags & ARCHIVE_MADE,
		});
	}
}

bool archived_load(const struct machine *m, struct dso *dso)
{
	const struct archive_dso *from = entry_of(m, dso);

	if (!from)
		return false;
	dso->archive = m->archive;
	dso->archived = from;
	dso->state = from->state <= DSO_HIDDEN ? from->state : DSO_NOT_FOUND;
	dso->elf_class = from->elf_class == 32 || from->elf_class == 64 ? from->elf_class : 0;
	dso->is_stripped = from->is_stripped;
	dso->relative = from->relative;
	dso->relocation = from->relocation;
	/* Build ids by path may be other dsos', as the archive adds its own to the recording's. */
	if (dso->id_by_path)
		dso->build_id = from->build_id;
	dso->why = copy_of(archive_text(m->archive, from->why));
	/* A jitdump was read when it was mapped, and BPF programs are named by their records. */
	if (!dso->symbols_from)
		dso->symbols_from = copy_of(archive_text(m->archive, from->symbols_from));
	vec_for(s, &from->segments)
		vec_push(&dso->segments.list, (struct elf_segment){ s->vaddr, s->offset, s->size, s->can_run });
	if (dso->kind != DSO_JIT && dso->kind != DSO_BPF)
		load_symbols(dso, from);
	return true;
}

/* ---- code ---- */

bool archived_code(const struct dso *dso, uint64_t base, struct dso_code *out)
{
	struct buf bytes = {0};
	uint64_t at = 0;

	if (!dso->archived)
		return false;
	vec_for(c, &dso->archived->codes)
		if (c->base == base)
			buf_put(&bytes, c->bytes, c->size);
	if (!bytes.len)
		return false;
	code_image_init(&out->own, bytes.data, bytes.len);
	vec_for(c, &dso->archived->codes) {
		if (c->base != base)
			continue;
		code_image_add(&out->own, c->at, c->size, at);
		at += c->size;
		out->by_offset = c->by_offset;
	}
	code_image_finish(&out->own);
	out->archived = true;
	return true;
}
