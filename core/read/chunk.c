/*
 * Divides the records of a data section into chunks of about 1 MiB for worker threads (chunk.h). Records that were compressed, or
 * have the other byte order, are copied into memory or a temporary file.
 */
#include "core/read/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/perfdata/data_view.h"
#include "core/base/new_file.h"

#define SEGMENT_SIZE (16u << 20)
#define SWEEP 16	/* chunks; the workers are at most so far apart */

void chunk_list_init(struct chunk_list *l)
{
	*l = (struct chunk_list){ .fd = -1 };
}

void chunk_list_release(struct chunk_list *l)
{
	vec_for(s, &l->segments)
		if (s->size)
			munmap(s->data, s->size);
	if (l->fd >= 0)
		close(l->fd);
	vec_free(&l->segments);
	vec_free(&l->chunks);
	l->fd = -1;
}

void chunk_forget(struct chunk_list *l, const uint8_t *data, uint64_t size)
{
	vec_for(c, &l->chunks)
		if (c->data >= data && c->data < data + size)
			*c = (struct chunk){0};
	l->closed = true;
}

struct chunk chunk_view(const struct chunk *c, struct data_view *view, const struct data_file *file)
{
	struct chunk copy = *c;
	uint64_t nr;

	if (!c->size)
		return copy;
	data_view_set(view, file, c->data, c->size);
	copy.data = data_view_at(view, 0, c->size, &nr);
	return copy;
}

void chunk_load(struct chunk *c, const struct data_file *file, uint8_t *to)
{
	if (c->spooled || !data_file_copy(file, c->data, c->size, to))
		return;
	c->mapped = c->data;
	c->data = to;
}

void chunk_unload(struct chunk *c)
{
	if (c->mapped)
		c->data = c->mapped;
	c->mapped = NULL;
}

void chunk_release(const struct chunk *c)
{
	if (!c->in_memory && c->size)
		pages_release(c->data, c->size);
}

void chunk_passed(const struct chunk_list *l, size_t number)
{
	chunk_release(&l->chunks.v[number]);
	for (size_t i = 2 * SWEEP; number % SWEEP == 0 && number >= 2 * SWEEP && i > SWEEP; i--)
		chunk_release(&l->chunks.v[number - i]);
}

/* A chunk of unpacked data has the offset of its first record, so others are added only while it is small. */
static bool is_continued(const struct chunk *c, const struct chunk *by)
{
	if (c->spooled != by->spooled || c->in_memory != by->in_memory || c->unpacked != by->unpacked ||
	    c->data + c->size != by->data || c->size >= CHUNK_TARGET)
		return false;
	return c->unpacked ? c->offset == by->offset || c->size < CHUNK_TARGET / 16 : c->offset + c->size == by->offset;
}

/* Adds a record, given as a chunk, to the last chunk if it continues that one; else begins a new chunk. */
static uint64_t append(struct chunk_list *l, struct chunk record, uint32_t size)
{
	struct chunk *c = l->chunks.nr ? &l->chunks.v[l->chunks.nr - 1] : NULL;

	if (!c || l->closed || !is_continued(c, &record)) {
		vec_push(&l->chunks, record);
		c = &l->chunks.v[l->chunks.nr - 1];
		l->closed = false;
	}
	c->size += size;
	c->nr++;
	return chunk_position(l->chunks.nr - 1, c->size - size);
}

uint64_t chunk_add_other(struct chunk_list *l, const uint8_t *record, uint32_t size, uint64_t offset)
{
	return append(l, (struct chunk){ .data = record, .offset = offset }, size);
}

void chunk_sample(struct chunk_list *l, const struct sample_layout *layout, uint64_t time, const uint8_t *body, size_t size)
{
	struct chunk *c = &l->chunks.v[l->chunks.nr - 1];
	bool settled = sample_is_settled(layout, body, size);

	chunk_sample_time(l, time, settled);
	if (settled)
		sample_ids_add(&c->tids, &c->cpus, layout, body);
}

uint64_t chunk_run_room(const struct chunk_list *l, const uint8_t *record, uint64_t offset)
{
	const struct chunk *c = chunk_continued(l, record, offset);

	return CHUNK_TARGET - (c ? c->size : 0);
}

