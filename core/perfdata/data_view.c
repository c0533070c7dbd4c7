/*
 * Copies parts of a recording's data section into a buffer by pread(2), which is faster than reading the mapped file
 * (data_view.h).
 */
#include "core/perfdata/data_view.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/util.h"
#include "core/perfdata/data_file.h"

#define STEP	(256u << 10)	/* bytes that are read at once: they fit into a CPU's own cache */

static bool has(const struct data_file *f, const uint8_t *data, uint64_t size)
{
	return f->map && f->fd >= 0 && data >= f->map && (uint64_t)(data - f->map) <= f->size &&
	       size <= f->size - (uint64_t)(data - f->map);
}

/* The file that has mapped the stretch: @f, or one of a recorder's several files; NULL: neither. */
static const struct data_file *file_of(const struct data_file *f, const uint8_t *data, uint64_t size)
{
	if (has(f, data, size))
		return f;
	vec_for(part, &f->parts)
		if (part->whole && has(part->whole, data, size))
			return part->whole;
	return NULL;
}

void data_view_set(struct data_view *v, const struct data_file *f, const uint8_t *data, uint64_t size)
{
	v->file = file_of(f, data, size);
	v->data = data;
	v->size = size;
	v->from = v->nr = 0;
}

static bool read_all(int fd, uint8_t *to, uint64_t size, uint64_t offset)
{
	for (uint64_t at = 0; at < size;) {
		ssize_t n = pread(fd, to + at, size - at, (off_t)(offset + at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

bool data_file_copy(const struct data_file *f, const uint8_t *data, uint64_t size, uint8_t *to)
{
	const struct data_file *file = file_of(f, data, size);

	return file && read_all(file->fd, to, size, (uint64_t)(data - file->map));
}

static void fill(struct data_view *v, uint64_t at, uint64_t size)
{
	if (size > v->room) {
		free(v->copy);
		v->copy = xmalloc_huge(size);
		v->room = size;
	}
	v->from = at;
	v->nr = read_all(v->file->fd, v->copy, size, (uint64_t)(v->data - v->file->map) + at) ? size : 0;
}

const uint8_t *data_view_at(struct data_view *v, uint64_t at, uint64_t least, uint64_t *nr)
{
	uint64_t left = v->size - at;

	least = MIN(least, left);
	if (v->file && (at < v->from || at > v->from + v->nr || v->from + v->nr - at < least))
		fill(v, at, MIN(left, MAX(least, STEP)));
	if (!v->file || !v->nr) {
		*nr = left;
		return v->data + at;
	}
	*nr = v->from + v->nr - at;
	return v->copy + (at - v->from);
}

void data_view_release(struct data_view *v)
{
	free(v->copy);
	*v = (struct data_view){0};
}
