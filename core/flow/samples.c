/* The second pass over samples, unordered: workers take chunks and keep their own sums. Layer: flow */
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/flow/item_reader.h"
#include "core/flow/session.h"
#include "core/flow/session_impl.h"

struct sample_worker {
	struct item_reader reader;
	void *private;
	bool ready;
};

struct sample_run {
	struct session *session;
	const struct sample_pass *pass;
	void *ctx;
	struct sample_worker *workers;
};

static void prepare(struct sample_run *run, struct sample_worker *w)
{
	item_reader_init(&w->reader, run->session);
	w->private = xcalloc(1, MAX(run->pass->worker_size, 1));
	if (run->pass->init)
		run->pass->init(w->private, run->ctx);
	w->ready = true;
}

static void do_chunk(void *arg, unsigned worker, size_t number)
{
	struct sample_run *run = arg;
	struct sample_worker *w = &run->workers[worker];
	const struct chunk *c = &run->session->scan.chunks.chunks.v[number];

	if (!w->ready)
		prepare(run, w);
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item;

		if (each.header.type != PERF_RECORD_SAMPLE)
			continue;
		item = item_read(&w->reader, each.record, chunk_position(number, each.at));
		if (item)
			run->pass->sample(w->private, run->ctx, item);
	}
	if (!worker)
		progress("reading samples", number, run->session->scan.chunks.chunks.nr);
}

int session_samples(struct session *s, const struct sample_pass *pass, void *ctx)
{
	struct sample_run run = { .session = s, .pass = pass, .ctx = ctx };

	run.workers = xcalloc(s->jobs, sizeof(*run.workers));
	pool_run(s->jobs, s->scan.chunks.chunks.nr, do_chunk, &run);
	progress(NULL, 0, 0);
	for (unsigned i = 0; i < s->jobs; i++) {
		struct sample_worker *w = &run.workers[i];

		if (!w->ready)
			continue;
		s->scan.counts.damaged += w->reader.damaged;
		if (pass->merge)
			pass->merge(w->private, ctx);
		free(w->private);
		item_reader_release(&w->reader);
	}
	free(run.workers);
	return 0;
}
