/*
 * Makes, writes and reads the index of a recording's records (data_index.h), with which a reader finds samples by time, thread
 * or CPU without reading all data.
 */
#include "core/perfdata/data_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/wire.h"
#include "core/perfdata/record.h"
#include "core/perfdata/sample_run.h"

#define HEADER_SIZE	sizeof(struct record_header)
#define VERSION		1u
#define HEAD_SIZE	16u	/* version and hash */
#define CHUNK_BYTES	160u
#define RUN_BYTES	16u
#define RUNS_MAX	(1u << 20)	/* data with more runs have no index, so that the recorder's memory is bounded */

/* ---- the section ---- */

#define RESIZE(w, list, number) do {			\
	uint64_t wanted = number;			\
							\
	if ((w)->mode == WIRE_READ && wanted) {		\
		vec_reserve(list, wanted);		\
		(list)->nr = wanted;			\
	}						\
} while (0)

static void chunk_pass(struct wire *w, struct data_index_chunk *c)
{
	wire_u32(w, &c->size);
	wire_u32(w, &c->nr);
	wire_u32(w, &c->samples);
	wire_u32(w, &c->unsure);
	wire_u64(w, &c->from);
	wire_u64(w, &c->to);
	for (unsigned i = 0; i < ARRAY_SIZE(c->tids.bits); i++)
		wire_u64(w, &c->tids.bits[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(c->cpus.bits); i++)
		wire_u64(w, &c->cpus.bits[i]);
}

/* Passes all fields after the hash. */
static void index_pass(struct wire *w, struct data_index *x)
{
	uint64_t *const words[] = { &x->data_size, &x->first_time, &x->last_time, &x->time, &x->time_at, &x->nr_rounds,
				    &x->nr_switches, &x->nr_cpu_switches };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		wire_u64(w, words[i]);
	RESIZE(w, &x->samples, wire_count(w, x->samples.nr, sizeof(uint64_t)));
	vec_for(samples, &x->samples)
		wire_u64(w, samples);
	RESIZE(w, &x->chunks, wire_count(w, x->chunks.nr, CHUNK_BYTES));
	vec_for(c, &x->chunks)
		chunk_pass(w, c);
	RESIZE(w, &x->runs, wire_count(w, x->runs.nr, RUN_BYTES));
	vec_for(run, &x->runs) {
		wire_u64(w, &run->offset);
		wire_u32(w, &run->size);
		wire_u32(w, &run->nr);
	}
}

int data_index_read(struct data_index *out, const void *bytes, uint64_t size)
{
	struct wire w = wire_reader(bytes, size);
	uint64_t version, hash;

	*out = (struct data_index){0};
	wire_u64(&w, &version);
	wire_u64(&w, &hash);
	if (w.bad || version != VERSION || hash != hash_bytes(w.pos, wire_left(&w)))
		return -EINVAL;
	index_pass(&w, out);
	return w.bad || wire_left(&w) ? -EINVAL : 0;
}

void data_index_release(struct data_index *x)
{
	vec_free(&x->samples);
	vec_free(&x->chunks);
	vec_free(&x->runs);
}

/* ---- making it ---- */

struct data_index_maker {
	const struct event_table *events;	/* borrowed */
	struct data_index index;
	struct event_memo memo;
	struct buf begun;		/* the first bytes of a record that goes on in the next part */
	bool none;			/* there is no index */
};

bool data_index_counts(uint32_t type)
{
	return type == PERF_RECORD_SAMPLE || type == RECORD_FINISHED_ROUND || type == PERF_RECORD_SWITCH ||
	       type == PERF_RECORD_SWITCH_CPU_WIDE;
}

/* No payload follows a record of these types, and other records are read as without it. */
bool data_index_lists(uint32_t type)
{
	return type == RECORD_FINISHED_INIT || type == RECORD_TIME_CONV || (type < RECORD_HEADER_ATTR && !data_index_counts(type));
}

struct data_index_maker *data_index_begin(const struct event_table *events)
{
	struct data_index_maker *m = xcalloc(1, sizeof(*m));

	m->events = events;
	m->index.first_time = UINT64_MAX;
	RESIZE(&(struct wire){ .mode = WIRE_READ }, &m->index.samples, events->events.nr);
	vec_for(samples, &m->index.samples)
		*samples = 0;
	return m;
}

void data_index_free(struct data_index_maker *m)
{
	if (!m)
		return;
	data_index_release(&m->index);
	buf_release(&m->begun);
	free(m);
}

void data_index_give_up(struct data_index_maker *m)
{
	data_index_release(&m->index);
	m->none = true;
}

static struct data_index_chunk *chunk_of_next(struct data_index *x)
{
	if (!x->chunks.nr || x->chunks.v[x->chunks.nr - 1].size >= DATA_INDEX_CHUNK)
		vec_push(&x->chunks, (struct data_index_chunk){0});
	return &x->chunks.v[x->chunks.nr - 1];
}

/* Adds the samples at @records. Returns their bytes; 0: the first is one that a reader must look at by itself. */
static uint64_t add_samples(struct data_index_maker *m, const uint8_t *records, uint64_t left)
{
	struct data_index *x = &m->index;
	struct data_index_chunk *c = chunk_of_next(x);
	struct sample_run run;

	if (!sample_run_find(&run, x->samples.v, &m->memo, m->events, records, left, DATA_INDEX_CHUNK - c->size))
		return 0;
	x->first_time = MIN(x->first_time, run.first_time);
	x->last_time = MAX(x->last_time, run.last_time);
	x->time = run.time;
	x->time_at = x->data_size + run.bytes - run.size;
	c->from = c->to ? MIN(c->from, run.first_time) : run.first_time;
	c->to = MAX(c->to, run.last_time);
	c->unsure |= run.unsure;
	c->nr += (uint32_t)run.nr;
	c->samples += (uint32_t)run.nr;
	c->size += (uint32_t)run.bytes;
	id_set_merge(&c->tids, &run.tids);
	id_set_merge(&c->cpus, &run.cpus);
	x->data_size += run.bytes;
	return run.bytes;
}

/* Adds a switch record. As a reader would take only its time, the index has the time, and does not list the record. */
static bool count_switch(struct data_index_maker *m, const uint8_t *record, uint32_t type)
{
	const struct event *ev = event_of_record(m->events, record);
	struct data_index *x = &m->index;
	struct record rec;

	if (!ev || record_read(&rec, record, &ev->layout) || !rec.id.has_time || !rec.id.time)
		return false;
	x->time = rec.id.time;
	x->time_at = x->data_size;
	*(type == PERF_RECORD_SWITCH ? &x->nr_switches : &x->nr_cpu_switches) += 1;
	return true;
}

/* Adds a record that a reader must read although there is an index. */
static void add_to_runs(struct data_index *x, uint32_t size, bool begins_chunk)
{
	struct data_index_run *last = x->runs.nr ? &x->runs.v[x->runs.nr - 1] : NULL;

	if (begins_chunk || !last || last->offset + last->size != x->data_size) {
		vec_push(&x->runs, (struct data_index_run){ .offset = x->data_size });
		last = &x->runs.v[x->runs.nr - 1];
	}
	last->size += size;
	last->nr++;
}

/* Returns false for a record that an index cannot have. */
static bool add_other(struct data_index_maker *m, const uint8_t *record, struct record_header h)
{
	struct data_index *x = &m->index;
	struct data_index_chunk *c;

	if (!data_index_counts(h.type) && (!data_index_lists(h.type) || x->runs.nr == RUNS_MAX))
		return false;
	c = chunk_of_next(x);
	if (h.type == RECORD_FINISHED_ROUND)
		x->nr_rounds++;
	else if (data_index_lists(h.type))
		add_to_runs(x, h.size, !c->size);
	else if (!count_switch(m, record, h.type))
		return false;
	c->nr++;
	c->size += h.size;
	x->data_size += h.size;
	return true;
}

/* Adds the whole records at the front of the @size bytes. Returns their bytes. */
static uint64_t add_records(struct data_index_maker *m, const uint8_t *records, uint64_t size)
{
	struct record_header h;
	uint64_t at = 0, run;

	while (size - at >= HEADER_SIZE) {
		memcpy(&h, records + at, HEADER_SIZE);
		if (h.size >= HEADER_SIZE && h.size > size - at)
			break;
		run = h.type == PERF_RECORD_SAMPLE ? add_samples(m, records + at, size - at) : h.size;
		if (run < HEADER_SIZE || (h.type != PERF_RECORD_SAMPLE && !add_other(m, records + at, h))) {
			data_index_give_up(m);
			break;
		}
		at += run;
	}
	return at;
}

/* The size of the record in .begun; while its header is incomplete, the size of a header. */
static size_t begun_size(const struct data_index_maker *m)
{
	struct record_header h;

	if (m->begun.len < HEADER_SIZE)
		return HEADER_SIZE;
	memcpy(&h, m->begun.data, HEADER_SIZE);
	return h.size;
}

/* Takes the rest of the record in .begun from the front of @part, and adds the record if it is complete. Returns bytes taken. */
static size_t complete(struct data_index_maker *m, const uint8_t *part, size_t size)
{
	size_t taken = 0, wanted, some;

	while ((wanted = begun_size(m)) > m->begun.len && taken < size) {
		some = MIN(wanted - m->begun.len, size - taken);
		buf_put(&m->begun, part + taken, some);
		taken += some;
	}
	if (m->begun.len == wanted && add_records(m, (const uint8_t *)m->begun.data, wanted) == wanted)
		m->begun.len = 0;
	return taken;
}

/* A record that wraps around the end of a ring buffer comes in two parts. */
static void add_part(struct data_index_maker *m, const uint8_t *part, size_t size)
{
	size_t at = m->begun.len ? complete(m, part, size) : 0;

	if (m->none || m->begun.len)
		return;
	at += add_records(m, part + at, size - at);
	if (at < size)
		buf_put(&m->begun, part + at, size - at);
}

void data_index_add(struct data_index_maker *m, const struct iovec *parts, int nr_parts)
{
	if (m->events->events.nr != m->index.samples.nr)
		data_index_give_up(m);
	for (int i = 0; i < nr_parts && !m->none; i++)
		add_part(m, parts[i].iov_base, parts[i].iov_len);
}

void *data_index_end(struct data_index_maker *m, uint64_t *size)
{
	struct wire w = { .mode = WIRE_SIZE };
	uint64_t head[2] = { VERSION };
	uint8_t *bytes;

	if (m->none || m->begun.len)
		return NULL;
	index_pass(&w, &m->index);
	*size = HEAD_SIZE + w.size;
	bytes = xmalloc(*size);
	w = wire_writer(bytes + HEAD_SIZE, *size - HEAD_SIZE);
	index_pass(&w, &m->index);
	head[1] = hash_bytes(bytes + HEAD_SIZE, *size - HEAD_SIZE);
	memcpy(bytes, head, HEAD_SIZE);
	return bytes;
}
