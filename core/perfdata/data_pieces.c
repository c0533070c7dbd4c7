/*
 * Opens several consecutive files of one recorder as one recording, and adds new files while the recorder writes them.
 * data_file.c opens each single file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"

#define NO_INODE	0

/* The size of the records at the front that describe what there was before this file. These records have no time. */
static uint64_t size_of_past(const struct data_file *f, const uint8_t *data, uint64_t size)
{
	struct record_header h;
	uint64_t at = 0;

	for (; record_header_at(data, size, at, &h) && h.type != PERF_RECORD_SAMPLE; at += h.size) {
		const struct event *ev = h.type < RECORD_HEADER_ATTR ? event_of_record(&f->events, data + at) : NULL;
		struct record r;

		if (h.type < RECORD_HEADER_ATTR && (!ev || record_read(&r, data + at, &ev->layout) || r.id.time))
			break;
	}
	return at;
}

static void skip_past(const struct data_file *f, struct data_part *p)
{
	uint64_t n = size_of_past(f, p->data, p->size);

	p->data += n;
	p->size -= n;
	p->offset += n;
}

/* Adds the records of the file @path from offset @from on (0: all). A file that does not begin as a recording adds nothing. */
static void add_piece(struct data_file *f, const char *path, uint64_t from)
{
	struct data_part p = { .path = xstrdup(path) };
	struct data_file *piece;
	uint64_t end;

	if (data_file_open(&piece, path)) {
		free((char *)(uintptr_t)p.path);
		return;
	}
	end = piece->data_offset + piece->data_size;
	p.whole = piece;
	p.inode = piece->inode;
	p.offset = MIN(MAX(from, piece->data_offset), end);
	p.data = piece->map + p.offset;
	p.size = end - p.offset;
	vec_push(&f->parts, p);
	f->mtime = MAX(f->mtime, piece->mtime);
	f->written_ns = MAX(f->written_ns, piece->written_ns);
}

int data_file_open_pieces(struct data_file **out, char *const *paths, size_t nr)
{
	size_t described = nr > 1 ? nr - 2 : 0;
	struct data_part first;
	struct data_file *f;

	if (data_file_open(&f, paths[described]))
		return -1;
	f->pieces = true;
	f->parts.v[0].inode = f->inode;
	first = f->parts.v[0];
	f->parts.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		size_t before = f->parts.nr;

		if (i == described)
			vec_push(&f->parts, first);
		else
			add_piece(f, paths[i], 0);
		if (before == f->parts.nr)
			continue;
		f->parts.v[before].complete = i + 1 < nr;
		if (i)
			skip_past(f, &f->parts.v[before]);
	}
	*out = f;
	return 0;
}

/* ---- reading on ---- */

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? NO_INODE : st.st_ino;
}

/* The last part of @f that is from the file with this inode; NULL: no part is. */
static struct data_part *last_part_of(const struct data_file *f, uint64_t inode)
{
	for (size_t i = f->parts.nr; i-- > 0;)
		if (f->parts.v[i].inode == inode)
			return &f->parts.v[i];
	return NULL;
}

bool data_file_goes_on(const struct data_file *f, char *const *paths, size_t nr, size_t *gone)
{
	size_t at = *gone = f->parts.nr;
	bool ended = false;

	for (size_t i = 0; i < nr; i++) {
		uint64_t inode = inode_of(paths[i]);
		const struct data_part *last = last_part_of(f, inode);
		size_t first = 0;

		if (inode == NO_INODE || (last && ended))
			return false;
		ended = !last;
		if (!last)
			continue;
		while (f->parts.v[first].inode != inode)
			first++;
		if (!i)
			*gone = at = first;
		if (first != at)
			return false;
		at = (size_t)(last - f->parts.v) + 1;
	}
	return at == f->parts.nr && *gone < f->parts.nr;
}

void data_file_drop_parts(struct data_file *f, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		data_part_close(f, &f->parts.v[i]);
	f->parts.nr -= nr;
	memmove(f->parts.v, f->parts.v + nr, f->parts.nr * sizeof(*f->parts.v));
}

void data_file_read_on(struct data_file *f, char *const *paths, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct data_part *last = last_part_of(f, inode_of(paths[i]));
		size_t before = f->parts.nr;

		if (last && last->complete)
			continue;
		add_piece(f, paths[i], last ? last->offset + last->size : 0);
		if (before == f->parts.nr)
			continue;
		f->parts.v[before].complete = i + 1 < nr;
		skip_past(f, &f->parts.v[before]);
	}
}
