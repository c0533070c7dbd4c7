/*
 * What the first pass over a recording counted, and what was found when its samples were read (item_reader_count()).
 * Layer: flow
 */
#ifndef CORE_FLOW_COUNTS_H
#define CORE_FLOW_COUNTS_H

#include "core/base/vec.h"
#include "core/flow/chain_cuts.h"
#include "core/format/record.h"

/* Once a compressed stream has unpacked to this many bytes, it must not unpack to more than ZSTD_RATIO_MAX times its own size. */
#define ZSTD_FREE_SIZE	(16u << 20)
#define ZSTD_RATIO_MAX	3000

enum damage_kind {
	DAMAGE_FIELDS,			/* its fields do not fit its size */
	DAMAGE_ZSTD,			/* what is compressed in it cannot be unpacked */
	DAMAGE_RATIO,			/* its stream unpacks to more than ZSTD_RATIO_MAX times its size */
};

struct damage {			/* records that cannot be read; skipped */
	uint64_t nr;
	uint64_t offset;		/* in the file, of the first */
	struct record_header header;	/* of the first */
	enum damage_kind kind;		/* of the first */
	uint64_t ratio;			/* DAMAGE_RATIO: bytes unpacked for each compressed one, up to there */
};

static inline void damage_merge(struct damage *d, const struct damage *other)
{
	uint64_t nr = d->nr + other->nr;

	if (other->nr && (!d->nr || other->offset < d->offset))
		*d = *other;
	d->nr = nr;
}

static inline void damage_add(struct damage *d, uint64_t offset, struct record_header header)
{
	damage_merge(d, &(struct damage){ .nr = 1, .offset = offset, .header = header });
}

struct half_record {		/* that a file's unpacked data end in the middle of; of several files, in the first */
	uint64_t bytes;			/* of it that are there; 0: there is no such record */
	uint64_t offset;		/* in the file, of the last COMPRESSED record */
};

struct session_counts {
	uint64_t by_type[RECORD_MAX];
	uint64_t unknown;		/* records of types prec does not know; skipped */
	struct damage damaged;
	uint64_t no_event;		/* samples whose id belongs to no event; skipped */
	uint64_t no_user;		/* deferred call chains without their CALLCHAIN_DEFERRED record */
	struct chain_cuts cuts;		/* of the call chains that were asked for */
	uint64_t lost, lost_samples;	/* the sums of what LOST and LOST_SAMPLES records say */
	uint64_t lost_events;		/* the number of these records */
	uint64_t throttled;
	VEC(uint64_t) samples_by_event;	/* by event number */
	VEC(uint64_t) lost_by_event;	/* lost_samples by event number; shorter where the last events lost none */
	uint64_t first_time, last_time;	/* of samples, ns; first > last: no sample has a time */
	uint64_t bytes;			/* of the data section as read */
	struct half_record half;
	bool cut;			/* the file ends before its data does */
	size_t cut_part;		/* where: the number of the part, see data_file.parts, */
	uint64_t cut_at;		/* and the byte in it after the last whole record */
};

#endif
