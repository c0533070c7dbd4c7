/*
 * The second pass in order of time: keys of all wanted records are gathered by chunk and sorted; workers take
 * blocks of them, format each into a buffer of their own, and write when it is their turn.
 * Layer: flow
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/flow/order.h"
#include "core/flow/item_reader.h"
#include "core/flow/session.h"
#include "core/flow/session_impl.h"

#define BLOCK_KEYS	2048
#define NO_TIME		UINT64_MAX	/* not known within its chunk */

struct chunk_keys {
	size_t first, nr;	/* of run.keys: room for all its records' keys, and how many there are */
	uint64_t last_time;	/* of the chunk's last record that has one */
};

struct print_worker {
	struct item_reader reader;
	void *private;
	struct buf out;
	bool ready;
};

struct print_run {
	struct session *session;
	const struct print_pass *pass;
	void *ctx;
	int fd;
	struct chunk_keys *by_chunk;	/* while gathering */
	struct order_key *keys;		/* owned */
	size_t nr_keys;
	int sample_time_at;		/* where all events' samples have their time; -1: it differs, or there is none */
	struct print_worker *workers;
	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t turn;
	size_t next_block;		/* to be written */
	int err;			/* of the first write that failed */
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
static uint64_t order_time(const struct print_run *run, const struct chunk_cursor *each, uint64_t position, uint64_t before)
{
	const struct session *s = run->session;
	size_t body = each->header.size - sizeof(each->header);
	const struct event *ev;
	struct sample_id id;
	struct wire w;
	uint64_t time;

	if (s->scan.by_position)
		return position;
	if (each->header.type == PERF_RECORD_SAMPLE && run->sample_time_at >= 0 && (size_t)run->sample_time_at + 8 <= body) {
		memcpy(&time, each->record + sizeof(each->header) + run->sample_time_at, 8);
		return time;
	}
	ev = event_of_record(&s->file->events, each->record);
	if (!ev || each->header.type >= RECORD_HEADER_ATTR)
		return before;
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
	struct print_run *run = arg;
	const struct chunk *c = &run->session->scan.chunks.chunks.v[number];
	struct chunk_keys *keys = &run->by_chunk[number];
	struct order_key *key = run->keys + keys->first;
	uint64_t time = NO_TIME;

	(void)worker;
	for (struct chunk_cursor each = {0}; chunk_next(c, &each);) {
		uint64_t position = chunk_position(number, each.at);

		if (!run->pass->file_order)
			time = order_time(run, &each, position, time);
		if (!run->pass->wants || run->pass->wants(run->ctx, &each.header))
			*key++ = (struct order_key){ .time = time, .position = position };
	}
	keys->nr = (size_t)(key - run->keys) - keys->first;
	keys->last_time = time;
}

/* Close the gaps between the chunks' keys; what had no time before it in its chunk gets that of the chunks before. */
static void join_keys(struct print_run *run, size_t nr_chunks)
{
	uint64_t time = 0;

	for (size_t i = 0; i < nr_chunks; i++) {
		const struct chunk_keys *c = &run->by_chunk[i];
		struct order_key *keys = run->keys + run->nr_keys;

		if (run->nr_keys != c->first)
			memmove(keys, run->keys + c->first, c->nr * sizeof(*keys));
		for (size_t k = 0; k < c->nr && keys[k].time == NO_TIME; k++)
			keys[k].time = time;
		run->nr_keys += c->nr;
		if (c->last_time != NO_TIME)
			time = c->last_time;
	}
}

static void gather(struct print_run *run)
{
	struct session *s = run->session;
	const struct chunk_list *chunks = &s->scan.chunks;
	size_t nr = chunks->chunks.nr, nr_records = 0;

	run->by_chunk = xcalloc(MAX(nr, 1), sizeof(*run->by_chunk));
	for (size_t i = 0; i < nr; i++) {
		run->by_chunk[i].first = nr_records;
		nr_records += chunks->chunks.v[i].nr;
	}
	run->keys = xmalloc(MAX(nr_records, 1) * sizeof(*run->keys));
	run->sample_time_at = common_time_at(&s->file->events);
	pool_run(s->jobs, nr, gather_chunk, run);
	join_keys(run, nr);
	free(run->by_chunk);
	if (!run->pass->file_order)
		order_sort(run->keys, run->nr_keys, s->jobs);
}

static void prepare(struct print_run *run, struct print_worker *w)
{
	item_reader_init(&w->reader, run->session);
	w->private = xcalloc(1, MAX(run->pass->worker_size, 1));
	if (run->pass->init)
		run->pass->init(w->private, run->ctx);
	w->ready = true;
}

/* Write when all blocks before have been; returns without writing once a write failed. */
static void write_in_turn(struct print_run *run, struct buf *out, size_t block)
{
	int err;

	pthread_mutex_lock(&run->lock);
	while (run->next_block != block)
		pthread_cond_wait(&run->turn, &run->lock);
	err = run->err;
	pthread_mutex_unlock(&run->lock);
	if (!err)
		err = write_buf(run->fd, out);
	out->len = 0;
	pthread_mutex_lock(&run->lock);
	run->err = err;
	run->next_block++;
	pthread_cond_broadcast(&run->turn);
	pthread_mutex_unlock(&run->lock);
}

static bool failed(struct print_run *run)
{
	bool err;

	pthread_mutex_lock(&run->lock);
	err = run->err;
	pthread_mutex_unlock(&run->lock);
	return err;
}

static void do_block(void *arg, unsigned worker, size_t block)
{
	struct print_run *run = arg;
	struct print_worker *w = &run->workers[worker];
	const struct chunk_list *chunks = &run->session->scan.chunks;
	size_t to = MIN((block + 1) * BLOCK_KEYS, run->nr_keys);
	bool skip = failed(run);

	if (!w->ready)
		prepare(run, w);
	for (size_t i = block * BLOCK_KEYS; i < to && !skip; i++) {
		uint64_t position = run->keys[i].position;
		const struct item *item = item_read(&w->reader, chunk_record(chunks, position), position);

		if (item)
			run->pass->print(w->private, run->ctx, item, &w->out);
	}
	write_in_turn(run, &w->out, block);
}

static void release_workers(struct print_run *run)
{
	struct session *s = run->session;

	for (unsigned i = 0; i < s->jobs; i++) {
		struct print_worker *w = &run->workers[i];

		if (!w->ready)
			continue;
		s->scan.counts.damaged += w->reader.damaged;
		if (run->pass->release)
			run->pass->release(w->private, run->ctx);
		free(w->private);
		buf_release(&w->out);
		item_reader_release(&w->reader);
	}
	free(run->workers);
}

int session_print(struct session *s, const struct print_pass *pass, void *ctx, int fd)
{
	struct print_run run = { .session = s, .pass = pass, .ctx = ctx, .fd = fd };

	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.turn, NULL);
	run.workers = xcalloc(s->jobs, sizeof(*run.workers));
	gather(&run);
	pool_run(pass->one_worker ? 1 : s->jobs, (run.nr_keys + BLOCK_KEYS - 1) / BLOCK_KEYS, do_block, &run);
	release_workers(&run);
	free(run.keys);
	pthread_mutex_destroy(&run.lock);
	pthread_cond_destroy(&run.turn);
	return run.err;
}
