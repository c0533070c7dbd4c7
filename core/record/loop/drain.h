/*
 * Defines the interface by which the recorder writes buffered data to the file. A drain is an object that empties one kind of
 * buffer: perf ring buffers (ring_drain.c), AUX areas, or BPF ring buffers (bpf_rings.c).
 */
#ifndef CORE_RECORD_LOOP_DRAIN_H
#define CORE_RECORD_LOOP_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/record/loop/affinity.h"

struct data_writer;

enum drain_how {
	DRAIN_SOME,			/* small amounts may be kept back, to be written with later data */
	DRAIN_WRITE,			/* all data */
	DRAIN_LAST,			/* all data, also those of overwrite ring buffers, because a file ends */
};

struct drain {
	struct drain *next;		/* emptied after this one; NULL: none */
	/* Writes the available data to @w. Returns the number of bytes taken (0: there were none), or -errno of a failed write. */
	int64_t (*drain)(struct drain *d, struct data_writer *w, enum drain_how how);
	bool waits;			/* .drain() has left some of the available data for a later call */
	int look_ms;			/* call .drain() after this time, also if no data woke the reader; 0: no */
};

struct descriptors;
struct event_set;
struct live_unwind;
struct short_waits;
struct stats;

/* A copy of this file's MMAP, COMM, FORK and similar records for the next, which may have samples of ended processes. */
struct kept_side_band {
	struct buf records;		/* owned */
	bool wanted, too_much;		/* .too_much: more than KEPT_SIDE_BAND_MAX bytes, so the copy is incomplete */
};
#define KEPT_SIDE_BAND_MAX	(4u << 20)

struct ring_drain_opts {
	uint64_t min_bytes;		/* a ring buffer with less data is left until it has more, or until DRAIN_WRITE */
	bool no_buffering;		/* records are written at once */
	bool no_rounds;			/* no FINISHED_ROUND: perf's files of directories have none */
	bool idle_rounds;		/* a round without records also ends with a FINISHED_ROUND, so that a live reader shows all
					 * data before it */
	struct live_unwind *live;	/* unwinds the stacks of samples; borrowed; NULL: no stack is unwound while recording */
	struct live_unwind *stack_probe;	/* unwinds some stacks to check the size of their copies; samples are written
						 * unchanged; borrowed; NULL: not used */
	struct short_waits *waits;	/* sums up short waits; borrowed; NULL: all records of waits are written */
	struct descriptors *descriptors;	/* looks up the file descriptors in records of system calls; borrowed; NULL: not
						 * used */
	struct kept_side_band *kept;	/* gets a copy of MMAP and similar records; borrowed; NULL: no copy */
	enum affinity_mode affinity;	/* run on or near the CPU of each ring while it is read */
};

struct ring_numbers { VEC(uint32_t) list; };

/* Makes one drain, owned by the caller, for the ring buffers @numbers, which it takes over. Their data are written together. */
struct drain *ring_drain_new(struct event_set *set, struct ring_numbers *numbers, struct stats *stats,
			     const struct ring_drain_opts *o);
/*
 * Makes the next DRAIN_LAST leave data newer than @time in overwrite ring buffers (by the records' clock; UINT64_MAX: none is
 * newer). As much of these data as fits in a ring buffer is kept for the DRAIN_LAST after that.
 */
void ring_drain_until(struct drain *d, uint64_t time);
/* Counts the samples that forward ring buffers still hold as unwritten. Call it after a failed write. */
void ring_drain_count_unwritten(struct drain *d);
/* Bits of ring_drain_snapshot(), the result of the last DRAIN_LAST for overwrite ring buffers. */
enum { SNAPSHOT_TOOK = 1, SNAPSHOT_LATE = 2 /* all wanted data of a ring had been overwritten */ };
unsigned ring_drain_snapshot(const struct drain *d);
void ring_drain_free(struct drain *d);

#endif
