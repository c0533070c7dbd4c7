/*
 * Defines the interface by which the recorder writes buffered data to the file. A drain is an object that empties one kind of
 * buffer: perf ring buffers (ring_drain.c), AUX areas, or BPF ring buffers (bpf_rings.c).
 * Layer: loop
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
	DRAIN_LAST,			/* all data, those of overwrite rings included: a file ends */
};

struct drain {
	struct drain *next;		/* emptied after this one; NULL: none */
	/* Writes the available data to @w. Returns the number of bytes taken (0: there were none), or -errno of a failed write. */
	int64_t (*drain)(struct drain *d, struct data_writer *w, enum drain_how how);
	bool waits;			/* .drain() has left some of the available data for a later call */
};

struct descriptors;
struct event_set;
struct live_unwind;
struct short_waits;
struct stats;

/*
 * A copy of the current file's MMAP, COMM, FORK and similar records, for the next file. The next file may have samples of
 * processes that have ended by then.
 */
struct kept_side_band {
	struct buf records;		/* owned */
	bool wanted, too_much;
};
#define KEPT_SIDE_BAND_MAX	(4u << 20)

struct ring_drain_opts {
	uint64_t min_bytes;		/* less than this waits in its ring for more, or for DRAIN_WRITE */
	bool no_buffering;		/* records are written at once */
	bool no_rounds;			/* no FINISHED_ROUND: perf's files of directories have none */
	bool idle_rounds;		/* a round without records ends too: a live reader then shows all before it */
	struct live_unwind *live;	/* samples go through there; borrowed; NULL: none is unwound while recording */
	struct live_unwind *stack_probe;	/* some are unwound there, and written as they are; borrowed; NULL: none is */
	struct short_waits *waits;	/* short ones are summed up there; borrowed; NULL: all records are written */
	struct descriptors *descriptors;	/* of calls that are taken these are looked up; borrowed; NULL: none are */
	struct kept_side_band *kept;	/* borrowed; NULL: not kept */
	enum affinity_mode affinity;	/* run on or near the CPU of each ring while it is read */
};

struct ring_numbers { VEC(uint32_t) list; };

/*
 * Makes one drain for all perf ring buffers of @set with these @numbers, which it takes over. Their data are written together.
 * Owned by the caller.
 */
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
