/*
 * Counts the records of a recording by type, and the lost, damaged or cut ones. The first pass over the records (scan.h) makes
 * most counts. The second pass (item_reader.h) counts damaged samples and incomplete call chains.
 */
#ifndef CORE_READ_COUNTS_H
#define CORE_READ_COUNTS_H

#include "core/base/vec.h"
#include "core/unwind/chain_cuts.h"
#include "core/perfdata/record.h"

/* A zstd stream that unpacks to more than ZSTD_FREE_SIZE bytes and ZSTD_RATIO_MAX times its size is treated as damaged. */
#define ZSTD_RATIO_MAX	3000
#define ZSTD_FREE_SIZE	(16u << 20)

enum damage_kind {
	DAMAGE_FIELDS,			/* the record's fields do not fit its size */
	DAMAGE_ZSTD,			/* zstd cannot unpack its data */
	DAMAGE_RATIO,			/* its data unpacks to too much: see ZSTD_RATIO_MAX */
};

struct damage {			/* records that cannot be read and are skipped */
	uint64_t nr;
	uint64_t offset;		/* the offset of the first such record in the file */
	struct record_header header;	/* the first record's */
	enum damage_kind kind;		/* the first record's */
	uint64_t ratio;			/* DAMAGE_RATIO: bytes unpacked so far / bytes compressed */
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

struct half_record {		/* the first record that is cut by the end of a zstd stream */
	uint64_t bytes;			/* number of bytes before the cut; 0: no record is cut */
	uint64_t offset;		/* offset in the file of the COMPRESSED record that has the last byte before the cut */
};

struct session_counts {
	uint64_t by_type[RECORD_MAX];
	uint64_t unknown;		/* records of types prec does not know; skipped */
	struct damage damaged;
	uint64_t no_event;		/* samples whose id belongs to no event; skipped */
	uint64_t no_user;		/* deferred call chains whose CALLCHAIN_DEFERRED record never came */
	struct chain_cuts cuts;		/* counted only if the command wants call chains */
	uint64_t lost, lost_samples;	/* sums of LOST and of LOST_SAMPLES */
	uint64_t filtered_samples;	/* sum of LOST_SAMPLES with MISC_LOST_SAMPLES_BPF: dropped by a BPF filter */
	uint64_t throttled;		/* THROTTLE records */
	uint64_t cut_maps;		/* processes with missing maps: record_is_cut_map() */
	VEC(uint64_t) samples_by_event;	/* by struct event.number */
	VEC(uint64_t) lost_by_event;	/* .lost_samples by event; shorter if the last events lost none */
	uint64_t first_time, last_time;	/* the earliest and the latest time of a sample, ns; first > last: no sample has one */
	uint64_t bytes;			/* bytes of the data section that were read */
	struct half_record half;
	bool cut;			/* the file ends before its data does */
	size_t cut_part;		/* .cut: the index of the part that ends early (data_file.parts) */
	uint64_t cut_at;		/* .cut: where in that part's data the last whole record ends */
};

/* Gives .samples_by_event an element for each of @nr events. */
static inline void session_counts_extend(struct session_counts *c, size_t nr)
{
	while (c->samples_by_event.nr < nr)
		vec_push(&c->samples_by_event, 0);
}

/* Adds the counts of another part of the recording, except .cut. */
void session_counts_add(struct session_counts *to, const struct session_counts *from);
void session_counts_release(struct session_counts *c);

#endif
