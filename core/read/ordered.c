/*
 * Reads the records of a recording in order of time, on several threads, and writes the text of each in this order, for commands
 * such as prec script. Commands that only add samples up use samples.c, which keeps no order.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/phase.h"
#include "core/base/pool.h"
#include "core/read/item_reader.h"
#include "core/read/keys.h"
#include "core/read/live.h"
#include "core/read/merge.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/source.h"

#define BLOCK_KEYS	2048
#define LARGE_TEXT	(256u << 10)	/* after this many bytes a worker asks for its turn */
#define WAITING_FACTOR	32		/* bytes of text, per byte of records, that may wait for their turn */
#define WAITING_LEAST	(16u << 20)	/* or this many */
#define AHEAD		4		/* maximum number of pieces of work that a worker may be ahead of writing */
#define WINDOW_KEYS	(1u << 19)	/* number of records whose keys are in memory at once, */
#define WINDOW_BYTES	(32u << 20)	/* or bytes of records; more if they are not in order */

/* A block of the file's keys, or a piece of a source. */
struct ordered_work {
	uint64_t time;
	uint32_t stream;
	struct item_source *source;	/* NULL: keys */
	size_t part;			/* the number of the block or of the piece */
};

struct ordered_worker {
	struct item_reader reader;
	struct source_workers sources;
	void *private;
	struct ordered_text out;
	bool ready;
};

struct ordered_state {
	struct session *session;
	const struct ordered_pass *pass;
	void *ctx;
	int fd;
	bool progress;		/* progress is shown: no text is written, or it goes to a file */
	struct key_list keys;
	size_t nr_keys;			/* number of .keys that are printed now; keys yet to come may be before the rest */
	size_t nr_printed, nr_records;	/* to show progress: keys that were printed before; number of all records, or 0 */
	struct ordered_worker *workers;
	VEC(struct ordered_work) work;	/* in order of time */
	uint32_t nr_streams;
	struct merge_work *order;	/* .work, as merge_new() takes it */
	struct merge *merge;
};

static void prepare(struct ordered_state *state, struct ordered_worker *w)
{
	item_reader_init(&w->reader, state->session, state->pass->unwind);
	w->private = xcalloc(1, MAX(state->pass->worker_size, 1));
	if (state->pass->init)
		state->pass->init(w->private, state->ctx);
	w->ready = true;
}

void ordered_text_flush(struct ordered_text *out)
{
	if (out->buf.len < out->asked + LARGE_TEXT)
		return;
	merge_maybe_flush(out->merge, out->part, &out->buf);
	out->asked = out->buf.len;
}

static void print_item(struct ordered_state *state, struct ordered_worker *w, size_t number, uint64_t time, const struct item *item)
{
	state->pass->item(w->private, state->ctx, item, &w->out);
	if (state->nr_streams > 1 && state->fd >= 0)
		merge_line(state->merge, number, time, &w->out.buf);
	ordered_text_flush(&w->out);
}

static void print_keys(struct ordered_state *state, struct ordered_worker *w, size_t number, size_t block)
{
	const struct chunk_list *chunks = &state->session->scan.chunks;
	size_t to = MIN((block + 1) * BLOCK_KEYS, state->nr_keys);

	for (size_t i = block * BLOCK_KEYS; i < to; i += ITEM_SLOTS) {
		const struct order_key *keys = &state->keys.keys[i];
		const struct item *items[ITEM_SLOTS];
		unsigned nr = (unsigned)MIN(ITEM_SLOTS, to - i);

		for (unsigned k = 0; k < nr; k++)
			__builtin_prefetch(chunk_record(chunks, keys[k].position));
		for (unsigned k = 0; k < nr; k++)
			items[k] = item_read(&w->reader, k, chunk_record(chunks, keys[k].position), keys[k].position);
		if (state->pass->expect)
			state->pass->expect(w->private, state->ctx, items, nr);
		for (unsigned k = 0; k < nr; k++)
			if (items[k])
				print_item(state, w, number, keys[k].time, items[k]);
	}
}

