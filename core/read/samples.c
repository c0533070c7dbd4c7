/*
 * Implements session_samples(), with which commands such as prec report add up all samples. Each worker thread reads parts of the
 * file in any order, and adds up its own samples. At the end, the command's merge() joins the results.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/phase.h"
#include "core/base/pool.h"
#include "core/perfdata/data_view.h"
#include "core/read/item_reader.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/source.h"

struct sample_worker {
	struct item_reader reader;
	struct source_workers sources;
	struct event_memo memo;
	struct data_view view;
	void *private;
	bool ready;
};

struct sample_state {
	struct session *session;
	const struct sample_pass *pass;
	void *ctx;
	struct sample_worker *workers;
	size_t nr_work;
	bool from_file;		/* the file has samples of an event that is wanted */
	bool *wanted;		/* owned; by event number */
	bool ids_are_true;	/* the fixed fields of samples have the true thread and CPU: no event has .is_offcpu_raw */
	atomic_size_t nr_read;	/* number of chunks that were read */
};

static void prepare(struct sample_state *state, struct sample_worker *w)
{
	item_reader_init(&w->reader, state->session, state->pass->unwind);
	w->private = xcalloc(1, MAX(state->pass->worker_size, 1));
	if (state->pass->init)
		state->pass->init(w->private, state->ctx);
	w->ready = true;
}

static uint64_t word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t half_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A call chain is recorded, is made from branches (--branch-history), or is unwound from a copy of the stack. */
#define CHAIN_FIELDS (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER)

/* Whole samples whose variable parts are not needed are plain, too. */
static bool is_plain(const struct sample_state *state, const struct event *ev, const uint8_t *body, size_t size)
{
	const struct sample_layout *l = &ev->layout;

	if (l->only_fixed)
		return size >= l->fixed_size;
	return !ev->is_offcpu_raw && (!(l->type & CHAIN_FIELDS) || state->pass->plain_chains) &&
	       sample_is_settled(l, body, size);
}

/* Reads the sample if it is a plain one, with the same result as item_read(). */
static bool read_plain(const struct sample_state *state, const struct event *ev, const struct chunk_cursor *each, uint64_t position,
		       struct plain_sample *out)
{
	const uint8_t *body = each->record + sizeof(each->header);
	const struct sample_layout *l = &ev->layout;
	size_t size = each->header.size - sizeof(each->header);
	const uint8_t *raw = NULL;
	uint32_t raw_size = 0;

	if ((l->ip_at | l->tid_at | l->time_at) < 0 || !is_plain(state, ev, body, size))
		return false;
	if (state->pass->plain_raw && !sample_find_raw(l, body, size, &raw, &raw_size))
		return false;
	*out = (struct plain_sample){
		.event = ev, .ip = word_at(body + l->ip_at), .pid = half_at(body + l->tid_at), .tid = half_at(body + l->tid_at + 4),
		.at = state->session->scan.by_position ? position + 1 : word_at(body + l->time_at),
		.period = l->period_at >= 0 ? word_at(body + l->period_at) : ev->attr.sample_period,
		.cpumode = each->header.misc & PERF_RECORD_MISC_CPUMODE_MASK, .raw_size = raw_size, .raw = raw,
	};
	return true;
}

/* True if the chunk may have wanted samples, by the times, threads and CPUs that the first pass found in it. */
static bool is_wanted(const struct sample_state *state, const struct chunk *c)
{
	struct source_extent e = {
		.cpu = SOURCE_ANY, .pid = SOURCE_ANY, .tid = SOURCE_ANY, .from = c->from, .to = c->to,
		.tids = state->ids_are_true && state->pass->only_wanted ? &c->tids : NULL,
		.cpus = state->ids_are_true ? &c->cpus : NULL,
	};

	if (state->session->scan.by_position || c->unsure || !c->to)
		return true;
	if (c->from > state->session->upto)
		return false;
	if (!state->from_file || !state->pass->may_want)
		return state->from_file;
	return state->pass->may_want(state->pass->filter, &e);
}

static bool wants_event(const struct sample_state *state, const struct event *event)
{
	return !state->pass->wants_event || state->session->augmenter || state->pass->wants_event(state->ctx, event);
}

static bool wants_any_event(const struct sample_state *state)
{
	const struct session *s = state->session;

	for (size_t i = 0; i < s->scan.counts.samples_by_event.nr; i++)
		if (s->scan.counts.samples_by_event.v[i] && wants_event(state, s->file->events.events.v[i]))
			return true;
	return false;
}

static void note_wanted(struct sample_state *state)
{
	const struct event_table *t = &state->session->file->events;

	state->wanted = xcalloc(MAX(t->events.nr, 1), sizeof(*state->wanted));
	state->ids_are_true = true;
	vec_for(ev, &t->events) {
		state->wanted[(*ev)->number] = wants_event(state, *ev);
		state->ids_are_true &= !(*ev)->is_offcpu_raw;
	}
}

/* In a chunk of whole samples there is nothing to report of those that are not wanted, but for chains that are cut. */
static bool is_checked(const struct sample_state *state, const struct chunk *c, const struct event *ev)
{
	return c->unsure || (state->pass->unwind && ev->layout.type & PERF_SAMPLE_CALLCHAIN);
}

