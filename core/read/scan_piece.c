/*
 * Makes the first pass over an 8 MiB part of the data section, in one worker thread: searches for the first record header in the
 * part, and walks over the records from there. scan.c merges the results of the parts.
 * Layer: read
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

static struct record_header header_at(const uint8_t *p)
{
	struct record_header h;

	memcpy(&h, p, HEADER_SIZE);
	return h;
}

/* ---- where a record begins ---- */

/* True if the bytes look like a record. Recorders write sizes in whole words. */
static bool is_like_record(const struct data_file *file, const uint8_t *record, uint64_t left)
{
	struct record_header h;
	const struct event *ev;

	if (left < HEADER_SIZE)
		return false;
	h = header_at(record);
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
		at += header_at(part->data + at).size;
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

static void on_sample(struct scan_piece *p, const struct event *ev, const uint8_t *record, uint64_t position, uint16_t size)
{
	uint64_t time;

	p->nr_samples++;
	if (!ev) {
		chunk_sample_time(&p->chunks, 0, false);
		p->no_event++;
		return;
	}
	p->samples_by_event.v[ev->number]++;
	if ((size_t)ev->layout.time_at + 8 > size - HEADER_SIZE) {
		chunk_sample_time(&p->chunks, 0, false);
		return;
	}
	memcpy(&time, record + HEADER_SIZE + ev->layout.time_at, 8);
	chunk_sample(&p->chunks, &ev->layout, time, record + HEADER_SIZE, size - HEADER_SIZE);
	p->first_time = MIN(p->first_time, time);
	p->last_time = MAX(p->last_time, time);
	p->time = time;
	p->time_at = position;
}

/* Adds the samples from @at on at once. Returns the number of their bytes; 0: the first record must be taken by itself. */
static uint64_t add_run(struct scan_piece *p, struct event_memo *memo, const struct data_file *file, const struct data_part *part,
			uint64_t at, struct data_view *view)
{
	uint64_t left;
	const uint8_t *records = data_view_at(view, at, UINT16_MAX, &left);
	uint64_t offset = part->offset + at;
	uint64_t room = MIN(p->to - at, chunk_run_room(&p->chunks, part->data + at, offset));
	struct sample_run run;

	if (!sample_run_find(&run, p->samples_by_event.v, memo, &file->events, records, left, room))
		return 0;
	p->time_at = chunk_run_add(&p->chunks, &run, part->data + at, offset);
	p->time = run.time;
	p->first_time = MIN(p->first_time, run.first_time);
	p->last_time = MAX(p->last_time, run.last_time);
	p->nr_samples += run.nr;
	return run.bytes;
}

void scan_piece_walk(struct scan_piece *p, const struct data_file *file, const struct data_part *part)
{
	struct event_memo memo = {0};
	struct data_view view = {0};
	uint64_t at;

	data_view_set(&view, file, part->data, part->size);

	chunk_list_init(&p->chunks);
	p->first_time = UINT64_MAX;
	p->samples_by_event.v = xcalloc(file->events.events.nr, sizeof(uint64_t));
	p->samples_by_event.nr = p->samples_by_event.cap = file->events.events.nr;
	for (at = p->begin; at < p->to && part->size - at >= HEADER_SIZE;) {
		const uint8_t *record = part->data + at;
		struct record_header h = header_at(data_view_peek(&view, at, HEADER_SIZE));
		uint64_t position, run;

		if (h.size < HEADER_SIZE || h.size > part->size - at)
			break;
		run = h.type == PERF_RECORD_SAMPLE ? add_run(p, &memo, file, part, at, &view) : 0;
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
			on_sample(p, event_of_sample(&memo, &file->events, record, h.size), record, position, h.size);
		} else if (h.type == RECORD_FINISHED_ROUND) {
			p->nr_rounds++;
		} else {
			vec_push(&p->others, position);
			if (h.type >= RECORD_HEADER_ATTR)
				memo = (struct event_memo){0};
		}
		at += h.size;
	}
	p->end = at;
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
	vec_free(&p->samples_by_event);
	*p = (struct scan_piece){0};
}