/* Prints what a source decodes. */
struct piece_sink {
	struct item_sink sink;
	struct ordered_state *state;
	struct ordered_worker *worker;
	size_t number;
};

static void on_item(const struct item_sink *sink, const struct item *item)
{
	const struct piece_sink *s = (const struct piece_sink *)sink;

	print_item(s->state, s->worker, s->number, item->time, item);
}

/* Shows progress: in records if there are several windows, else in pieces of work. */
static void report_progress(const struct ordered_state *state, size_t number)
{
	const char *what = state->fd < 0 ? "reading samples" : "writing";

	if (state->nr_records)
		progress(what, state->nr_printed + number * BLOCK_KEYS, state->nr_records, PROGRESS_THINGS);
	else
		progress(what, number, state->work.nr, PROGRESS_THINGS);
}

static void do_work(void *arg, unsigned worker, size_t number)
{
	struct ordered_state *state = arg;
	struct ordered_worker *w = &state->workers[worker];
	const struct ordered_work *work = &state->work.v[number];
	struct piece_sink sink = { .sink.item = on_item, .state = state, .worker = w, .number = number };

	if (!w->ready)
		prepare(state, w);
	if (state->progress)
		report_progress(state, number);
	w->out.merge = state->merge;
	w->out.part = number;
	w->out.asked = 0;
	if (!merge_begin(state->merge, number)) {
		if (work->source && work->source->skip)
			work->source->skip(work->source, work->part);
		return;
	}
	if (state->pass->reached)
		state->pass->reached(state->ctx, work->time);
	if (work->source)
		source_worker_decode(&w->sources, work->source, work->part, &sink.sink);
	else
		print_keys(state, w, number, work->part);
	merge_end(state->merge, number, &w->out.buf);
}

ORDER(by_time, struct ordered_work,
	compare_numbers(a->time, b->time) ?: compare_numbers(a->stream, b->stream) ?: compare_numbers(a->part, b->part))

/* If only one stream prints anything, lines need not be split. */
static void forget_empty_streams(struct ordered_state *state)
{
	for (size_t i = 1; i < state->work.nr; i++)
		if (state->work.v[i].stream != state->work.v[0].stream)
			return;
	vec_for(work, &state->work)
		work->stream = 0;
	state->nr_streams = 1;
}

/* Blocks of keys are stream 0; each source's streams follow. In a stream times do not go back. */
static void list_work(struct ordered_state *state)
{
	state->nr_streams = 1;
	for (size_t at = 0; at < state->nr_keys; at += BLOCK_KEYS)
		vec_push(&state->work, (struct ordered_work){ .time = state->keys.keys[at].time, .part = at / BLOCK_KEYS });
	vec_for(source, &state->session->sources) {
		const struct source_piece *before = NULL;

		vec_for(piece, &(*source)->pieces) {
			uint64_t time = piece->time;

			if (before && before->stream == piece->stream)
				time = MAX(time, state->work.v[state->work.nr - 1].time);
			vec_push(&state->work, (struct ordered_work){ .time = time, .stream = state->nr_streams + piece->stream,
								  .source = *source,
								  .part = (size_t)(piece - (*source)->pieces.v) });
			before = piece;
		}
		state->nr_streams += (*source)->nr_streams;
	}
	if (state->nr_streams > 1 && state->work.nr)
		vec_sort(&state->work, by_time);
	forget_empty_streams(state);
}

static void start_merge(struct ordered_state *state)
{
	struct session *s = state->session;
	uint64_t bytes = 0;

	list_work(state);
	state->order = xcalloc(MAX(state->work.nr, 1), sizeof(*state->order));
	for (size_t i = 0; i < state->work.nr; i++)
		state->order[i] = (struct merge_work){ .time = state->work.v[i].time, .stream = state->work.v[i].stream };
	vec_for(c, &s->scan.chunks.chunks)
		bytes += c->size;
	state->merge = merge_new(state->order, state->work.nr, state->nr_streams, AHEAD * s->jobs,
				 MAX(WAITING_FACTOR * bytes, WAITING_LEAST), state->fd);
}

