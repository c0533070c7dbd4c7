/*
 * Reads the header, the attrs with their ids (they say where a record's CPU and thread are) and walks the records.
 * All is little-endian, as the machines are that record here.
 * Format: Linux 6.1, tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h.
 *
 */
#include "tests/vm/aux_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/aux_unpack.h"
#include "tests/vm/aux_words.h"

enum { RECORD_LOST = 2, RECORD_SAMPLE = 9, RECORD_AUX = 11, RECORD_HEADER_ATTR = 64, RECORD_AUXTRACE = 71 };

#define STREAM_HEADER 16	/* and a file's is longer */

/* Bits of attr.sample_type whose values end every record if attr.sample_id_all is set, in this order. */
enum {
	ID_TID = 1 << 1, ID_TIME = 1 << 2, ID_ID = 1 << 6, ID_CPU = 1 << 7, ID_STREAM = 1 << 9, ID_IDENTIFIER = 1 << 16,
};

/* The types at the beginning of a sample, a word each, and the trace at its end. */
#define SAMPLE_WORDS	0x103cfu
#define SAMPLE_AUX	(1u << 20)

struct event {
	uint64_t sample_type;
	uint64_t *ids;
	size_t nr_ids;
};

static int wrong(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	return -1;
}

static void *more(void *array, size_t nr, size_t size)
{
	/* Grows by powers of two. */
	void *new = nr & (nr - 1) ? array : realloc(array, (nr ? nr * 2 : 1) * size);

	if (!new) {
		perror("memory");
		exit(1);
	}
	return new;
}

struct bytes {
	uint8_t *data;
	size_t size;
};

static int load(struct bytes *b, const char *path)
{
	FILE *in = fopen(path, "rb");
	long size = -1;

	if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < STREAM_HEADER || fseek(in, 0, SEEK_SET)) {
		if (in)
			fclose(in);
		return wrong(path, "cannot read it, or too small");
	}
	*b = (struct bytes){ malloc((size_t)size), (size_t)size };
	if (!b->data || fread(b->data, 1, b->size, in) != b->size) {
		fclose(in);
		return wrong(path, "cannot read it");
	}
	fclose(in);
	return 0;
}

static int within(const struct bytes *b, uint64_t at, uint64_t size)
{
	return at <= b->size && size <= b->size - at;
}

static void add_event(struct aux_file *f, const uint8_t *attr, const uint8_t *ids, size_t ids_size)
{
	struct event *e;

	f->events = more(f->events, f->nr_events, sizeof(*e));
	e = &f->events[f->nr_events++];
	*e = (struct event){ u64_at(attr + 24), calloc(ids_size / 8 + 1, 8), ids_size / 8 };
	if (e->ids)
		memcpy(e->ids, ids, e->nr_ids * 8);
}

/* A file's attrs: each perf_event_attr is followed by the place of its ids. */
static int read_events(struct aux_file *f, const struct bytes *b, const char *path)
{
	uint64_t each = u64_at(b->data + 16), at = u64_at(b->data + 24), size = u64_at(b->data + 32);

	if (each < 64 + 16 || !within(b, at, size))
		return wrong(path, "attrs outside the file");
	for (uint64_t i = 0; i + each <= size; i += each) {
		const uint8_t *attr = b->data + at + i;
		uint64_t ids = u64_at(attr + each - 16), ids_size = u64_at(attr + each - 8);

		if (!within(b, ids, ids_size))
			return wrong(path, "ids outside the file");
		add_event(f, attr, b->data + ids, ids_size);
	}
	return 0;
}

/* A stream's: HEADER_ATTR records, each an attr, which says its size, and its ids. */
static void read_stream_events(struct aux_file *f, const struct unpacked *u)
{
	for (size_t at = 0; at < u->size;) {
		const uint8_t *rec = u->bytes + at;
		uint64_t n = record_extent(rec, u->size - at), attr = n >= 72 ? u32_at(rec + 12) : 0;

		if (u32_at(rec) == RECORD_HEADER_ATTR && attr >= 64 && attr <= n - 8)
			add_event(f, rec + 8, rec + 8 + attr, n - 8 - attr);
		at += n;
	}
}

/* The sample type of the event that a record comes from, by the word where its identifier would be. */
static uint64_t sample_type_of(const struct aux_file *f, const uint8_t *word)
{
	uint64_t id = u64_at(word);

	for (size_t i = 0; i < f->nr_events; i++)
		for (size_t j = 0; f->events[i].sample_type & ID_IDENTIFIER && j < f->events[i].nr_ids; j++)
			if (f->events[i].ids[j] == id)
				return f->events[i].sample_type;
	return f->events[0].sample_type;
}

