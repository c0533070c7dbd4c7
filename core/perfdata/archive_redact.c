/*
 * Removes private data from an archive (symbols and code stored in a recording, archive.h): source lines, and the code and names
 * in jitdumps. redact.c makes the new texts for paths and names.
 */
#include <string.h>

#include "core/base/util.h"
#include "core/perfdata/archive.h"
#include "core/perfdata/redact.h"

/* True if the path looks like that of a dso (core/model/dso.h) whose names a compiler made while the program ran. */
static bool is_made_at_run_time(const char *path)
{
	return str_starts(path, "/tmp/perf-") || str_starts(path, "//anon") || str_starts(path, "[") || strstr(path, "/jit-");
}

struct renaming {
	struct archive *archive;
	struct redactor *redactor;
	struct byte_table old;		/* the texts before the replacement */
	struct buf scratch;
};

static const char *old_text(struct renaming *r, uint32_t number)
{
	size_t size;
	const char *text = byte_table_get(&r->old, number - 1, &size);

	r->scratch.len = 0;
	buf_put(&r->scratch, text, size);
	return buf_str(&r->scratch);
}

#define RENAME(n, number, expression) do {						\
	if (number) {									\
		const char *text = old_text(n, number);					\
											\
		(number) = archive_add_text((n)->archive, expression);			\
	}										\
} while (0)

static void rename_dso(struct renaming *r, struct archive_dso *dso)
{
	bool jit = dso->path && is_made_at_run_time(old_text(r, dso->path));

	RENAME(r, dso->path, redact_mapped(r->redactor, text));
	vec_for(s, &dso->symbols)
		RENAME(r, s->name, redact_function(r->redactor, text, jit));
	vec_for(f, &dso->frames) {
		RENAME(r, f->function, redact_function(r->redactor, text, jit));
		RENAME(r, f->file, redact_source(r->redactor, text));
	}
	/* Reasons may name things of the machine on which the archive was made, such as its users. */
	if (dso->symbols_from)
		dso->symbols_from = archive_add_text(r->archive, "archive");
	dso->why = dso->missing_why = dso->missing_help = 0;
}

/* ---- jitdumps: nothing moves, for addresses count in them ---- */

#define DUMP_MAGIC	0x4a695444u	/* in this machine's byte order */
#define DUMP_HEADER	40u
#define DUMP_PREFIX	16u
#define DUMP_LOAD	0u
#define DUMP_LINES	2u
#define LOAD_NAME	40u	/* offset of the name in the body of a DUMP_LOAD record */
#define LINES_FIRST	16u	/* offset of the first line's entry in the body of a DUMP_LINES record */
#define LINE_NAME	16u	/* offset of the file's name in the entry of a line */

/* Replaces a name by one of the same length. */
static void overwrite(struct redactor *r, char *name, size_t n)
{
	const char *redacted = redact_function(r, name, true);
	size_t m = MIN(strlen(redacted), n);

	memset(name, '_', n);
	memcpy(name, redacted, m);
}

static void overwrite_load(struct redactor *r, uint8_t *body, size_t size)
{
	size_t n = size > LOAD_NAME ? strnlen((char *)body + LOAD_NAME, size - LOAD_NAME) : 0;

	if (size <= LOAD_NAME || n == size - LOAD_NAME) {
		memset(body, 0, size);
		return;
	}
	overwrite(r, (char *)body + LOAD_NAME, n);
	memset(body + LOAD_NAME + n + 1, 0, size - LOAD_NAME - n - 1);
}

static void overwrite_lines(uint8_t *body, size_t size)
{
	size_t at = LINES_FIRST;

	while (at + LINE_NAME < size) {
		char *name = (char *)body + at + LINE_NAME;
		size_t n = strnlen(name, size - at - LINE_NAME);

		/* "\xff" stands for the name of the entry before. */
		if (n != 1 || *name != '\xff')
			memset(name, '_', n);
		at += LINE_NAME + n + 1;
	}
}

static void overwrite_dump(struct redactor *r, uint8_t *bytes, size_t size)
{
	uint32_t id, length, header = DUMP_HEADER, magic = 0;
	size_t at = 0;

	if (size >= DUMP_HEADER) {
		memcpy(&magic, bytes, sizeof(magic));
		memcpy(&header, bytes + 8, sizeof(header));
	}
	if (magic == DUMP_MAGIC && header <= size)
		at = header;
	while (at && at < size && size - at >= DUMP_PREFIX) {
		memcpy(&id, bytes + at, sizeof(id));
		memcpy(&length, bytes + at + 4, sizeof(length));
		if (length < DUMP_PREFIX || length > size - at)
			break;
		if (id == DUMP_LOAD)
			overwrite_load(r, bytes + at + DUMP_PREFIX, length - DUMP_PREFIX);
		else if (id == DUMP_LINES)
			overwrite_lines(bytes + at + DUMP_PREFIX, length - DUMP_PREFIX);
		at += length;
	}
	/* Bytes that cannot be read are cleared. */
	if (at < size)
		memset(bytes + at, 0, size - at);
}

void archive_redact(struct archive *a, struct redactor *r)
{
	struct renaming n = { .archive = a, .redactor = r, .old = a->added };

	a->added = (struct byte_table){0};
	vec_for(dso, &a->dsos)
		rename_dso(&n, dso);
	vec_for(file, &a->files) {
		RENAME(&n, file->path, redact_mapped(r, text));
		overwrite_dump(r, (uint8_t *)(uintptr_t)file->bytes, file->size);
		if (file->size && !*(const uint8_t *)file->bytes)	/* no jitdump, so it had lines of source */
			file->size = 0;
	}
	if (a->hidden)
		a->hidden = archive_add_text(a, "/proc/kallsyms");
	byte_table_release(&n.old);
	buf_release(&n.scratch);
}
