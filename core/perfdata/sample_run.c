/*
 * Counts consecutive samples without decoding each of them. core/read/scan_piece.c and data_index.c call sample_run_find() for
 * most samples of a recording, so it must be fast.
 */
#include "core/perfdata/sample_run.h"

#include <string.h>

#include "core/perfdata/record.h"

#define HEADER_SIZE	sizeof(struct record_header)

static uint64_t word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool is_sample(const struct record_header *h, uint64_t left)
{
	return h->type == PERF_RECORD_SAMPLE && h->size >= HEADER_SIZE && h->size <= left;
}

/* The minimum size of a sample with layout @l; 0: such samples must be looked at one by one. */
static uint32_t least_size(const struct sample_layout *l)
{
	if (l->time_at < 0 || l->type & PERF_SAMPLE_AUX)
		return 0;
	return (uint32_t)HEADER_SIZE + MAX((uint32_t)l->time_at + 8, l->only_fixed ? l->fixed_size : 0u);
}

static void add(struct sample_run *run, const struct sample_layout *l, const uint8_t *sample, uint32_t size)
{
	run->time = word_at(sample + HEADER_SIZE + l->time_at);
	run->first_time = MIN(run->first_time, run->time);
	run->last_time = MAX(run->last_time, run->time);
	if (l->only_fixed || sample_is_settled(l, sample + HEADER_SIZE, size - HEADER_SIZE))
		sample_ids_add(&run->tids, &run->cpus, l, sample + HEADER_SIZE);
	else
		run->unsure = true;
	run->unsure |= !run->time;
	run->size = size;
	run->bytes += size;
	run->nr++;
}

/* Adds the following samples of the same size and event, with only fixed fields. Returns how many. Checks only what may differ. */
static uint64_t add_alike(struct sample_run *run, const struct sample_layout *l, const uint8_t *records, uint64_t end,
			  uint16_t id_at)
{
	uint64_t at = run->bytes, id = id_at ? word_at(records + at - run->size + id_at) : 0;
	uint64_t first_time = run->first_time, last_time = run->last_time, time = run->time, nr = 0;
	bool untimed = false;

	for (; at < end; at += run->size, nr++) {
		struct record_header h = record_header_of(records + at);

		if (h.type != PERF_RECORD_SAMPLE || h.size != run->size || (id_at && word_at(records + at + id_at) != id))
			break;
		time = word_at(records + at + HEADER_SIZE + l->time_at);
		sample_ids_add(&run->tids, &run->cpus, l, records + at + HEADER_SIZE);
		first_time = MIN(first_time, time);
		last_time = MAX(last_time, time);
		untimed |= !time;
	}
	run->first_time = first_time;
	run->last_time = last_time;
	run->time = time;
	run->unsure |= untimed;
	run->bytes = at;
	run->nr += nr;
	return nr;
}

/* True if the id alone, or a single event, determines the event of a sample of @size bytes. */
static bool is_remembered(const struct event_memo *m, uint16_t size)
{
	return m->id_at ? m->id_at + sizeof(uint64_t) <= size : m->slots[0].event != NULL;
}

/* A sample of @size bytes is below @room, and whole in the @left bytes, if it begins before this offset. */
static uint64_t end_of_whole(uint64_t size, uint64_t left, uint64_t room)
{
	return left < size ? 0 : MIN(room, left - size + 1);
}

bool sample_run_find(struct sample_run *out, uint64_t *by_event, struct event_memo *memo, const struct event_table *events,
		     const uint8_t *records, uint64_t left, uint64_t room)
{
	struct sample_run run = { .first_time = UINT64_MAX };
	const struct event *last = NULL;
	uint32_t least = 0;

	while (run.bytes < room && left - run.bytes >= HEADER_SIZE) {
		const uint8_t *sample = records + run.bytes;
		struct record_header h = record_header_of(sample);
		const struct event *ev;

		if (!is_sample(&h, left - run.bytes))
			break;
		ev = event_of_sample(memo, events, sample, h.size);
		if (ev != last)
			least = ev ? least_size(&ev->layout) : 0;
		last = ev;
		if (!least || h.size < least)
			break;
		add(&run, &ev->layout, sample, h.size);
		by_event[ev->number]++;
		if (ev->layout.only_fixed && is_remembered(memo, h.size))
			by_event[ev->number] += add_alike(&run, &ev->layout, records, end_of_whole(h.size, left, room),
							  memo->id_at);
	}
	*out = run;
	return run.nr;
}
