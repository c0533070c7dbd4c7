/*
 * Defines batches of samples whose stacks are unwound during the recording. A batch has the samples of one pass over the ring
 * buffers. live_unwind.c fills it, and the worker threads of live_workers.c unwind its samples.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_LIVE_BATCH_H
#define CORE_RECORD_LIVE_LIVE_BATCH_H

#include <stdbool.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/record/live/live_sample.h"

struct live_job {
	const struct live_event *event;
	const struct live_space *space;	/* a reference; NULL: nothing is known of the process */
	uint64_t time;			/* 0: not recorded */
	uint32_t pid;
	uint32_t stack_wanted;		/* how large a copy of the stack was asked for */
	uint32_t ring;			/* its number */
	bool is_cut;			/* once it is done: the chain ends where the copy of the stack does */
	uint64_t raw_at;		/* among the records of the batch's jobs */
	size_t plain_at;		/* in .plain: the text written before it */
	uint32_t size;			/* of the output, once it is done */
	size_t frames_at, nr_frames;	/* of Python, in .frames of the batch */
	const struct python_ranges *loop;	/* of Python's interpreter; borrowed; NULL: there are no such frames */
};

struct live_batch;

struct live_chunk {			/* jobs that one worker does */
	struct live_batch *batch;
	size_t first, nr;		/* of the batch's jobs */
	uint64_t bytes;			/* of their records, */
	uint64_t in_memory;		/* and how many of these are not in the file */
	struct buf out;			/* the output, one after the other */
};

struct live_batch {
	struct live_batch *next;
	struct buf head;		/* in front of all */
	struct buf side_band;
	struct buf plain;		/* other records, as they are written */
	uint64_t spilled_at, spilled;	/* offset and bytes of the jobs' records in the spill file; */
	struct buf raw;			/* the other records */
	VEC(uint64_t) frames;		/* as of struct python_stack */
	VEC(struct live_job) jobs;	/* in the order of the file */
	VEC(struct live_chunk) chunks;	/* fixed once it was submitted; those from .nr_chunks on are kept for the next time */
	size_t nr_chunks, nr_left;	/* chunks; of those, not done: under the workers' lock */
	uint64_t samples;
};

void live_batch_free(struct live_batch *b);
/* Empties a batch, so that it can be filled again. */
void live_batch_clear(struct live_batch *b);
/* Divides the jobs of a batch into chunks. */
void live_batch_cut(struct live_batch *b);
/* Appends the output of a finished batch. */
void live_batch_write(const struct live_batch *b, struct buf *out);

/* ---- workers ---- */

struct live_maps;
struct live_spill;
struct live_workers;
/* Starts the threads. @tables, @java and @spill are borrowed. Prints errors; returns NULL if no thread could be started. */
struct live_workers *live_workers_new(struct unwind_tables *tables, struct jvm_table *java, const struct live_spill *spill);
/* Ends the threads; unfinished work is dropped. */
void live_workers_free(struct live_workers *w);
/*
 * Opens the files that are mapped in an address space, because they may be removed before the space's samples are unwound. Does
 * not wait for workers.
 */
void live_workers_open_files(struct live_workers *w, struct live_maps *maps, const struct live_space *space);
/* Passes a batch to the workers, after live_batch_cut(). */
void live_workers_give(struct live_workers *w, struct live_batch *b);
/* Bytes of records that wait for workers in memory. */
uint64_t live_workers_queued(struct live_workers *w);
/* True if all jobs of the batch are done. With @wait, waits until they are. */
bool live_workers_done(struct live_workers *w, const struct live_batch *b, bool wait);
/* Adds the workers' counts to *out. Call it when all batches are done. */
void live_workers_count(struct live_workers *w, struct chain_cuts *out);

#endif
