/* Gathering of keys, by chunk in parallel. Layer: flow */
#include "core/flow/keys.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/pool.h"
#include "core/flow/session.h"
#include "core/flow/session_impl.h"

#define NO_TIME		UINT64_MAX	/* not known within its chunk */

struct chunk_keys {
	size_t first, nr;	/* of the keys: room for all its records', and how many there are */
	uint64_t last_time;	/* of the chunk's last record that has one */
};

struct gathering {
	struct session *session;
	const struct ordered_pass *pass;
	void *ctx;
	struct chunk_keys *by_chunk;	/* of those after out->nr_chunks */
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

static void gather_chunk(void *arg, unsigned worker, size_t number)
{
	struct gathering *g = arg;
	size_t chunk = g->out->nr_chunks + number;
	const struct chunk *c = &g->session->scan.chunks.chunks.v[chunk];
	struct chunk_keys *keys = &g->by_chunk[number];
	struct order_key *key = g->out->keys + keys->first;
	uint64_t time = NO_TIME;

	(void)worker;
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

/* Close the gaps between the chunks' keys; what had no time before it in its chunk gets that of the chunks before. */
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

void keys_gather(struct key_list *out, struct session *s, const struct ordered_pass *pass, void *ctx)
{
	struct gathering gathering = { .session = s, .pass = pass, .ctx = ctx, .out = out }, *g = &gathering;
	size_t nr = chunk_close(&s->scan.chunks) - out->nr_chunks, nr_keys = out->nr;

	g->by_chunk = xcalloc(MAX(nr, 1), sizeof(*g->by_chunk));
	for (size_t i = 0; i < nr; i++) {
		g->by_chunk[i].first = nr_keys;
		nr_keys += s->scan.chunks.chunks.v[out->nr_chunks + i].nr;
	}
	out->keys = xrealloc(out->keys, MAX(nr_keys, 1) * sizeof(*out->keys));
	g->sample_time_at = common_time_at(&s->file->events);
	pool_run(s->jobs, nr, gather_chunk, g);
	join_keys(g, nr);
	free(g->by_chunk);
	out->nr_chunks += nr;
	if (!g->pass->file_order)
		order_sort(out->keys, out->nr, s->jobs);
}
