/*
 * Divides the data section into chunks of about 1 MiB of whole records, which worker threads read in parallel. scan.c makes the
 * chunks in the first pass over a recording (session.h).
 */
#ifndef CORE_READ_CHUNK_H
#define CORE_READ_CHUNK_H

#include <string.h>

#include "core/base/vec.h"
#include "core/perfdata/record.h"
#include "core/perfdata/sample_run.h"

struct data_file;
struct data_view;

#define CHUNK_TARGET	(1u << 20)	/* a chunk ends when it has this many bytes */
#define CHUNK_MAX	(1u << 24)	/* maximum size of a chunk: offsets are the low 24 bits of a position */
#define SPOOL_IN_MEMORY	(8u << 20)	/* bytes; once the spool has so many, new segments are in a file */

/*
 * The records of a chunk are uncompressed and in native byte order. If the records in the file are so, too, a chunk is a part of
 * the mapped file. Otherwise the records are converted into a buffer, the spool. The spool grows in segments of 16 MiB. The first
 * segment is in memory, and later segments are in an unlinked temporary file.
 *
 * A *position* identifies a record: one word has the chunk's number and the offset in the chunk. Positions ascend as in the file.
 */
struct chunk {
	const uint8_t *data;	/* whole records, one after the other */
	const uint8_t *mapped;	/* from chunk_load() to chunk_unload(): the place of the data in the mapped file */
	uint32_t size, nr;	/* bytes, records */
	bool spooled;
	bool unpacked;		/* from COMPRESSED records */
	bool in_memory;		/* spooled, and not in a file: its pages cannot be read again */
	uint64_t offset;	/* offset in the file of the first record, or of the COMPRESSED record if .unpacked */
	uint64_t from, to;	/* the earliest and latest time of its samples, ns; 0, 0: unknown, or no samples */
	bool unsure;		/* a sample has no time, or may be damaged */
	struct id_set tids, cpus;	/* all of its samples', if not .unsure; samples without a CPU add none */
	uint32_t samples;		/* .indexed: number of its samples */
	bool indexed;			/* from the file's index: the first pass did not read it; later readers check it */
	bool only_samples;		/* .indexed: it has samples, FINISHED_ROUND and nothing else */
	bool damaged;			/* its records differ from the index */
};

struct spool_segment { uint8_t *data; size_t size, used; bool in_file; };	/* size 0: it was released */

struct chunk_list {
	VEC(struct chunk) chunks;
	VEC(struct spool_segment) segments;
	uint64_t spooled;	/* bytes */
	bool closed;		/* the last chunk is complete */
	int fd;			/* the temporary file, -1 until it is needed. chunk_list_init() sets it to -1 */
};

void chunk_list_init(struct chunk_list *l);
void chunk_list_release(struct chunk_list *l);

/* The slow path of chunk_add(); do not call it directly. */
uint64_t chunk_add_other(struct chunk_list *l, const uint8_t *record, uint32_t size, uint64_t offset);
/*
 * Copies a record into the spool, and sets *out to the address of the copy. @record NULL: only reserves room. @offset: the offset
 * in the file of the record or, if it was @unpacked, of its COMPRESSED record. Returns the position of the copy, or UINT64_MAX if
 * the temporary file failed (errno is set).
 */
uint64_t chunk_spool(struct chunk_list *l, const void *record, uint32_t size, uint64_t offset, bool unpacked, uint8_t **out);

/* Adds a chunk from another list of chunks of the same file. Returns its number. */
size_t chunk_append(struct chunk_list *l, const struct chunk *chunk);

/* Ends the current chunk. Returns the number of chunks. */
size_t chunk_close(struct chunk_list *l);
/* Releases the spooled data before @position. Returns the lowest offset in the file that is still needed; UINT64_MAX: none. */
uint64_t chunk_release_before(struct chunk_list *l, uint64_t position);

/* Removes the records in the @size bytes at @data of a mapped file, which is unmapped next. Their chunks become empty. */
void chunk_forget(struct chunk_list *l, const uint8_t *data, uint64_t size);

/* Returns the chunk with .data as read by @view; borrowed from @view until it reads another. */
struct chunk chunk_view(const struct chunk *c, struct data_view *view, const struct data_file *file);
/*
 * Copies the data of a mapped chunk to @to, of chunk.size bytes, and uses them there until chunk_unload(). If they cannot be read,
 * the chunk stays as it is.
 */
