/*
 * Reads the time and the position of each record, in several chunks of the file at once. order.c sorts these pairs, so that the
 * records can then be read in order of time.
 */
#include "core/read/keys.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/pool.h"
#include "core/perfdata/data_view.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"

#define NO_TIME		UINT64_MAX	/* not known within its chunk */

struct chunk_keys {
	size_t first, nr;	/* .first: index of its first key, with room for a key of each record; .nr: number of its keys */
	uint64_t last_time;	/* the time of the chunk's last record that has one; or NO_TIME */
};

struct gathering {
	struct session *session;
	const struct ordered_pass *pass;
	void *ctx;
	const struct chunk_span *spans;	/* the chunks that are gathered; NULL: the chunks after out->nr_chunks */
	struct chunk_keys *by_chunk;	/* for each chunk that is gathered, in the same order */
	struct key_list *out;
	int sample_time_at;	/* where all events' samples have their time; -1: it differs, or there is none */
};

static int common_time_at(const struct event_table *t)
{
	int at = t->events.nr ? t->events.v[0]->layout.time_at : -1;

	vec_for(ev, &t->events)
		if ((*ev)->layout.time_at != at)
			return -1;
	return at;
}

/* Time of a record for the order: its own, or else that of the record before it in its chunk (@before). */
static uint64_t order_time(const struct gathering *g, const struct chunk_cursor *each, uint64_t position, uint64_t before)
{
	const struct session *s = g->session;
	size_t body = each->header.size - sizeof(each->header);
	const struct event *ev;
	struct sample_id id;
	struct wire w;
	uint64_t time;

	if (s->scan.by_position)
		return position;
	if (each->header.type == PERF_RECORD_SAMPLE && g->sample_time_at >= 0 && (size_t)g->sample_time_at + 8 <= body) {
		memcpy(&time, each->record + sizeof(each->header) + g->sample_time_at, 8);
		return time;
	}
	ev = event_of_record(&s->file->events, each->record);
	if (!ev || each->header.type >= RECORD_HEADER_ATTR)
		return before;
	if (!(ev->layout.type & PERF_SAMPLE_TIME))
		return scan_time(&s->scan, &ev->layout, 0, position);
	if (each->header.type == PERF_RECORD_SAMPLE) {
		if (ev->layout.time_at < 0 || (size_t)ev->layout.time_at + 8 > body)
			return before;
		memcpy(&time, each->record + sizeof(each->header) + ev->layout.time_at, 8);
		return time;
	}
	if (body < ev->layout.id_size)
		return before;
	w = wire_reader(each->record + each->header.size - ev->layout.id_size, ev->layout.id_size);
	sample_id_pass(&w, &ev->layout, &id);
	return id.has_time ? id.time : before;
}

static size_t chunk_at(const struct gathering *g, size_t number)
{
	return g->spans ? g->spans[number].chunk : g->out->nr_chunks + number;
}

static void gather_chunk(void *arg, unsigned worker, size_t number)
{
	struct gathering *g = arg;
	size_t chunk = chunk_at(g, number);
	struct chunk *c = &g->session->scan.chunks.chunks.v[chunk];
	struct chunk_keys *keys = &g->by_chunk[number];
	struct order_key *key = g->out->keys + keys->first;
	uint64_t time = g->spans ? g->spans[number].before : NO_TIME;

	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		uint64_t position = chunk_position(chunk, each.at);

		if (!g->pass->file_order)
			time = order_time(g, &each, position, time);
		if (!g->pass->wants || g->pass->wants(g->ctx, &each.header))
			*key++ = (struct order_key){ .time = time, .position = position };
	}
	keys->nr = (size_t)(key - g->out->keys) - keys->first;
	keys->last_time = time;
}

/* Moves the keys of chunks together. Records before the first time in a chunk get the time of the chunks before. */
static void join_keys(struct gathering *g, size_t nr_chunks)
{
	uint64_t time = g->out->time;

	for (size_t i = 0; i < nr_chunks; i++) {
		const struct chunk_keys *c = &g->by_chunk[i];
		struct order_key *keys = g->out->keys + g->out->nr;

		if (g->out->nr != c->first)
			memmove(keys, g->out->keys + c->first, c->nr * sizeof(*keys));
		for (size_t k = 0; k < c->nr && keys[k].time == NO_TIME; k++)
			keys[k].time = time;
		g->out->nr += c->nr;
		if (c->last_time != NO_TIME)
			time = c->last_time;
	}
	g->out->time = time;
}

