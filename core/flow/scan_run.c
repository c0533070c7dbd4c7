/* Runs of samples. Layer: flow */
#include "core/flow/scan_run.h"

#include <string.h>

#define HEADER_SIZE	sizeof(struct record_header)

static struct record_header header_at(const uint8_t *p)
{
	struct record_header h;

	memcpy(&h, p, HEADER_SIZE);
	return h;
}

static bool is_sample(const struct record_header *h, uint64_t left)
{
	return h->type == PERF_RECORD_SAMPLE && h->size >= HEADER_SIZE && h->size <= left;
}

/* The bytes that a sample has to have; 0: each is looked at by itself. */
static uint32_t least_size(const struct sample_layout *l)
{
	if (l->time_at < 0 || l->type & PERF_SAMPLE_AUX)
		return 0;
	return (uint32_t)HEADER_SIZE + MAX((uint32_t)l->time_at + 8, l->only_fixed ? l->fixed_size : 0u);
}

static void add(struct scan_run *run, const struct sample_layout *l, const uint8_t *sample, uint32_t size)
{
	memcpy(&run->time, sample + HEADER_SIZE + l->time_at, sizeof(run->time));
	run->first_time = MIN(run->first_time, run->time);
	run->last_time = MAX(run->last_time, run->time);
	run->unsure |= !run->time || (!l->only_fixed && !sample_is_whole(l, sample + HEADER_SIZE, size - HEADER_SIZE));
	run->size = size;
	run->bytes += size;
	run->nr++;
}

bool scan_run_find(struct scan_run *out, uint64_t *by_event, struct event_memo *memo, const struct event_table *events,
		   const uint8_t *records, uint64_t left, uint64_t room)
{
	struct scan_run run = { .first_time = UINT64_MAX };
	const struct event *last = NULL;
	uint32_t least = 0;

	while (run.bytes < room && left - run.bytes >= HEADER_SIZE) {
		const uint8_t *sample = records + run.bytes;
		struct record_header h = header_at(sample);
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
	}
	*out = run;
	return run.nr;
}

/* Does what stands at @record continue the last chunk? */
static bool continues(const struct chunk_list *l, const uint8_t *record, uint64_t offset)
{
	const struct chunk *c = l->chunks.nr ? &l->chunks.v[l->chunks.nr - 1] : NULL;

	return c && !l->closed && !c->spooled && c->size < CHUNK_TARGET && c->data + c->size == record &&
	       c->offset + c->size == offset;
}

uint64_t scan_run_room(const struct chunk_list *l, const uint8_t *record, uint64_t offset)
{
	return CHUNK_TARGET - (continues(l, record, offset) ? l->chunks.v[l->chunks.nr - 1].size : 0);
}

uint64_t scan_run_add(struct chunk_list *l, const struct scan_run *run, const uint8_t *records, uint64_t offset)
{
	uint64_t first = chunk_add(l, records, (uint32_t)run->bytes, offset);
	struct chunk *c = &l->chunks.v[l->chunks.nr - 1];

	c->nr += (uint32_t)run->nr - 1;
	chunk_sample_time(l, run->first_time, !run->unsure);
	chunk_sample_time(l, run->last_time, !run->unsure);
	return first + run->bytes - run->size;
}
