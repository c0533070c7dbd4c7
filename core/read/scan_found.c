/*
 * Applies the MMAP, COMM, FORK and similar records of a recording in order of time, so that struct machine
 * (core/model/machine.h) has the processes and their maps. scan.c finds these records in the first pass over the file.
 */
#include <stdlib.h>
#include <string.h>

#include "core/read/scan.h"
#include "core/model/machine.h"

#define CHUNKS_KEPT	16	/* chunks, of a MiB each, whose pages are kept before the chunk that is being read */

/* ---- time ---- */

/*
 * The time of the last entry of .untimed that begins at @position or before: a record without a time gets the time of the last
 * record before it in the file that has one.
 */
static uint64_t time_untimed(const struct scan *s, uint64_t position)
{
	size_t nr = bisect(i, 0, s->untimed.nr, s->untimed.v[i].position <= position);

	return nr ? s->untimed.v[nr - 1].time : 0;
}

uint64_t scan_time(const struct scan *s, const struct sample_layout *layout, uint64_t time, uint64_t position)
{
	if (s->by_position)
		return position + 1;
	return !layout || layout->type & PERF_SAMPLE_TIME ? time : time_untimed(s, position);
}

/* ---- the side band ---- */

/* Releases chunks @released to @number: side-band records lie all over the file, and reading a page may map its neighbours. */
static size_t release_chunks(const struct chunk_list *l, size_t released, size_t number)
{
	if (number < released + CHUNKS_KEPT)
		return released;
	for (; released < number; released++)
		chunk_release(&l->chunks.v[released]);
	return released;
}

void scan_apply_side_band(struct scan *s, const struct data_file *file, struct machine *machine, uint64_t upto)
{
	size_t nr = 0, released = 0;
	struct record rec;

	vec_for(b, &s->side_band)
		if (s->by_position)
			b->time = b->position + 1;
	order_sort(s->side_band.v, s->side_band.nr, sizeof(*s->side_band.v), 1);
	for (; nr < s->side_band.nr && s->side_band.v[nr].time <= upto; nr++) {
		const struct order_key *b = &s->side_band.v[nr];
		const uint8_t *p = chunk_record(&s->chunks, b->position);
		const struct event *ev = event_of_record(&file->events, p);

		if (!record_read(&rec, p, ev ? &ev->layout : NULL))
			machine_apply(machine, &rec, b->time);
		if (!file->pipe_reader)
			released = release_chunks(&s->chunks, released, b->position / CHUNK_MAX);
	}
	s->side_band.nr -= nr;
	if (s->side_band.nr)
		memmove(s->side_band.v, s->side_band.v + nr, s->side_band.nr * sizeof(*s->side_band.v));
	else
		vec_free(&s->side_band);
}

uint64_t scan_first_side_band(const struct scan *s)
{
	uint64_t first = UINT64_MAX;

	vec_for(b, &s->side_band)
		first = MIN(first, b->position);
	return first;
}

uint64_t scan_release_before(struct scan *s, uint64_t position)
{
	size_t nr = 0;

	while (nr + 1 < s->untimed.nr && s->untimed.v[nr + 1].position <= position)
		nr++;
	s->untimed.nr -= nr;
	if (nr)
		memmove(s->untimed.v, s->untimed.v + nr, s->untimed.nr * sizeof(*s->untimed.v));
	return chunk_release_before(&s->chunks, position);
}

static bool is_forgotten(const struct scan *s, uint64_t position)
{
	return !s->chunks.chunks.v[position / CHUNK_MAX].size;
}

static void forget_positions(struct scan *s)
{
	size_t kept = 0;

	vec_for(b, &s->side_band)
		if (!is_forgotten(s, b->position))
			s->side_band.v[kept++] = *b;
	s->side_band.nr = kept;
	kept = 0;
	vec_for(r, &s->trace_records.list)
		if (!is_forgotten(s, r->position))
			s->trace_records.list.v[kept++] = *r;
	s->trace_records.list.nr = kept;
}

void scan_forget_parts(struct scan *s, const struct data_file *file, size_t nr)
{
	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++) {
		chunk_forget(&s->chunks, file->parts.v[i].data, file->parts.v[i].size);
		session_counts_release(&s->of_parts.v[i]);
	}
	s->of_parts.nr -= nr;
	memmove(s->of_parts.v, s->of_parts.v + nr, s->of_parts.nr * sizeof(*s->of_parts.v));
	forget_positions(s);
}

void scan_release(struct scan *s)
{
	chunk_list_release(&s->chunks);
	vec_free(&s->side_band);
	vec_free(&s->untimed);
	vec_free(&s->trace_records.list);
	vec_free(&s->deferred.list);
	session_counts_release(&s->counts);
	vec_for(c, &s->of_parts)
		session_counts_release(c);
	vec_free(&s->of_parts);
}
