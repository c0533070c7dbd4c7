/*
 * Adds the results of all lookups in a recording to an archive (core/perfdata/archive.h): symbols, code, source lines and
 * jitdumps. archive_load.c takes them from the archive on another machine.
 */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/model/machine_archive.h"
#include "core/model/code.h"
#include "core/binary/code_image.h"
#include "core/model/jitdump.h"
#include "core/model/machine_state.h"
#include "core/model/symbol_errors.h"
#include "core/model/srcline.h"

#define CODE_MAX	(1u << 30)	/* maximum number of bytes of one struct code_note */

struct archived_dso {
	struct archive *archive;
	const struct machine *machine;
	const struct dso *dso;
	struct archive_dso *entry;
};

static void archive_symbols(struct archived_dso *d)
{
	vec_for(s, &d->dso->symbols.list) {
		struct archive_symbol symbol = {
			.start = s->start, .end = s->end, .binding = s->binding,
			.flags = (s->function ? ARCHIVE_FUNCTION : 0) | (s->label ? ARCHIVE_LABEL : 0) |
				 (s->thumb ? ARCHIVE_THUMB : 0) | (s->made ? ARCHIVE_MADE : 0),
		};

		if (s->named < SYMBOL_NOTED)
			continue;
		symbol.name = archive_add_text(d->archive, s->name);
		vec_push(&d->entry->symbols, symbol);
	}
}

static void on_frames(void *ctx, uint64_t addr, const struct frames *frames)
{
	struct archived_dso *d = ctx;
	struct archive_dso *entry = d->entry;

	vec_push(&entry->places, ((struct archive_place){ addr, (uint32_t)entry->frames.nr, frames->nr }));
	for (uint32_t i = 0; i < frames->nr; i++)
		vec_push(&entry->frames, ((struct archive_frame){
			archive_add_text(d->archive, frames->v[i].function), archive_add_text(d->archive, frames->v[i].file),
			frames->v[i].line }));
}

ORDER(compare_codes, struct archive_code, compare_numbers(a->base, b->base) ?: compare_numbers(a->at, b->at))

/* Sorted, so that the order does not depend on the scheduling of threads. */
static void add_code(struct archived_dso *d)
{
	for (struct dso_code *c = d->dso->code; c; c = c->next) {
		code_notes_join(c);
		vec_for(note, &c->notes) {
			void *bytes = note->size <= CODE_MAX ? xmalloc(note->size) : NULL;
			size_t got = bytes ? code_noted(c, note->at, bytes, note->size) : 0;

			if (bytes)
				vec_push(&d->archive->kept, bytes);
			if (got)
				vec_push(&d->entry->codes, ((struct archive_code){ c->base, note->at, got, c->by_offset, bytes }));
		}
	}
	vec_sort(&d->entry->codes, compare_codes);
}

static void archive_facts(struct archived_dso *d)
{
	const struct dso *dso = d->dso;
	struct symbol_error missing;

	symbol_error_find(&missing, d->machine, dso, UNMAPPED_HERE);
	*d->entry = (struct archive_dso){
		.path = archive_add_text(d->archive, dso->path), .nth = archived_nth(d->machine, dso), .kind = (uint8_t)dso->kind,
		.state = (uint8_t)dso->state, .elf_class = (uint8_t)dso->elf_class, .is_stripped = dso->is_stripped,
		.relative = dso->relative, .relocation = dso->relocation,
		.has_file = dso->file || dso->dwarf_file || (dso->archived && dso->archived->has_file),
		.build_id = dso->build_id, .why = archive_add_text(d->archive, dso->why),
		.symbols_from = archive_add_text(d->archive, dso->symbols_from),
		.missing_why = archive_add_text(d->archive, missing.why),
		.missing_help = archive_add_text(d->archive, missing.help),
	};
	symbol_error_release(&missing);
	vec_for(s, &dso->segments.list)
		vec_push(&d->entry->segments, ((struct archive_segment){ s->vaddr, s->offset, s->size, s->can_run }));
}

static void archive_jitdump(struct archive *out, const struct machine *m, const struct dso *dso)
{
	const struct archive_file *known = dso->kind == DSO_JIT ? archive_find_file(m->archive, dso->path) : NULL;
	struct buf b = {0};

	if (known)
		buf_put(&b, known->bytes, known->size);
	else if (dso->kind != DSO_JIT || !dso->file || read_regular(dso->file, &b, JITDUMP_MAX)) {
		buf_release(&b);
		return;
	}
	vec_push(&out->files, ((struct archive_file){ archive_add_text(out, dso->path), b.data, b.len }));
	vec_push(&out->kept, b.data);
}

void archive_add_lookups(struct archive *out, struct machine *m)
{
	bool of_kernel = false;

	machine_join_early(m);
	vec_for(dso, &m->dsos.list) {
		struct archived_dso d = { .archive = out, .machine = m, .dso = *dso };

		archive_jitdump(out, m, *dso);
		vec_push(&out->dsos, ((struct archive_dso){0}));
		d.entry = &out->dsos.v[out->dsos.nr - 1];
		/* Symbols read early but never looked up are not taken: it would depend on the number of threads. */
		if (!(*dso)->requested)
			continue;
		of_kernel |= (*dso)->kind == DSO_KERNEL || (*dso)->kind == DSO_MODULE;
		archive_facts(&d);
		archive_symbols(&d);
		srcline_each(*dso, on_frames, &d);
		add_code(&d);
	}
	out->hidden = archive_add_text(out, of_kernel ? m->kallsyms.hidden : NULL);
}
