/*
 * Runs the worker threads that unwind samples during the recording. live_batch.c divides the samples into chunks of up to 16, and
 * each thread takes one chunk after the other, oldest first.
 */
#include "core/record/live/live_batch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/model/live_maps.h"
#include "core/record/live/live_spill.h"
#include "core/unwind/tables.h"

#define WORKERS_MAX	8
#define CPUS_A_WORKER	16	/* one worker easily unwinds the samples of this many CPUs */
#define TRIMS_MAX	12	/* so many times half of the files are closed at once for one sample */
#define WAITS_MAX	1000	/* times that a worker waits for other parts of the process to close files, before it gives up */
#define WAIT_NS		5000000

struct worker {
	struct live_workers *all;
	struct live_unwinder unwinder;
	struct buf records;		/* the records of a chunk, read from the spill file */
	unsigned waits;			/* times that it has waited for a file to be closed since one could be opened */
	pthread_t thread;
	bool started;
};

struct live_workers {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct unwind_tables *tables;		/* borrowed, as is .spill */
	const struct live_spill *spill;
	pthread_rwlock_t use;			/* lock of .tables: read-locked for unwinding, write-locked to trim the tables */
	struct live_batch *first, *last;	/* the batches with chunks that no worker has taken; borrowed, linked by .next */
	size_t next_chunk;			/* the next chunk of .first */
	_Atomic uint64_t queued;		/* bytes of records in memory that were not unwound; changed with the lock held */
	bool quit;
	unsigned nr;
	struct worker list[WORKERS_MAX];
};

/* ---- threads ---- */

/* Returns the next chunk, or NULL if the thread must end. Called with the lock held. */
static struct live_chunk *wait_for_chunk(struct live_workers *w)
{
	struct live_chunk *c;

	while (!w->first && !w->quit)
		pthread_cond_wait(&w->work, &w->lock);
	if (w->quit)
		return NULL;
	c = &w->first->chunks.v[w->next_chunk++];
	if (w->next_chunk == w->first->nr_chunks) {
		w->first = w->first->next;
		w->next_chunk = 0;
	}
	return c;
}

static void trim_tables(struct live_workers *w)
{
	if (!unwind_tables_are_full(w->tables))
		return;
	pthread_rwlock_wrlock(&w->use);
	/* Another worker may have done it meanwhile. */
	if (unwind_tables_are_full(w->tables))
		unwind_tables_trim(w->tables);
	pthread_rwlock_unlock(&w->use);
}

static void begin_use(struct worker *worker)
{
	pthread_rwlock_rdlock(&worker->all->use);
	live_unwinder_refresh(&worker->unwinder);
}

/* Returns the records of a chunk's jobs, which begin at @from. Reads the part that is in the spill file. */
static const uint8_t *records_of(struct worker *worker, const struct live_chunk *c, uint64_t from)
{
	const struct live_batch *b = c->batch;
	uint64_t in_file = c->bytes - c->in_memory;
	struct buf *out = &worker->records;

	if (!in_file)
		return (const uint8_t *)b->raw.data + (from - b->spilled);
	out->len = 0;
	live_spill_read(worker->all->spill, buf_room(out, in_file), in_file, b->spilled_at + from);
	out->len = in_file;
	buf_put(out, b->raw.data, c->in_memory);
	return (const uint8_t *)out->data;
}

/* Lets other workers trim the tables, or does it if they are full. */
static void pause_use(struct worker *worker)
{
	pthread_rwlock_unlock(&worker->all->use);
	trim_tables(worker->all);
	begin_use(worker);
}

/* Closes files that were not needed lately, because another one could not be opened. If that does not help, waits for a while. */
static void make_room_for_files(struct worker *worker, unsigned tries)
{
	if (tries >= TRIMS_MAX) {
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
		worker->unwinder.takes_any = ++worker->waits >= WAITS_MAX;
	}
	pause_use(worker);
}

static void do_job(struct worker *worker, struct live_chunk *c, struct live_job *job, const uint8_t *record)
{
	const struct live_batch *b = c->batch;
	size_t before = c->out.len;
	struct python_stack python = { b->frames.v + job->frames_at, job->nr_frames, job->loop };
	unsigned tries = 0;

	worker->unwinder.memory.time = job->time;
	worker->unwinder.may_be_shed = job->may_be_shed;
	while (!live_sample_write(job->event, &worker->unwinder, job->space, record, job->stack_wanted,
				  job->loop ? &python : NULL, &c->out))
		make_room_for_files(worker, tries++);
	if (!worker->unwinder.takes_any)
		worker->waits = 0;
	job->size = (uint32_t)(c->out.len - before);
	job->is_cut = worker->unwinder.chain.end == UNWOUND_STACK;
	job->stack_used = worker->unwinder.chain.stack_used;
}