static void release_workers(struct ordered_state *state)
{
	struct session *s = state->session;

	for (unsigned i = 0; i < s->jobs; i++) {
		struct ordered_worker *w = &state->workers[i];

		if (!w->ready)
			continue;
		item_reader_count(&w->reader, &s->scan.counts);
		if (state->pass->release)
			state->pass->release(w->private, state->ctx);
		free(w->private);
		buf_release(&w->out.buf);
		item_reader_release(&w->reader);
		source_workers_release(&w->sources);
	}
	free(state->workers);
}

/* Prints the first .nr_keys keys, and the items of all sources. */
static int print_gathered(struct ordered_state *state)
{
	unsigned jobs = state->pass->one_worker ? 1 : state->session->jobs;
	int err;

	start_merge(state);
	pool_run(jobs, state->work.nr, do_work, state);
	err = merge_free(state->merge);
	free(state->order);
	state->work.nr = 0;
	return err;
}

/* Drops the keys that were printed. */
static void drop_keys(struct ordered_state *state)
{
	struct key_list *l = &state->keys;

	l->nr -= state->nr_keys;
	if (l->nr)
		memmove(l->keys, l->keys + state->nr_keys, l->nr * sizeof(*l->keys));
	state->nr_printed += state->nr_keys;
}

/* ---- a stream that is read as it comes ---- */

static void forget(struct ordered_state *state)
{
	struct session *s = state->session;

	for (unsigned i = 0; i < s->jobs; i++) {
		struct ordered_worker *w = &state->workers[i];

		if (!w->ready)
			continue;
		item_reader_count(&w->reader, &s->scan.counts);
		item_reader_release(&w->reader);
		item_reader_init(&w->reader, s, state->pass->unwind);
		if (state->pass->forget)
			state->pass->forget(w->private, state->ctx);
	}
}

/* Drops the printed part, and releases data that the rest does not need. */
static void drop_printed(struct ordered_state *state)
{
	struct key_list *l = &state->keys;
	uint64_t least = chunk_position(l->nr_chunks, 0);

	drop_keys(state);
	for (size_t i = 0; i < l->nr; i++)
		least = MIN(least, l->keys[i].position);
	live_release_before(state->session->live, least);
}

static int print_live(struct ordered_state *state)
{
	struct session *s = state->session;
	uint64_t before = 0, upto;
	bool more = true, changed;
	int err = 0;

	while (more && !err) {
		more = live_advance(s->live, &upto, &changed);
		if (changed)
			forget(state);
		keys_gather(&state->keys, s, state->pass, state->ctx, NULL, 0);
		state->nr_keys = state->pass->file_order || upto == UINT64_MAX ? state->keys.nr :
				 keys_before(&state->keys, upto + 1);
		for (size_t i = 0; i < state->nr_keys && state->keys.keys[i].time < before; i++)
			s->nr_disordered++;
		if (state->nr_keys)
			before = MAX(before, state->keys.keys[state->nr_keys - 1].time);
		err = print_gathered(state);
		drop_printed(state);
	}
	return err;
}

/* ---- a recording of many samples ---- */

/* The number of spans of the next window: more if many keys are waiting, so that they are not sorted again and again. */
static size_t window_length(const struct ordered_state *state, const struct chunk_span *spans, size_t nr)
{
	const struct chunk *chunks = state->session->scan.chunks.chunks.v;
	uint64_t records = 0, bytes = 0, times = 1 + state->keys.nr / WINDOW_KEYS;
	size_t i;

	for (i = 0; i < nr && (!i || (records < times * WINDOW_KEYS && bytes < times * WINDOW_BYTES)); i++) {
		records += chunks[spans[i].chunk].nr;
		bytes += chunks[spans[i].chunk].size;
	}
	return i;
}

/* The chunks of which keys are gathered at a time, in memory. */
struct window {
	struct session *session;
	const struct chunk_span *spans;
	size_t nr;
	uint8_t *bytes;		/* owned */
	uint64_t room;		/* the size of .bytes */
	uint64_t *places;	/* for each span, the offset of its chunk in .bytes */
};