uint64_t chunk_run_add(struct chunk_list *l, const struct sample_run *run, const uint8_t *records, uint64_t offset)
{
	uint64_t first = chunk_add(l, records, (uint32_t)run->bytes, offset);
	struct chunk *c = &l->chunks.v[l->chunks.nr - 1];

	c->nr += (uint32_t)run->nr - 1;
	chunk_sample_time(l, run->first_time, !run->unsure);
	chunk_sample_time(l, run->last_time, !run->unsure);
	id_set_merge(&c->tids, &run->tids);
	id_set_merge(&c->cpus, &run->cpus);
	return first + run->bytes - run->size;
}

/* The last segment is full; the part in the file need not be in memory. */
static void release_filled(const struct chunk_list *l)
{
	const struct spool_segment *s = l->segments.nr ? &l->segments.v[l->segments.nr - 1] : NULL;

	if (s && s->in_file && s->size)
		pages_release(s->data, s->size);
}

static int add_segment(struct chunk_list *l)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	off_t at = 0;
	void *p;

	if (l->spooled >= SPOOL_IN_MEMORY) {
		if (l->fd < 0)
			l->fd = temporary_file();
		if (l->fd < 0)
			return -1;
		at = lseek(l->fd, 0, SEEK_END);
		/* Allocates blocks now, so that a full disk is an error here and not a SIGBUS later. */
		errno = posix_fallocate(l->fd, at, SEGMENT_SIZE);
		if (errno)
			return -1;
		flags = MAP_SHARED;
	}
	p = mmap(NULL, SEGMENT_SIZE, PROT_READ | PROT_WRITE, flags, l->spooled >= SPOOL_IN_MEMORY ? l->fd : -1, at);
	if (p == MAP_FAILED)
		return -1;
	release_filled(l);
	vec_push(&l->segments, (struct spool_segment){ .data = p, .size = SEGMENT_SIZE, .in_file = flags == MAP_SHARED });
	return 0;
}

uint64_t chunk_spool(struct chunk_list *l, const void *record, uint32_t size, uint64_t offset, bool unpacked, uint8_t **out)
{
	struct spool_segment *s = l->segments.nr ? &l->segments.v[l->segments.nr - 1] : NULL;

	if (!s || s->size - s->used < size) {
		if (add_segment(l))
			return UINT64_MAX;
		s = &l->segments.v[l->segments.nr - 1];
	}
	*out = s->data + s->used;
	s->used += size;
	l->spooled += size;
	if (record)
		memcpy(*out, record, size);
	return append(l, (struct chunk){ .data = *out, .offset = offset, .spooled = true, .unpacked = unpacked,
					 .in_memory = !s->in_file }, size);
}

size_t chunk_append(struct chunk_list *l, const struct chunk *chunk)
{
	vec_push(&l->chunks, *chunk);
	l->closed = false;
	return l->chunks.nr - 1;
}

size_t chunk_close(struct chunk_list *l)
{
	l->closed = true;
	return l->chunks.nr;
}

/* Releases the segments before the one with @needed (NULL: all but the last one, which is being filled). */
static void let_segments_go(struct chunk_list *l, const uint8_t *needed)
{
	for (size_t i = 0; i + 1 < l->segments.nr; i++) {
		struct spool_segment *s = &l->segments.v[i];

		if (needed >= s->data && needed < s->data + s->size)
			return;
		if (!s->size)
			continue;
		munmap(s->data, s->size);
		l->spooled -= s->used;
		*s = (struct spool_segment){0};
	}
}

uint64_t chunk_release_before(struct chunk_list *l, uint64_t position)
{
	const struct chunk *spooled = NULL, *in_file = NULL;

	for (size_t i = position / CHUNK_MAX; i < l->chunks.nr && !(spooled && in_file); i++) {
		const struct chunk *c = &l->chunks.v[i];

		if (c->spooled)
			spooled = spooled ? spooled : c;
		else
			in_file = in_file ? in_file : c;
	}
	let_segments_go(l, spooled ? spooled->data : NULL);
	return in_file ? in_file->offset : UINT64_MAX;
}

const uint8_t *chunk_record(const struct chunk_list *l, uint64_t position)
{
	return l->chunks.v[position / CHUNK_MAX].data + position % CHUNK_MAX;
}

uint64_t chunk_file_offset(const struct chunk_list *l, uint64_t position)
{
	const struct chunk *c = &l->chunks.v[position / CHUNK_MAX];

	return c->unpacked ? c->offset : c->offset + position % CHUNK_MAX;
}
