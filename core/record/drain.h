/*
 * Something that fills while recording and is emptied into the file. The recorder knows no more of it: rings and
 * AUX areas look alike.
 * Layer: record
 */
#ifndef CORE_RECORD_DRAIN_H
#define CORE_RECORD_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/record/affinity.h"

struct data_writer;

enum drain_how {
	DRAIN_SOME,			/* little may be kept back, to be written with more */
	DRAIN_WRITE,			/* all that is there */
	DRAIN_LAST,			/* and what overwrite rings keep: a file ends */
};

struct drain {
	struct drain *next;		/* emptied after this one; NULL: none */
	/* Append what is there to @w. Returns the bytes taken (0: there was nothing), or -errno of the failed write. */
	int64_t (*drain)(struct drain *d, struct data_writer *w, enum drain_how how);
	bool waits;			/* a write left something after that was there before it */
};

struct event_set;
struct live_unwind;
struct stats;

struct ring_drain_opts {
	uint64_t min_bytes;		/* what is less waits in its ring for more, or for DRAIN_WRITE */
	bool no_buffering;		/* what is taken is written at once */
	bool no_rounds;			/* no FINISHED_ROUND: perf's files of directories have none */
	bool idle_rounds;		/* one that found nothing ends too: who reads along shows what came before it */
	struct live_unwind *live;	/* samples go through there; borrowed; NULL: none is unwound while recording */
	enum affinity_mode affinity;	/* run beside each ring while it is emptied */
};

struct ring_numbers { VEC(uint32_t) list; };

/* The drain of the rings of @set with these @numbers (taken over), as one: what they hold goes out in one write. Owned. */
struct drain *ring_drain_new(struct event_set *set, struct ring_numbers *numbers, struct stats *stats,
			     const struct ring_drain_opts *o);
void ring_drain_free(struct drain *d);

#endif
