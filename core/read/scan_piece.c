/*
 * Makes the first pass over an 8 MiB part of the data section, in one worker thread: searches for the first record header in the
 * part, and walks over the records from there. scan.c merges the results of the parts.
 */
#include "core/read/scan_piece.h"

#include <string.h>

#include "core/base/file.h"
#include "core/perfdata/data_view.h"
#include "core/read/stream.h"

#define HEADER_SIZE	sizeof(struct record_header)
#define LIKE_RECORDS	8	/* this many in a row are taken for records */

bool scan_piece_is_possible(const struct data_file *file)
{
	if (file->swap || file->stream || file->features.has[FEATURE_AUXTRACE] || file->features.has[FEATURE_COMPRESSED])
		return false;
	vec_for(ev, &file->events.events)
		if ((*ev)->layout.time_at < 0 || (*ev)->layout.type & PERF_SAMPLE_AUX)
			return false;
	return file->events.events.nr;
}

/* ---- where a record begins ---- */

/* True if the bytes look like a record. Recorders write sizes in whole words. */
static bool is_like_record(const struct data_file *file, const uint8_t *record, uint64_t left)
{
	struct record_header h;
	const struct event *ev;

	if (left < HEADER_SIZE)
		return false;
	h = record_header_of(record);
	if (h.size < HEADER_SIZE || h.size > left || h.size % RECORD_ALIGN || h.type >= RECORD_MAX || !record_name(h.type))
		return false;
	if (h.type != PERF_RECORD_SAMPLE)
		return true;
	ev = event_of_record(&file->events, record);
	return ev && (size_t)ev->layout.time_at + 8 <= h.size - HEADER_SIZE &&
	       (!ev->layout.only_fixed || h.size >= HEADER_SIZE + ev->layout.fixed_size);
}

static bool begins_records(const struct data_file *file, const struct data_part *part, uint64_t at)
{
	for (unsigned i = 0; i < LIKE_RECORDS && at < part->size; i++) {
		if (!is_like_record(file, part->data + at, part->size - at))
			return false;
		at += record_header_of(part->data + at).size;
	}
	return true;
}

void scan_piece_find(struct scan_piece *p, const struct data_file *file, const struct data_part *part)
{
	for (p->begin = p->from; p->begin && p->begin < p->to; p->begin += RECORD_ALIGN)
		if (begins_records(file, part, p->begin))
			return;
	p->begin = MIN(p->begin, p->to);
}

/* ---- the walk ---- */

/* True for records that must be read in order, because they describe events, are compressed, or have bytes after them. */
static bool is_special(uint32_t type)
{
	return stream_is_header(type) || type == RECORD_AUXTRACE_INFO || type == RECORD_AUXTRACE || type == RECORD_COMPRESSED ||
	       type == RECORD_COMPRESSED2;
}

bool scan_sample(struct scan_samples *s, const struct event *ev, const uint8_t *record, uint16_t size, uint64_t position)
{
	struct session_counts *c = s->counts;

	session_counts_extend(c, s->events->events.nr);
	if (ev)
		c->samples_by_event.v[ev->number]++;
	else
		c->no_event++;
	if (!ev || ev->layout.time_at < 0 || (size_t)ev->layout.time_at + 8 > size - HEADER_SIZE) {
		chunk_sample_time(s->chunks, 0, false);
		return false;
	}
	memcpy(&s->time, record + HEADER_SIZE + ev->layout.time_at, 8);
	s->position = position;
	chunk_sample(s->chunks, &ev->layout, s->time, record + HEADER_SIZE, size - HEADER_SIZE);
	c->first_time = MIN(c->first_time, s->time);
	c->last_time = MAX(c->last_time, s->time);
	return true;
}

uint64_t scan_run(struct scan_samples *s, struct data_view *view, uint64_t at, uint64_t room, uint64_t offset)
{
	struct session_counts *c = s->counts;
	const uint8_t *records;
	struct sample_run run;
	uint64_t left;

	session_counts_extend(c, s->events->events.nr);
	room = MIN(room, chunk_run_room(s->chunks, view->data + at, offset));
	records = data_view_at(view, at, UINT16_MAX, &left);
	if (!sample_run_find(&run, c->samples_by_event.v, &s->memo, s->events, records, left, room))
		return 0;
	s->position = chunk_run_add(s->chunks, &run, view->data + at, offset);
	s->time = run.time;
	c->by_type[PERF_RECORD_SAMPLE] += run.nr;
	c->first_time = MIN(c->first_time, run.first_time);
	c->last_time = MAX(c->last_time, run.last_time);
	return run.bytes;
}

void scan_piece_walk(struct scan_piece *p, const struct data_file *file, const struct data_part *part)
{
	struct scan_samples samples = { .counts = &p->counts, .chunks = &p->chunks, .events = &file->events };
	struct data_view view = {0};
	uint64_t at;

	data_view_set(&view, file, part->data, part->size);
	chunk_list_init(&p->chunks);
	p->counts.first_time = UINT64_MAX;
	for (at = p->begin; at < p->to && part->size - at >= HEADER_SIZE;) {
		const uint8_t *record = part->data + at;
		struct record_header h = record_header_of(data_view_peek(&view, at, HEADER_SIZE));
		const struct event *ev;
		uint64_t position, run;

		if (h.size < HEADER_SIZE || h.size > part->size - at)
			break;
		run = h.type == PERF_RECORD_SAMPLE ? scan_run(&samples, &view, at, p->to - at, part->offset + at) : 0;
		if (run) {
			at += run;
			continue;
		}
		if (is_special(h.type)) {
			p->special = true;
			break;
		}
		position = chunk_add(&p->chunks, record, h.size, part->offset + at);
		if (h.type == PERF_RECORD_SAMPLE) {
			p->counts.by_type[h.type]++;
			ev = event_of_sample(&samples.memo, &file->events, record, h.size);
			scan_sample(&samples, ev, record, h.size, position);
		} else if (h.type == RECORD_FINISHED_ROUND) {
			p->counts.by_type[h.type]++;
		} else {
			vec_push(&p->others, position);
			if (h.type >= RECORD_HEADER_ATTR)
				samples.memo = (struct event_memo){0};
		}
		at += h.size;
	}
	p->end = at;
	p->time = samples.time;
	p->time_at = samples.position;
	p->counts.bytes = at - p->begin;
	data_view_release(&view);
	if (at > p->begin)
		pages_release(part->data + p->begin, at - p->begin);
}

void scan_piece_reset(struct scan_piece *p)
{
	uint64_t from = p->from, to = p->to;

	scan_piece_release(p);
	p->from = from;
	p->to = to;
}

void scan_piece_release(struct scan_piece *p)
{
	chunk_list_release(&p->chunks);
	vec_free(&p->others);
	session_counts_release(&p->counts);
	*p = (struct scan_piece){0};
}
