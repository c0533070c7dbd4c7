/*
 * Checks the index of a data section (core/perfdata/data_index.h), and makes the list of chunks (chunk.h) from it. Without an
 * index, scan.c walks over all record headers to make this list.
 */
#include "core/read/scan_piece.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_index.h"

#define HEADER_SIZE	sizeof(struct record_header)
#define CHUNK_SIZE_MAX	(DATA_INDEX_CHUNK + UINT16_MAX)	/* with the record that closes it */

_Static_assert(DATA_INDEX_CHUNK == CHUNK_TARGET, "the chunks of the index are the reader's");

static void damaged(struct data_file *file, const char *what, uint64_t offset)
{
	char *where = xasprintf("%s at offset %#" PRIx64 " of '%s'", what, offset, file->path);

	findings_add(&file->findings, FINDING_DAMAGED_INDEX, 1, 0, where);
	free(where);
}

/* True if the counts of the index add up. No count may exceed the number of records, so that no sum overflows. */
static bool counts_fit(const struct data_index *x, const struct data_file *file, uint64_t records, uint64_t samples)
{
	uint64_t by_event = 0, others = x->nr_rounds + x->nr_switches + x->nr_cpu_switches;

	if (x->samples.nr != file->events.events.nr || MAX(MAX(x->nr_rounds, x->nr_switches), x->nr_cpu_switches) > records)
		return false;
	vec_for(nr, &x->samples) {
		if (*nr > samples)
			return false;
		by_event += *nr;
	}
	vec_for(run, &x->runs)
		others += run->nr;
	return by_event == samples && others == records - samples;
}

/* True if the index counts no switches. A chunk without a run then has samples and FINISHED_ROUND alone. */
static bool has_no_switches(const struct data_index *x)
{
	return !x->nr_switches && !x->nr_cpu_switches;
}

static bool add_chunks(struct scan_piece *out, const struct data_index *x, const struct data_file *file,
		       const struct data_part *part)
{
	uint64_t at = 0, records = 0;

	vec_for(c, &x->chunks) {
		if (c->size > CHUNK_SIZE_MAX || c->size > part->size - at || c->nr > c->size / HEADER_SIZE || !c->nr ||
		    c->samples > c->nr)
			return false;
		chunk_append(&out->chunks, &(struct chunk){
			.data = part->data + at, .size = c->size, .nr = c->nr, .offset = part->offset + at, .from = c->from,
			.to = c->to, .unsure = c->unsure, .indexed = true, .samples = c->samples, .tids = c->tids,
			.cpus = c->cpus, .only_samples = has_no_switches(x) || c->samples == c->nr });
		if (x->time_at >= at && x->time_at - at < c->size)
			out->time_at = chunk_position(out->chunks.chunks.nr - 1, (uint32_t)(x->time_at - at));
		at += c->size;
		records += c->nr;
		out->counts.by_type[PERF_RECORD_SAMPLE] += c->samples;
	}
	return at == part->size && counts_fit(x, file, records, out->counts.by_type[PERF_RECORD_SAMPLE]);
}

/* The chunk that a run is in, and the offset in the part at which that chunk begins. */
struct run_place { size_t chunk; uint64_t begin; };

/*
 * Adds the records of a run. Returns false if the run does not fit the data. After a run must come a record that the index only
 * counts, or the end of the chunk, which has @size bytes.
 */
static bool add_records(struct scan_piece *out, const struct data_part *part, const struct data_index_run *run,
			struct run_place place, uint64_t size)
{
	uint64_t at = run->offset, end = run->offset + run->size;
	struct record_header h;

	for (uint32_t i = 0; i < run->nr; i++, at += h.size) {
		if (end - at < HEADER_SIZE)
			return false;
		h = record_header_of(part->data + at);
		if (h.size < HEADER_SIZE || h.size > end - at || !data_index_lists(h.type))
			return false;
		vec_push(&out->others, chunk_position(place.chunk, (uint32_t)(at - place.begin)));
	}
	if (at != end || end == place.begin + size)
		return at == end;
	return part->size - end >= HEADER_SIZE && data_index_counts(record_header_of(part->data + end).type);
}

