/*
 * Defines batches of samples whose stacks are unwound during the recording. A batch has the samples of one pass over the ring
 * buffers. live_unwind.c fills it, and the worker threads of live_workers.c unwind its samples.
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
	uint32_t stack_wanted;		/* requested size of the stack's copy */
	uint32_t ring;			/* number of its ring buffer */
	bool may_be_shed;		/* the recorder may have had the kernel copy less of the stack, to keep up */
	bool is_cut;			/* result: the chain ends at the end of the stack's copy */
	uint32_t stack_used;		/* result: bytes of the stack's copy that the chain needed */
	uint64_t raw_at;		/* offset of its record in the batch's records: first the .spilled bytes, then .raw */
	size_t plain_at;		/* end of the bytes of .plain that are written before it */
	uint32_t size;			/* result: bytes of output */
	size_t frames_at, nr_frames;	/* its Python frames: .nr_frames of them from .frames_at on in .frames of the batch */
	const struct python_ranges *loop;	/* code of Python's interpreter loop; borrowed; NULL: there are no Python frames */
};

struct live_batch;

struct live_chunk {			/* jobs that one worker thread does */
	struct live_batch *batch;
	size_t first, nr;		/* range in .jobs of the batch */
	uint64_t bytes;			/* size of the jobs' records */
	uint64_t in_memory;		/* the part of .bytes that is not in the spill file */
	struct buf out;			/* the output of the jobs, in their order */
};

struct live_batch {
	struct live_batch *next;
	struct buf head;		/* bytes that are written first */
	struct buf side_band;
	struct buf plain;		/* records that are not unwound, in the form of the file */
	uint64_t spilled_at, spilled;	/* .spilled_at: offset of the first jobs' records in the spill file; .spilled: their
					 * bytes */
	struct buf raw;			/* the records of the other jobs */
	VEC(uint64_t) frames;		/* the Python frames of all jobs, as in struct python_stack */
	VEC(struct live_job) jobs;	/* in the order of the file */
	VEC(struct live_chunk) chunks;	/* fixed once the batch was submitted; chunks from .nr_chunks on are empty, for reuse */
	size_t nr_chunks, nr_left;	/* .nr_chunks: chunks of this batch; .nr_left: chunks that are not done, under the workers'
					 * lock */
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
/* Opens a space's files, which may be removed before its samples are unwound. Does not wait for workers. */
void live_workers_open_files(struct live_workers *w, struct live_maps *maps, const struct live_space *space);
/* Passes a batch to the workers, after live_batch_cut(). */
void live_workers_give(struct live_workers *w, struct live_batch *b);
/* Bytes of records that wait for workers in memory. Does not wait for a worker, which may have lost its CPU. */
uint64_t live_workers_queued(struct live_workers *w);
/* True if all jobs of the batch are done. With @wait, waits until they are. */
bool live_workers_done(struct live_workers *w, const struct live_batch *b, bool wait);
/* Adds the workers' counts to *out. Call it when all batches are done. */
void live_workers_count(struct live_workers *w, struct chain_cuts *out);

#endif
