/*
 * Unwinds the stacks of samples during the recording, in worker threads (live_workers.c). ring_drain.c passes it the records of
 * the ring buffers, and writes the unwound samples to the perf.data.
 */
#ifndef CORE_RECORD_LIVE_LIVE_UNWIND_H
#define CORE_RECORD_LIVE_LIVE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct event_set;
struct features;
struct findings;
struct live_unwind;
struct ring;
struct ring_span;
struct sampling_opts;

struct python;

struct live_unwind_opts {
	bool all;			/* unwind the stacks of all events; otherwise only of events that request it (--call-graph
					 * auto) */
	bool given, file_given;		/* the user gave .queue_bytes, .file_bytes */
	uint64_t queue_bytes;		/* maximum bytes of samples that wait for workers in memory */
	uint64_t file_bytes;		/* maximum bytes of samples that wait in a file when memory is full */
	struct python *python;		/* adds Python frames to the chains; borrowed; NULL: Python frames are not read */
	bool keeps_java;		/* the recording gets a section with the code of Java */
	bool probes_stacks;		/* all samples are written unchanged; some are unwound only for live_unwind_is_cut() */
};

/*
 * Prepares to unwind the samples of the opened events of @set. The attrs of events that are unwound are changed to describe the
 * samples in the file. *out is NULL if no event is unwound; else it is owned by the caller: live_unwind_free(). Prints errors;
 * returns 0 or -1.
 */
int live_unwind_new(struct live_unwind **out, struct event_set *set, const struct sampling_opts *s,
		    const struct live_unwind_opts *o);
void live_unwind_free(struct live_unwind *l);

/* Takes the synthesized records of existing processes. */
void live_unwind_add_records(struct live_unwind *l, const void *records, size_t size);

/* ---- one batch ---- */

/*
 * A batch has the samples of one pass over the ring buffers. They are copied out of the ring buffers, each with a reference to the
 * current maps of its process, and worker threads unwind them. A batch is written when it and all earlier batches are unwound. If
 * too many bytes of samples wait in memory, further samples wait in a temporary file (live_spill.h).
 */

/* Adds bytes that are written before the batch. */
void live_unwind_put(struct live_unwind *l, const void *bytes, size_t size);
/* Adds copies of the records of @s, a part of ring buffer number @ring. */
void live_unwind_add(struct live_unwind *l, const struct ring_span *s, uint32_t ring);
/*
 * Looks for new maps in the present contents of ring buffer number @ring. Call it after the ring buffers were read. A map's
 * record is written, to some ring buffer, before code of the map runs, so it is found here.
 */
void live_unwind_probe(struct live_unwind *l, uint32_t ring, const struct ring *r);
/*
 * Makes room for @bytes of samples, for which live_unwind_add() then neither writes to the spill file nor waits for memory. Returns
 * false if there is no room in memory.
 */
bool live_unwind_reserve(struct live_unwind *l, uint64_t bytes);
/* Ends the batch, which has @samples samples, and gives it to the workers. */
void live_unwind_submit(struct live_unwind *l, uint64_t samples);

/* ---- and back ---- */

/*
 * Appends the oldest finished batches to @out, until @out has @enough bytes. With @wait, waits for all batches, which is needed
 * only at the end of a file. Returns the number of samples. *more is true if the call ended because @out has enough bytes.
 */
uint64_t live_unwind_collect(struct live_unwind *l, struct buf *out, size_t enough, bool wait, bool *more);
/*
 * True if so many chains from ring buffer *@ring (any, if @ring is NULL) ended at the end of the copy of the stack that larger
 * copies are worth it. Counts the batches collected since the last call that returned true.
 */
bool live_unwind_is_cut(struct live_unwind *l, const uint32_t *ring);
/* True if copies of stacks that were made smaller are too small for many chains. Counts the collected batches. */
bool live_unwind_lesser_is_cut(const struct live_unwind *l);
/*
 * True if the size of copies may be adapted (sampling_opts.stack_fits), and each of the last chains, some hundred, needed at most
 * half of a smaller copy. Counts the collected batches. Each time that larger copies are needed again, more chains are waited for.
 */
bool live_unwind_is_shallow(const struct live_unwind *l);
/* Drops all batches, as nothing more can be written. Returns the number of dropped samples. */
uint64_t live_unwind_abandon(struct live_unwind *l);
/* Fills the section with the Java code seen so far. */
void live_unwind_section(const struct live_unwind *l, struct features *f);
/* The approximate size of that section in bytes. */
uint64_t live_unwind_bytes(const struct live_unwind *l);
/* Adds findings about incomplete chains and their reasons. Call it when all was collected. */
void live_unwind_findings(const struct live_unwind *l, struct findings *out);

#endif
