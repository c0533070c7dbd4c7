/*
 * Reads only the records of given types, such as context switches, in no particular order (session_records()). Each worker
 * thread takes parts of about 1 MiB of the recording (chunk.h), one after the other.
 */
#include "core/base/file.h"
#include "core/base/pool.h"
#include "core/perfdata/data_view.h"
#include "core/read/item_reader.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"

struct record_worker {
	struct item_reader reader;
	struct event_memo memo;
	struct data_view view;	/* a view of the present chunk; unused if .scattered */
	void *private;		/* NULL: it has had no work yet */
};

struct record_state {
	const struct session *session;
	const struct record_pass *pass;
	void *ctx;
	struct record_worker *workers;
	bool wanted[RECORD_MAX];	/* by type of record */
	bool scattered;		/* few chunks are read, so the kernel is not to read ahead */
};

/* Reads a simple sample, with the same result as item_read(). Returns false if the sample is not simple. */
static bool read_bare(const struct session *s, const struct event *ev, const struct chunk_cursor *each, uint64_t position,
		      struct bare_sample *out)
{
	const uint8_t *body = each->record + sizeof(each->header);
	const struct sample_layout *l = &ev->layout;

	*out = (struct bare_sample){ .event = ev, .position = position };
	if (ev->is_offcpu_raw || l->time_at < 0 || s->scan.by_position ||
	    !sample_find_raw(l, body, each->header.size - sizeof(each->header), &out->raw, &out->raw_size))
		return false;
	memcpy(&out->at, body + l->time_at, sizeof(out->at));
	if (l->tid_at >= 0) {
		memcpy(&out->pid, body + l->tid_at, sizeof(out->pid));
		memcpy(&out->tid, body + l->tid_at + sizeof(out->pid), sizeof(out->tid));
	}
	if (l->cpu_at >= 0)
		memcpy(&out->cpu, body + l->cpu_at, sizeof(out->cpu));
	return true;
}

static struct bare_sample bare_of(const struct item *item)
{
	const struct sample *s = item->sample;

	return (struct bare_sample){ .event = item->event, .at = item->at, .position = item->position, .pid = s->pid,
				     .tid = s->tid, .cpu = s->cpu, .raw = s->raw, .raw_size = (uint32_t)s->raw_size };
}

static void on_record(struct record_state *state, struct record_worker *w, const struct chunk_cursor *each, uint64_t position)
{
	const struct record_pass *pass = state->pass;
	bool is_sample = each->header.type == PERF_RECORD_SAMPLE;
	const struct event *ev = NULL;
	struct bare_sample bare;
	const struct item *item;

	if (is_sample && (pass->wants_event || pass->sample))
		ev = event_of_sample(&w->memo, &state->session->file->events, each->record, each->header.size);
	if (ev && pass->wants_event && !pass->wants_event(state->ctx, ev))
		return;
	if (ev && pass->sample && read_bare(state->session, ev, each, position, &bare)) {
		pass->sample(w->private, state->ctx, &bare);
		return;
	}
	item = item_read(&w->reader, 0, each->record, position);
	if (!item)
		return;
	if (is_sample && pass->sample) {
		bare = bare_of(item);
		pass->sample(w->private, state->ctx, &bare);
	} else {
		pass->record(w->private, state->ctx, item);
	}
}

/* True if the index says that the chunk has no record for the pass: its pages need not be read. */
static bool is_passed_over(const struct record_state *state, const struct chunk *c)
{
	return c->only_samples && !state->wanted[PERF_RECORD_SAMPLE] && !state->wanted[RECORD_FINISHED_ROUND];
}

static void do_chunk(void *arg, unsigned worker, size_t number)
{
	struct record_state *state = arg;
	struct record_worker *w = &state->workers[worker];
	struct chunk *whole = &state->session->scan.chunks.chunks.v[number], c;

	if (is_passed_over(state, whole))
		return;
	if (state->scattered)
		pages_will_be_read(whole->data, whole->size);
	c = state->scattered ? *whole : chunk_view(whole, &w->view, state->session->file);
	if (!w->private) {
		item_reader_init(&w->reader, state->session, 0);
		w->private = xcalloc(1, MAX(state->pass->worker_size, 1));
	}
	for (struct chunk_cursor each = {0}; chunk_next(&c, &each);)
		if (each.header.type < RECORD_MAX && state->wanted[each.header.type])
			on_record(state, w, &each, chunk_position(number, each.at));
	whole->damaged |= c.damaged;
	chunk_passed(&state->session->scan.chunks, number);
}

/* The kernel reads ahead in all chunks, or in none. */
static void read_ahead(const struct session *s, bool does)
{
	const struct chunk *first = s->scan.chunks.chunks.v, *last = first + s->scan.chunks.chunks.nr - 1;

	pages_are_scattered(first->data, (size_t)(last->data + last->size - first->data), !does);
}

void session_records(const struct session *s, const struct record_pass *pass, void *ctx)
{
	struct record_state state = { .session = s, .pass = pass, .ctx = ctx };

	for (size_t i = 0; i < ARRAY_SIZE(pass->types) && pass->types[i]; i++)
		state.wanted[pass->types[i]] = true;
	state.workers = xcalloc(s->jobs, sizeof(*state.workers));
	state.scattered = s->scan.chunks.chunks.nr && s->scan.chunks.chunks.v[0].indexed && !state.wanted[PERF_RECORD_SAMPLE];
	if (state.scattered)
		read_ahead(s, false);
	pool_run(s->jobs, s->scan.chunks.chunks.nr, do_chunk, &state);
	if (state.scattered)
		read_ahead(s, true);
	for (unsigned i = 0; i < s->jobs; i++) {
		struct record_worker *w = &state.workers[i];

		if (!w->private)
			continue;
		pass->merge(w->private, ctx);
		free(w->private);
		item_reader_release(&w->reader);
		data_view_release(&w->view);
	}
	free(state.workers);
}
