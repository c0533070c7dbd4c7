/*
 * What the first pass over a recording counted.
 * Layer: flow
 */
#ifndef CORE_FLOW_COUNTS_H
#define CORE_FLOW_COUNTS_H

#include "core/base/vec.h"
#include "core/flow/chain_cuts.h"
#include "core/format/record.h"

#define ZSTD_RATIO_MAX	3000		/* a compressed stream of more than */
#define ZSTD_FREE_SIZE	(16u << 20)	/* so many bytes unpacks to no more than that many times its size */

enum damage_kind {
	DAMAGE_FIELDS,			/* its fields do not fit its size */
	DAMAGE_ZSTD,			/* what is compressed in it cannot be unpacked */
	DAMAGE_RATIO,			/* it unpacks to more than any recording does */
};

struct damage {			/* records that cannot be read; skipped */
	uint64_t nr;
	uint64_t offset;		/* of the first in the file, */
	struct record_header header;	/* and what it says of itself */
	enum damage_kind kind;
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

struct half_record {		/* at the end of what was unpacked; the first one */
	uint64_t bytes;
	uint64_t offset;		/* in the file: of the COMPRESSED record where it ends */
};

struct session_counts {
	uint64_t by_type[RECORD_MAX];
	uint64_t unknown;		/* records of types prec does not know; skipped */
	struct damage damaged;
	uint64_t no_event;		/* records whose id is nobody's; skipped */
	uint64_t no_user;		/* call chains whose user part, put off, no record brought */
	struct chain_cuts cuts;		/* of samples whose chains somebody wants */
	uint64_t lost, lost_samples, lost_events;	/* as told by LOST, LOST_SAMPLES; events of such records */
	uint64_t throttled;
	VEC(uint64_t) samples_by_event;	/* by event number */
	VEC(uint64_t) lost_by_event;	/* the same, of lost_samples; shorter where the last events lost none */
	uint64_t first_time, last_time;	/* of samples, ns; first > last: no sample has a time */
	uint64_t bytes;			/* of the data section as read */
	struct half_record half;
	bool cut;			/* the file ends before its data does */
	size_t cut_part;		/* in which of its parts, */
	uint64_t cut_at;		/* and where in that part's data the last whole record ends */
};

#endif
