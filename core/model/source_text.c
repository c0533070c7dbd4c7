/* Reads source files and finds their lines, which `prec annotate` and `prec script` show. */
#include "core/model/source_text.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/perfdata/archive.h"

#define SOURCE_MAX	(64u << 20)	/* bytes; larger files are not read */

static void read_source(struct source_file *f, const struct archive *archive)
{
	const struct archive_file *kept = archive_find_file(archive, f->path);
	struct buf b = {0};

	if (kept)
		buf_put(&b, kept->bytes, kept->size);
	else if (read_regular(f->path, &b, SOURCE_MAX))
		b.len = 0;
	f->text = b.data;
	f->size = b.len;
}

static const struct source_file *file_of(struct source_texts *t, const char *path)
{
	struct source_file *f;

	vec_for(file, &t->files)
		if (str_eq((*file)->path, path))
			return *file;
	f = xcalloc(1, sizeof(*f));
	f->path = xstrdup(path);
	read_source(f, t->archive);
	vec_push(&t->files, f);
	return f;
}

static struct source_last *last_of(struct source_texts *t, uint32_t tid)
{
	vec_for(last, &t->last)
		if (last->tid == tid)
			return last;
	vec_push(&t->last, (struct source_last){ .tid = tid });
	return &t->last.v[t->last.nr - 1];
}

bool source_text_next(struct source_texts *t, uint32_t tid, const char *path, unsigned line, const char **text, size_t *len)
{
	struct source_last *last = last_of(t, tid);
	const struct source_file *f;
	const char *at, *end, *stop;
	unsigned left = line;

	if (last->path && last->line == line && str_eq(last->path, path))
		return false;
	f = file_of(t, path);
	end = f->text + f->size;
	for (at = f->text; at && at < end && left > 1; left--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at += !!at;
	}
	if (!at || at >= end || !left)
		return false;
	stop = memchr(at, '\n', (size_t)(end - at));
	*text = at;
	*len = (size_t)((stop ? stop : end) - at);
	last->path = f->path;
	last->line = line;
	return true;
}

void source_texts_release(struct source_texts *t)
{
	vec_for(file, &t->files) {
		free((*file)->path);
		free((*file)->text);
		free(*file);
	}
	vec_free(&t->files);
	vec_free(&t->last);
}
