/* The second pass over samples, unordered: workers take chunks and keep their own sums. Layer: flow */
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/flow/item_reader.h"
#include "core/flow/session.h"
#include "core/flow/session_impl.h"
#include "core/flow/source.h"

struct sample_worker {
	struct item_reader reader;
	struct source_workers sources;
	void *private;
	bool ready;
};

struct sample_run {
	struct session *session;
	const struct sample_pass *pass;
	void *ctx;
	struct sample_worker *workers;
	size_t nr_work;
};

static void prepare(struct sample_run *run, struct sample_worker *w)
{
	item_reader_init(&w->reader, run->session, run->pass->unwind);
	w->private = xcalloc(1, MAX(run->pass->worker_size, 1));
	if (run->pass->init)
		run->pass->init(w->private, run->ctx);
	w->ready = true;
}

static void do_chunk(struct sample_run *run, struct sample_worker *w, size_t number)
{
	const struct chunk *c = &run->session->scan.chunks.chunks.v[number];

	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		const struct item *item;

		if (each.header.type != PERF_RECORD_SAMPLE)
			continue;
		item = item_read(&w->reader, 0, each.record, chunk_position(number, each.at));
		if (item)
			run->pass->sample(w->private, run->ctx, item);
	}
}

/* Takes what a source decodes. */
struct piece_sink {
	struct item_sink sink;
	struct sample_run *run;
	struct sample_worker *worker;
};

static void take_item(const struct item_sink *sink, const struct item *item)
{
	const struct piece_sink *s = (const struct piece_sink *)sink;

	/* What tells of a gap is no sample. */
	if (item->sample)
		s->run->pass->sample(s->worker->private, s->run->ctx, item);
}

/* How many bytes of the data the first @number items of work are, about: chunks and pieces are of like size. */
static uint64_t done_of(const struct sample_run *run, size_t number)
{
	return (uint64_t)((double)run->session->scan.counts.bytes * (double)number / (double)run->nr_work);
}

/* The chunks of the file come first, then each source's pieces. */
static void do_work(void *arg, unsigned worker, size_t number)
{
	struct sample_run *run = arg;
	struct sample_worker *w = &run->workers[worker];
	struct piece_sink sink = { .sink.item = take_item, .run = run, .worker = w };

	if (!w->ready)
		prepare(run, w);
	if (!worker)
		progress(run->session->sources.nr ? "decoding" : "reading samples", done_of(run, number), run->session->scan.counts.bytes,
			 PROGRESS_BYTES);
	if (number < run->session->scan.chunks.chunks.nr) {
		do_chunk(run, w, number);
		return;
	}
	number -= run->session->scan.chunks.chunks.nr;
	vec_for(source, &run->session->sources) {
		if (number < (*source)->pieces.nr) {
			source_worker_decode(&w->sources, *source, number, &sink.sink);
			return;
		}
		number -= (*source)->pieces.nr;
	}
}

int session_samples(struct session *s, const struct sample_pass *pass, void *ctx)
{
	struct sample_run run = { .session = s, .pass = pass, .ctx = ctx };

	run.workers = xcalloc(s->jobs, sizeof(*run.workers));
	run.nr_work = s->scan.chunks.chunks.nr;
	vec_for(source, &s->sources)
		run.nr_work += (*source)->pieces.nr;
	pool_run(s->jobs, run.nr_work, do_work, &run);
	progress_end();
	for (unsigned i = 0; i < s->jobs; i++) {
		struct sample_worker *w = &run.workers[i];

		if (!w->ready)
			continue;
		item_reader_count(&w->reader, &s->scan.counts);
		if (pass->merge)
			pass->merge(w->private, ctx);
		free(w->private);
		item_reader_release(&w->reader);
		source_workers_release(&w->sources);
	}
	free(run.workers);
	return 0;
}
