/* A pass over records of some types, unordered: workers take chunks. Layer: flow */
#include "core/base/pool.h"
#include "core/flow/item_reader.h"
#include "core/flow/session.h"
#include "core/flow/session_impl.h"

struct record_worker {
	struct item_reader reader;
	void *private;		/* NULL: it has had no work yet */
};

struct record_state {
	const struct session *session;
	const struct record_pass *pass;
	void *ctx;
	struct record_worker *workers;
};

static void do_chunk(void *arg, unsigned worker, size_t number)
{
	struct record_state *state = arg;
	struct record_worker *w = &state->workers[worker];
	const struct chunk *c = &state->session->scan.chunks.chunks.v[number];

	if (!w->private) {
		item_reader_init(&w->reader, state->session, 0);
		w->private = xcalloc(1, MAX(state->pass->worker_size, 1));
	}
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item = NULL;

		if (state->pass->wants(each.header.type))
			item = item_read(&w->reader, 0, each.record, chunk_position(number, each.at));
		if (item)
			state->pass->record(w->private, state->ctx, item);
	}
	chunk_passed(&state->session->scan.chunks, number);
}

void session_records(const struct session *s, const struct record_pass *pass, void *ctx)
{
	struct record_state state = { .session = s, .pass = pass, .ctx = ctx };

	state.workers = xcalloc(s->jobs, sizeof(*state.workers));
	pool_run(s->jobs, s->scan.chunks.chunks.nr, do_chunk, &state);
	for (unsigned i = 0; i < s->jobs; i++) {
		struct record_worker *w = &state.workers[i];

		if (!w->private)
			continue;
		pass->merge(w->private, ctx);
		free(w->private);
		item_reader_release(&w->reader);
	}
	free(state.workers);
}