/* Adds the keys of @nr chunks to the list. */
static void gather(struct gathering *g, size_t nr)
{
	struct key_list *out = g->out;
	struct session *s = g->session;
	size_t nr_keys = out->nr;

	g->by_chunk = xcalloc(MAX(nr, 1), sizeof(*g->by_chunk));
	for (size_t i = 0; i < nr; i++) {
		g->by_chunk[i].first = nr_keys;
		nr_keys += s->scan.chunks.chunks.v[chunk_at(g, i)].nr;
	}
	out->keys = xrealloc(out->keys, MAX(nr_keys, 1) * sizeof(*out->keys));
	g->sample_time_at = common_time_at(&s->file->events);
	pool_run(s->jobs, nr, gather_chunk, g);
	join_keys(g, nr);
	free(g->by_chunk);
	if (!g->pass->file_order)
		order_sort(out->keys, out->nr, sizeof(*out->keys), s->jobs);
}

void keys_gather(struct key_list *out, struct session *s, const struct ordered_pass *pass, void *ctx,
		 const struct chunk_span *spans, size_t nr)
{
	struct gathering g = { .session = s, .pass = pass, .ctx = ctx, .out = out, .spans = spans };

	if (!spans)
		nr = chunk_close(&s->scan.chunks) - out->nr_chunks;
	gather(&g, nr);
	out->nr_chunks += nr;
}

size_t keys_before(const struct key_list *l, uint64_t time)
{
	return bisect(i, 0, l->nr, l->keys[i].time < time);
}

/* ---- a few chunks at a time ---- */

struct spanning {
	struct gathering gathering;
	struct chunk_span *spans;	/* by chunk; .before: at first the time of its own last record */
	bool *carries;			/* by chunk: its first records have the time of one before them */
	struct data_view *views;	/* by worker */
};

static void span_chunk(void *arg, unsigned worker, size_t number)
{
	struct spanning *p = arg;
	struct chunk *c = &p->gathering.session->scan.chunks.chunks.v[number];
	struct chunk view = chunk_view(c, &p->views[worker], p->gathering.session->file);
	uint64_t time = NO_TIME, least = NO_TIME;

	for (struct chunk_cursor each = {0}; chunk_next(&view, &each);) {
		time = order_time(&p->gathering, &each, chunk_position(number, each.at), time);
		least = MIN(least, time);
		p->carries[number] |= time == NO_TIME;
	}
	c->damaged |= view.damaged;
	p->spans[number] = (struct chunk_span){ .least = least, .before = time, .chunk = (uint32_t)number };
	chunk_passed(&p->gathering.session->scan.chunks, number);
}

ORDER(compare_spans, struct chunk_span, compare_numbers(a->least, b->least) ?: compare_numbers(a->chunk, b->chunk))

struct chunk_span *keys_spans(const struct session *s, const struct ordered_pass *pass)
{
	size_t nr = s->scan.chunks.chunks.nr;
	struct spanning p = { .spans = xcalloc(MAX(nr, 1), sizeof(*p.spans)), .carries = xcalloc(MAX(nr, 1), 1) };
	uint64_t time = 0;

	if (pass->file_order) {
		for (size_t i = 0; i < nr; i++)
			p.spans[i] = (struct chunk_span){ .least = i, .chunk = (uint32_t)i };
		free(p.carries);
		return p.spans;
	}

	p.gathering = (struct gathering){ .session = (struct session *)(uintptr_t)s, .pass = pass,
					  .sample_time_at = common_time_at(&s->file->events) };
	p.views = xcalloc(s->jobs, sizeof(*p.views));
	pool_run(s->jobs, nr, span_chunk, &p);
	for (unsigned i = 0; i < s->jobs; i++)
		data_view_release(&p.views[i]);
	free(p.views);
	for (size_t i = 0; i < nr; i++) {
		struct chunk_span *span = &p.spans[i];
		uint64_t last = span->before == NO_TIME ? time : span->before;

		span->before = time;
		if (p.carries[i])
			span->least = MIN(span->least, time);
		time = last;
	}
	free(p.carries);
	qsort(p.spans, nr, sizeof(*p.spans), compare_spans);
	return p.spans;
}