static size_t bits(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

/* CPU and thread from a record's end; -1 where it has none. */
static void trailer(const struct aux_file *f, const uint8_t *rec, size_t size, int32_t *cpu, int32_t *tid)
{
	uint64_t type = sample_type_of(f, rec + size - 8);
	size_t words = bits(type & (ID_TID | ID_TIME | ID_ID | ID_CPU | ID_STREAM | ID_IDENTIFIER));
	const uint8_t *p;

	*cpu = *tid = -1;
	if (size < 32 + words * 8)
		return;
	p = rec + size - words * 8;
	if (type & ID_TID) {
		*tid = (int32_t)u32_at(p + 4);
		p += 8;
	}
	p += 8 * (!!(type & ID_TIME) + !!(type & ID_ID) + !!(type & ID_STREAM));
	if (type & ID_CPU)
		*cpu = (int32_t)u32_at(p);
}

static struct buffer *buffer_of(struct aux_file *f, int32_t cpu, int32_t tid)
{
	struct buffer *b;

	for (b = f->buffers; b < f->buffers + f->nr_buffers; b++)
		if (cpu >= 0 ? b->cpu == cpu : b->cpu < 0 && b->tid == tid)
			return b;
	f->buffers = more(f->buffers, f->nr_buffers, sizeof(*b));
	b = &f->buffers[f->nr_buffers++];
	*b = (struct buffer){ .cpu = cpu, .tid = tid };
	return b;
}

static void add_piece(struct aux_file *f, const uint8_t *rec, uint64_t size)
{
	struct buffer *b = buffer_of(f, (int32_t)u32_at(rec + 40), (int32_t)u32_at(rec + 36));

	b->pieces = more(b->pieces, b->nr_pieces, sizeof(*b->pieces));
	b->pieces[b->nr_pieces++] = (struct piece){ u64_at(rec + 16), size, rec + (u32_at(rec + 4) >> 16) };
}

static int add_sample(struct aux_file *f, const char *path, const uint8_t *rec, size_t size)
{
	uint64_t type = sample_type_of(f, rec + 8), trace;
	size_t at = 8 + 8 * bits(type & SAMPLE_WORDS);

	if (!(type & SAMPLE_AUX))
		return 0;
	if (type & ~(uint64_t)(SAMPLE_WORDS | SAMPLE_AUX))
		return wrong(path, "samples with fields that this check does not read");
	if (at + 8 > size || (trace = u64_at(rec + at)) > size - at - 8)
		return wrong(path, "a sample too short for its trace");
	if (!trace)
		return 0;
	f->samples = more(f->samples, f->nr_samples, sizeof(*f->samples));
	f->samples[f->nr_samples++] = (struct aux_sample){ rec + at + 8, trace };
	return 0;
}

/* Areas are of CPUs unless a thread's was seen: the pieces come after what announces them, so this is a second walk. */
static void add_announcement(struct aux_file *f, const uint8_t *rec, size_t size, int by_thread)
{
	int32_t cpu, tid;
	struct buffer *b;

	trailer(f, rec, size, &cpu, &tid);
	b = buffer_of(f, by_thread ? -1 : cpu, tid);
	b->announced = more(b->announced, b->nr_announced, sizeof(*b->announced));
	b->announced[b->nr_announced++] = (struct announcement){ u64_at(rec + 8), u64_at(rec + 16), u64_at(rec + 24) };
}

/* One walk for the pieces, another for what announces them. */
static int walk(struct aux_file *f, const struct unpacked *u, const char *path, int pieces)
{
	int by_thread = f->nr_buffers && f->buffers[0].cpu < 0;

	for (size_t at = 0; at < u->size;) {
		const uint8_t *rec = u->bytes + at;
		uint64_t all = record_extent(rec, u->size - at), size = u32_at(rec + 4) >> 16;
		uint32_t type = u32_at(rec);

		if (pieces && type == RECORD_SAMPLE && size >= 16 && add_sample(f, path, rec, size))
			return -1;
		if (pieces && type == RECORD_AUXTRACE && size >= 48)
			add_piece(f, rec, all - size);
		if (!pieces && type == RECORD_AUX && size >= 32)
			add_announcement(f, rec, size, by_thread);
		if (!pieces && type == RECORD_LOST && size >= 24)
			f->lost += u64_at(rec + 16);
		at += all;
	}
	return 0;
}

/* Size 0: the recorder was killed, and the data goes on to the end. */
static int find_data(struct bytes *data, const struct bytes *b, const char *path)
{
	uint64_t at, size;

	if (memcmp(b->data, "PERFILE2", 8))
		return wrong(path, "not a perf.data file of this byte order");
	*data = (struct bytes){ b->data + STREAM_HEADER, b->size - STREAM_HEADER };
	if (u64_at(b->data + 8) == STREAM_HEADER)
		return 0;
	if (b->size < 104)
		return wrong(path, "too small");
	at = u64_at(b->data + 40);
	size = u64_at(b->data + 48);
	if (!within(b, at, size))
		return wrong(path, "data outside the file");
	*data = (struct bytes){ b->data + at, size ? size : b->size - at };
	return 0;
}

static int read_parts(struct aux_file *f, const struct bytes *b, const char *path)
{
	struct bytes data;
	struct unpacked u;

	if (find_data(&data, b, path))
		return -1;
	if (aux_unpack(&u, data.data, data.size)) {
		free(u.bytes);
		return wrong(path, "cannot unpack it");
	}
	f->parts = more(f->parts, f->nr_parts, sizeof(*f->parts));
	f->parts[f->nr_parts++] = u.bytes;
	f->cut = f->cut || u.cut;
	if (data.data == b->data + STREAM_HEADER)
		read_stream_events(f, &u);
	else if (read_events(f, b, path))
		return -1;
	if (!f->nr_events)
		return wrong(path, "no attrs");
	return walk(f, &u, path, 1) || walk(f, &u, path, 0) ? -1 : 0;
}

int aux_file_add(struct aux_file *f, const char *path)
{
	struct bytes b = { 0 };
	int err = load(&b, path);

	if (!err)
		err = read_parts(f, &b, path);
	free(b.data);
	return err;
}

void aux_file_close(struct aux_file *f)
{
	for (size_t i = 0; i < f->nr_events; i++)
		free(f->events[i].ids);
	for (size_t i = 0; i < f->nr_buffers; i++) {
		free(f->buffers[i].pieces);
		free(f->buffers[i].announced);
	}
	free(f->events);
	free(f->buffers);
	free(f->samples);
	for (size_t i = 0; i < f->nr_parts; i++)
		free(f->parts[i]);
	free(f->parts);
}