/*
 * Unwinds the samples of a chunk. If the recorder was delayed, a chunk may have samples of more programs than files may be open, so
 * tables are trimmed in between.
 */
static void do_chunk(struct worker *worker, struct live_chunk *c)
{
	uint64_t from = c->batch->jobs.v[c->first].raw_at;
	const uint8_t *records = records_of(worker, c, from);

	begin_use(worker);
	for (size_t i = c->first; i < c->first + c->nr; i++) {
		struct live_job *job = &c->batch->jobs.v[i];

		do_job(worker, c, job, records + (job->raw_at - from));
		if (unwind_tables_lack_files(worker->all->tables))
			pause_use(worker);
	}
	pthread_rwlock_unlock(&worker->all->use);
}

/* A thread that waits to trim has precedence over readers. */
static void init_use(pthread_rwlock_t *use)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(use, &attr);
	pthread_rwlockattr_destroy(&attr);
}

/* The recorded program goes first: a worker queues for a CPU like others, and does not preempt on wake-up. */
static void be_modest(void)
{
	struct sched_param none = {0};

	pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

static void *run(void *arg)
{
	struct worker *worker = arg;
	struct live_workers *w = worker->all;
	struct live_chunk *c;

	be_modest();
	pthread_mutex_lock(&w->lock);
	while ((c = wait_for_chunk(w))) {
		pthread_mutex_unlock(&w->lock);
		do_chunk(worker, c);
		trim_tables(w);
		pthread_mutex_lock(&w->lock);
		w->queued -= c->in_memory;
		if (!--c->batch->nr_left)
			pthread_cond_signal(&w->done);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct live_workers *live_workers_new(struct unwind_tables *tables, struct jvm_table *java, const struct live_spill *spill)
{
	struct live_workers *w = xcalloc(1, sizeof(*w));
	unsigned wanted = MIN(1 + pool_default_jobs() / CPUS_A_WORKER, WORKERS_MAX);
	int err = 0;

	w->tables = tables;
	w->spill = spill;
	init_use(&w->use);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->done, NULL);
	for (; w->nr < wanted && !err; w->nr++) {
		struct worker *worker = &w->list[w->nr];

		worker->all = w;
		live_unwinder_init(&worker->unwinder, tables, java);
		err = pthread_create(&worker->thread, NULL, run, worker);
		worker->started = !err;
		if (!err)
			pthread_setname_np(worker->thread, "prec-unwind");
	}
	if (!err)
		return w;
	error("cannot start a thread: %s", strerror(err));
	live_workers_free(w);
	return NULL;
}

void live_workers_free(struct live_workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->nr; i++) {
		if (w->list[i].started)
			pthread_join(w->list[i].thread, NULL);
		live_unwinder_release(&w->list[i].unwinder);
		buf_release(&w->list[i].records);
	}
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->done);
	pthread_mutex_destroy(&w->lock);
	pthread_rwlock_destroy(&w->use);
	free(w);
}

/* ---- for the thread that gives them work ---- */

#define FILES_KEPT	128u	/* the rest of the program may still open this many files */

void live_workers_open_files(struct live_workers *w, struct live_maps *maps, const struct live_space *space)
{
	if (files_left() < FILES_KEPT + space->maps.nr || pthread_rwlock_tryrdlock(&w->use))
		return;
	vec_for(map, &space->maps)
		live_dso_load(maps, map->dso);
	pthread_rwlock_unlock(&w->use);
}

void live_workers_give(struct live_workers *w, struct live_batch *b)
{
	if (!b->nr_chunks)
		return;
	pthread_mutex_lock(&w->lock);
	b->next = NULL;
	if (w->first)
		w->last->next = b;
	else
		w->first = b;
	w->last = b;
	for (size_t i = 0; i < b->nr_chunks; i++)
		w->queued += b->chunks.v[i].in_memory;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
}

uint64_t live_workers_queued(struct live_workers *w)
{
	return atomic_load(&w->queued);
}

bool live_workers_done(struct live_workers *w, const struct live_batch *b, bool wait)
{
	bool done;

	pthread_mutex_lock(&w->lock);
	while (wait && b->nr_left)
		pthread_cond_wait(&w->done, &w->lock);
	done = !b->nr_left;
	pthread_mutex_unlock(&w->lock);
	return done;
}

void live_workers_count(struct live_workers *w, struct chain_cuts *out)
{
	for (unsigned i = 0; i < w->nr; i++)
		chain_cuts_merge(out, &w->list[i].unwinder.cuts);
}
