/*
 * Provides the hardware trace of each CPU or thread as a trace queue: one stream of bytes, made of AUXTRACE records or AUX
 * samples. Trace decoders read the bytes with aux_queue_bytes().
 */
#ifndef AUXTRACE_QUEUE_H
#define AUXTRACE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

struct buf;
struct findings;
struct session;

#define AUX_NONE UINT32_MAX		/* no CPU, no thread */

/* A position is a number of bytes from the start of the queue; bytes that are missing from the file do not count. */

struct aux_buffer {			/* the bytes of an AUXTRACE record, or the new bytes in a sample */
	uint64_t at;			/* position in the queue */
	uint64_t offset;		/* offset in the device's stream; for a sample, the number of bytes that were left out */
	uint64_t size;
	const uint8_t *data;		/* borrowed: in the mapped file, or in memory if it was compressed */
	uint64_t before, after;	/* bytes of the file before and after .data; both 0: .data is not in the file */
};

/*
 * A segment has bytes that the device wrote one after the other, wherever they are in the file:
 *
 *	AUXTRACE	offset 0, 4096 bytes	offset 4096, 2000 bytes		offset 9000, 800 bytes
 *	segments	[0 ............................. 6096)			[6096 ..... 6896)
 */
struct aux_segment {
	uint64_t from, to;		/* positions, half open */
	bool lost;			/* trace is missing before it; false for the first, and for snapshots, if it is
					 * unknown */
};

/* The time at which the device had written up to a position, and the thread that ran. */
struct aux_record {			/* an AUX record, or a sample */
	uint64_t from, to;		/* positions */
	uint64_t time;			/* ns; if records carry no time, see trace_record.time */
	uint32_t pid, tid;		/* the thread that ran when it was written; AUX_NONE: unknown */
	uint64_t flags;			/* PERF_AUX_FLAG_* */
	uint64_t id;			/* id of the event that recorded it; 0: unknown */
};

struct aux_queue {
	uint32_t number;		/* its index in the list, and the number of its stream */
	uint32_t cpu, tid;		/* AUX_NONE: all */
	VEC(struct aux_buffer) buffers;
	VEC(struct aux_segment) segments;
	VEC(struct aux_record) aux_records;	/* sorted by position */
	const uint8_t *newest;		/* while gathering: the last sample's data; NULL: none */
	size_t nr_newest;
};

struct aux_queues {			/* = {0}; aux_queues_release() */
	VEC(struct aux_queue) list;
	struct index by_place;		/* by CPU and thread */
	uint64_t truncated;		/* AUX records with PERF_AUX_FLAG_TRUNCATED: the buffer was full, and trace was lost */
	uint64_t damaged;		/* AUXTRACE and AUX records that make no sense */
	uint64_t absent;		/* bytes of AUX records without an AUXTRACE record */
};

/*
 * Makes the queues. @snapshot: the recording consists of snapshots. A snapshot that begins in the range of the last one continues
 * it; otherwise it begins a new segment. If samples carry trace (PERF_SAMPLE_AUX), each has the newest
 * bytes of the trace: samples that overlap are joined, and AUXTRACE records are ignored.
 */
void aux_queues_gather(struct aux_queues *q, const struct session *s, bool snapshot);
void aux_queues_release(struct aux_queues *q);
/* Adds findings about missing trace: the buffer was full (@interrupted times), records were damaged or lack their data. */
void aux_queues_findings(const struct aux_queues *q, uint64_t interrupted, struct findings *out);

/*
 * Returns the bytes at positions [from, to) of a segment: in place if they are in one buffer, otherwise copied to @scratch.
 * Borrowed until the next call with @scratch.
 */
const uint8_t *aux_queue_bytes(const struct aux_queue *q, uint64_t from, uint64_t to, struct buf *scratch);
/*
 * Releases the memory of the bytes at positions [from, to) of a segment, which this thread does not need for now. The next access
 * reads them from the file again.
 */
void aux_queue_release(const struct aux_queue *q, uint64_t from, uint64_t to);
/* The AUX record that covers position @at; NULL: none. */
const struct aux_record *aux_queue_record(const struct aux_queue *q, uint64_t at);

/*
 * Returns the largest number of bytes at the start of @next that are also the end of @before. Short parts of a trace may be equal
 * by chance. But trace that has a point where decoding can begin also has a timestamp, which does not repeat.
 */
size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next);

#endif