/* Adds the records of all runs; reads only their pages of the file. Returns NULL, or the first run that does not fit the data. */
static const struct data_index_run *add_runs(struct scan_piece *out, const struct data_index *x, const struct data_part *part)
{
	struct run_place place = {0};
	uint64_t last = 0;

	vec_for(run, &x->runs) {
		if (run->offset < last || run->offset >= part->size || run->size > part->size - run->offset)
			return run;
		last = run->offset + run->size;
		while (run->offset - place.begin >= x->chunks.v[place.chunk].size)
			place.begin += x->chunks.v[place.chunk++].size;
		if (last - place.begin > x->chunks.v[place.chunk].size)
			return run;
		pages_will_be_read(part->data + run->offset, run->size);
		if (!add_records(out, part, run, place, x->chunks.v[place.chunk].size))
			return run;
		out->chunks.chunks.v[place.chunk].only_samples = false;
	}
	return NULL;
}

static bool make_piece(struct scan_piece *out, const struct data_index *x, struct data_file *file, const struct data_part *part)
{
	struct session_counts *c = &out->counts;
	const struct data_index_run *bad;

	if (!add_chunks(out, x, file, part)) {
		damaged(file, "the index counts other records than there are", part->offset);
		return false;
	}
	pages_are_scattered(part->data, part->size, true);
	bad = add_runs(out, x, part);
	pages_are_scattered(part->data, part->size, false);
	if (bad) {
		damaged(file, "the index lists other records than there are", part->offset + MIN(bad->offset, part->size));
		return false;
	}
	vec_append(&c->samples_by_event, &x->samples);
	c->by_type[RECORD_FINISHED_ROUND] = x->nr_rounds;
	c->by_type[PERF_RECORD_SWITCH] = x->nr_switches;
	c->by_type[PERF_RECORD_SWITCH_CPU_WIDE] = x->nr_cpu_switches;
	c->first_time = x->first_time;
	c->last_time = x->last_time;
	c->bytes = part->size;
	out->time = x->time;
	debug(1, "index: %zu of %zu records are read at once", out->others.nr, out->others.nr + c->by_type[PERF_RECORD_SAMPLE] +
	      x->nr_rounds + x->nr_switches + x->nr_cpu_switches);
	return true;
}

static bool may_be_used(const struct data_file *file)
{
	return file->features.has[FEATURE_DATA_INDEX] && file->parts.nr == 1 && file->data_size && scan_piece_is_possible(file);
}

bool scan_index_read(struct scan_piece *out, struct data_file *file, const struct data_part *part)
{
	const struct features *f = &file->features;
	struct data_index x;
	bool good;

	*out = (struct scan_piece){ .end = part->size };
	chunk_list_init(&out->chunks);
	if (!may_be_used(file))
		return false;
	good = !data_index_read(&x, f->data_index, f->data_index_size) && x.data_size == part->size;
	if (!good)
		damaged(file, "the index is damaged, or belongs to other data", part->offset);
	else
		good = make_piece(out, &x, file, part);
	data_index_release(&x);
	return good;
}

void scan_index_check(struct data_file *file)
{
	const struct features *f = &file->features;
	struct data_index_maker *m;
	uint64_t size = 0;
	void *bytes;

	if (!may_be_used(file))
		return;
	m = data_index_begin(&file->events);
	data_index_add(m, &(struct iovec){ (void *)(uintptr_t)file->parts.v[0].data, file->parts.v[0].size }, 1);
	bytes = data_index_end(m, &size);
	if (!bytes || size != f->data_index_size || memcmp(bytes, f->data_index, size))
		damaged(file, "the index differs from one made of the data", file->parts.v[0].offset);
	free(bytes);
	data_index_free(m);
}