static void do_chunk(struct sample_state *state, struct sample_worker *w, size_t number)
{
	struct chunk *whole = &state->session->scan.chunks.chunks.v[number], copy, *c = &copy;
	const struct event_table *events = &state->session->file->events;
	bool plain = state->pass->plain && !state->session->augmenter && state->session->native == NATIVE_MERGED;
	struct plain_sample sample;
	uint32_t nr_samples = 0;

	if (!is_wanted(state, whole))
		return;
	atomic_fetch_add_explicit(&state->nr_read, 1, memory_order_relaxed);
	copy = chunk_view(whole, &w->view, state->session->file);
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		uint64_t position = chunk_position(number, each.at);
		const struct event *ev;
		const struct item *item;

		if (each.header.type != PERF_RECORD_SAMPLE)
			continue;
		ev = event_of_sample(&w->memo, events, each.record, each.header.size);
		nr_samples += !!ev;
		if (ev && !state->wanted[ev->number]) {
			if (is_checked(state, c, ev))
				item_pass_over(&w->reader, ev, each.record, position);
			continue;
		}
		if (plain && ev && read_plain(state, ev, &each, position, &sample) &&
		    (sample.at > state->session->upto || state->pass->plain(w->private, state->ctx, &sample, w->reader.cache)))
			continue;
		item = item_read(&w->reader, 0, each.record, position);
		if (item && item->at <= state->session->upto)
			state->pass->sample(w->private, state->ctx, item);
	}
	whole->damaged |= c->damaged || (c->indexed && nr_samples != c->samples);
	chunk_passed(&state->session->scan.chunks, number);
}

/* Takes what a source decodes. */
struct piece_sink {
	struct item_sink sink;
	struct sample_state *state;
	struct sample_worker *worker;
};

static void on_item(const struct item_sink *sink, const struct item *item)
{
	const struct piece_sink *s = (const struct piece_sink *)sink;

	/* Skips items that are no samples, such as records of gaps in a trace. */
	if (item->sample)
		s->state->pass->sample(s->worker->private, s->state->ctx, item);
}

/* The approximate number of bytes before item @number of the work, assuming chunks and pieces of similar size. */
static void report_progress(const struct sample_state *state, size_t number)
{
	uint64_t bytes = state->session->scan.counts.bytes;

	progress(state->session->sources.nr ? "decoding" : "reading samples",
		 (uint64_t)((double)bytes * (double)number / (double)state->nr_work), bytes, PROGRESS_BYTES);
}

/* The chunks of the file come first, then each source's pieces. */
static void do_work(void *arg, unsigned worker, size_t number)
{
	struct sample_state *state = arg;
	struct sample_worker *w = &state->workers[worker];
	struct piece_sink sink = { .sink.item = on_item, .state = state, .worker = w };

	bool stopped = state->session->is_stopped && state->session->is_stopped();

	if (!w->ready)
		prepare(state, w);
	if (!worker)
		report_progress(state, number);
	if (number < state->session->scan.chunks.chunks.nr) {
		if (!stopped)
			do_chunk(state, w, number);
		return;
	}
	number -= state->session->scan.chunks.chunks.nr;
	vec_for(source, &state->session->sources) {
		if (number < (*source)->pieces.nr) {
			if (!stopped)
				source_worker_decode(&w->sources, *source, number, &sink.sink);
			else if ((*source)->skip)
				(*source)->skip(*source, number);
			return;
		}
		number -= (*source)->pieces.nr;
	}
}

static void finish_worker(void *arg, unsigned thread, size_t number)
{
	const struct sample_state *state = arg;

	if (state->workers[number].ready)
		state->pass->finish(state->workers[number].private, state->ctx);
}

/*
 * A worker has tables of its own, which hold most keys after a few chunks: with more workers than one for each eight chunks, memory
 * and the work of uniting grow, and hardly anything gets faster. Decoders have no such tables.
 */
static unsigned nr_workers(const struct session *s)
{
	return s->sources.nr ? s->jobs : (unsigned)MIN(s->jobs, 2 + s->scan.chunks.chunks.nr / 8);
}

int session_samples(struct session *s, const struct sample_pass *pass, void *ctx)
{
	struct sample_state state = { .session = s, .pass = pass, .ctx = ctx };
	struct phase phase = phase_begin();
	unsigned jobs = nr_workers(s);

	state.workers = xcalloc(jobs, sizeof(*state.workers));
	state.from_file = wants_any_event(&state);
	note_wanted(&state);
	state.nr_work = s->scan.chunks.chunks.nr;
	vec_for(source, &s->sources)
		state.nr_work += (*source)->pieces.nr;
	pool_run(jobs, state.nr_work, do_work, &state);
	progress_end();
	debug(1, "samples: read %zu of %zu chunks", atomic_load(&state.nr_read), s->scan.chunks.chunks.nr);
	if (pass->finish)
		pool_run(jobs, jobs, finish_worker, &state);
	for (unsigned i = 0; i < jobs; i++) {
		struct sample_worker *w = &state.workers[i];

		if (!w->ready)
			continue;
		item_reader_count(&w->reader, &s->scan.counts);
		if (pass->merge)
			pass->merge(w->private, ctx);
		free(w->private);
		item_reader_release(&w->reader);
		source_workers_release(&w->sources);
		data_view_release(&w->view);
	}
	phase_end(&phase, "samples");
	free(state.workers);
	free(state.wanted);
	return 0;
}