void chunk_load(struct chunk *c, const struct data_file *file, uint8_t *to);
void chunk_unload(struct chunk *c);
/* Releases the pages of a chunk of the file after it was read: pages_release(). */
void chunk_release(const struct chunk *c);
/*
 * The same for workers that take chunks in order. As reading a page may also map its neighbours, it now and then also releases
 * pages of earlier chunks that other workers have brought back.
 */
void chunk_passed(const struct chunk_list *l, size_t number);

/* The record at @position, and its offset in the file for messages. */
const uint8_t *chunk_record(const struct chunk_list *l, uint64_t position);
uint64_t chunk_file_offset(const struct chunk_list *l, uint64_t position);

static inline uint64_t chunk_position(size_t chunk, uint32_t offset)
{
	return (uint64_t)chunk * CHUNK_MAX + offset;
}

/* Returns the last chunk if @record continues it, as most records do; else NULL. */
static inline struct chunk *chunk_continued(const struct chunk_list *l, const uint8_t *record, uint64_t offset)
{
	struct chunk *c = l->chunks.nr ? &l->chunks.v[l->chunks.nr - 1] : NULL;

	return c && !l->closed && !c->spooled && c->size < CHUNK_TARGET && c->data + c->size == record &&
	       c->offset + c->size == offset ? c : NULL;
}

/* Adds a record of @size bytes that is at @offset in the file. Returns its position. */
static inline uint64_t chunk_add(struct chunk_list *l, const uint8_t *record, uint32_t size, uint64_t offset)
{
	struct chunk *c = chunk_continued(l, record, offset);

	if (!c)
		return chunk_add_other(l, record, size, offset);
	c->size += size;
	c->nr++;
	return chunk_position(l->chunks.nr - 1, c->size - size);
}

/* Notes that the record added last is a sample of @time. @whole: the sample is undamaged, with nothing else to report about it. */
static inline void chunk_sample_time(struct chunk_list *l, uint64_t time, bool whole)
{
	struct chunk *c = &l->chunks.v[l->chunks.nr - 1];

	c->from = c->to && c->from < time ? c->from : time;
	c->to = c->to > time ? c->to : time;
	c->unsure |= !time || !whole;
}

/* Notes that the record added last is a sample of @time with the @size bytes at @body after its header. */
void chunk_sample(struct chunk_list *l, const struct sample_layout *layout, uint64_t time, const uint8_t *body, size_t size);

/* Returns how many bytes, from the record at @offset of the file on, chunk_run_add() may add at once. */
uint64_t chunk_run_room(const struct chunk_list *l, const uint8_t *record, uint64_t offset);
/* Adds the samples of @run, as chunk_add() and chunk_sample() of each sample would. Returns the position of the last sample. */
uint64_t chunk_run_add(struct chunk_list *l, const struct sample_run *run, const uint8_t *records, uint64_t offset);

/* True if a record of @size bytes at @position is within its chunk. False only if the file has changed since. */
static inline bool chunk_holds(const struct chunk_list *l, uint64_t position, uint32_t size)
{
	return size >= sizeof(struct record_header) && size <= l->chunks.v[position / CHUNK_MAX].size - position % CHUNK_MAX;
}

/*
 * Visit the records of a chunk: for (each = {0}; chunk_next(chunk, &each);) each.record, each.header
 * Ends early if the file was changed since the record was added, and never has more than .nr.
 */
struct chunk_cursor { uint32_t at, next, nr; const uint8_t *record; struct record_header header; };

static inline bool chunk_next(struct chunk *c, struct chunk_cursor *each)
{
	if (each->next >= c->size || each->nr == c->nr) {
		c->damaged |= c->indexed && (each->next != c->size || each->nr != c->nr);
		return false;
	}
	each->at = each->next;
	each->record = c->data + each->at;
	memcpy(&each->header, each->record, sizeof(each->header));
	if (each->header.size < sizeof(each->header) || each->header.size > c->size - each->at) {
		c->damaged |= c->indexed;
		return false;
	}
	each->next += each->header.size;
	each->nr++;
	return true;
}

#endif