static void load_chunk(void *arg, unsigned worker, size_t number)
{
	const struct window *w = arg;
	struct session *s = w->session;

	chunk_load(&s->scan.chunks.chunks.v[w->spans[number].chunk], s->file, w->bytes + w->places[number]);
}

/*
 * Reads the chunks of a window into memory, as this costs less than faults of the mapped file's pages. A window that is larger than
 * usual, because many keys are waiting, stays mapped.
 */
static void load_window(struct window *w, const struct chunk_span *spans, size_t nr)
{
	const struct chunk *chunks = w->session->scan.chunks.chunks.v;
	uint64_t size = 0;

	w->spans = spans;
	w->nr = nr;
	w->places = xrealloc(w->places, nr * sizeof(*w->places));
	for (size_t i = 0; i < nr; i++) {
		w->places[i] = size;
		size += chunks[spans[i].chunk].size;
	}
	if (size > 2 * WINDOW_BYTES)
		return;
	if (size > w->room) {
		free(w->bytes);
		w->room = size;
		w->bytes = xmalloc_huge(size);
	}
	pool_run(w->session->jobs, nr, load_chunk, w);
}

static void unload_window(const struct window *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		struct chunk *c = &w->session->scan.chunks.chunks.v[w->spans[i].chunk];

		chunk_unload(c);
		chunk_release(c);
	}
}

/*
 * Reads chunks by their least time: records older than the least time of unread chunks are final. So memory grows only with the
 * overlap of the rings' pieces, not with the recording.
 */
static int print_windows(struct ordered_state *state)
{
	const struct chunk_list *chunks = &state->session->scan.chunks;
	struct chunk_span *spans = keys_spans(state->session, state->pass);
	struct window loaded = { .session = state->session };
	size_t nr = chunks->chunks.nr, at = 0;
	int err = 0;

	while (at < nr && !err) {
		size_t window = window_length(state, spans + at, nr - at);

		load_window(&loaded, spans + at, window);
		keys_gather(&state->keys, state->session, state->pass, state->ctx, spans + at, window);
		state->nr_keys = at + window < nr ? keys_before(&state->keys, spans[at + window].least) : state->keys.nr;
		err = print_gathered(state);
		drop_keys(state);
		unload_window(&loaded);
		at += window;
	}
	free(loaded.bytes);
	free(loaded.places);
	free(spans);
	return err;
}

/* Items of sources are merged with the records as a whole, so windows need a recording without sources. */
static bool wants_windows(struct ordered_state *state)
{
	uint64_t bytes = 0;

	vec_for(c, &state->session->scan.chunks.chunks) {
		state->nr_records += c->nr;
		bytes += c->size;
	}
	if (!state->session->sources.nr && (state->nr_records > 2 * WINDOW_KEYS || bytes > 4 * WINDOW_BYTES))
		return true;
	state->nr_records = 0;
	return false;
}

static bool is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/*
 * Collects and sorts the keys of all wanted records (keys.h). Worker threads take blocks of keys, or data of other sources
 * (source.h), and format each block into a buffer. merge.c puts these texts in order.
 */
int session_ordered(struct session *s, const struct ordered_pass *pass, void *ctx, int fd)
{
	struct ordered_state state = { .session = s, .pass = pass, .ctx = ctx, .fd = fd, .progress = fd < 0 || is_file(fd) };
	struct phase phase = phase_begin();
	int err;

	state.workers = xcalloc(s->jobs, sizeof(*state.workers));
	if (s->live) {
		err = print_live(&state);
	} else if (wants_windows(&state)) {
		err = print_windows(&state);
	} else {
		keys_gather(&state.keys, s, pass, ctx, NULL, 0);
		state.nr_keys = state.keys.nr;
		err = print_gathered(&state);
	}
	progress_end();
	phase_end(&phase, "records in order");
	release_workers(&state);
	free(state.keys.keys);
	vec_free(&state.work);
	return err;
}
