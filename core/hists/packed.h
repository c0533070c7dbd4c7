/*
 * Defines a hash table that sums equal samples faster than bucket.h, for reports that need only the thread, the address, the CPU
 * mode or tracepoint fields. bucket.c fills it, and finally adds its rows to the larger table.
 */
#ifndef CORE_HISTS_PACKED_H
#define CORE_HISTS_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/hists/need.h"

struct addr_key_finder;
struct plain_sample;
struct context_cache;
struct raw_memo;

/*
 * The values of a sample besides its address. They become one number, struct packed_row's .owner, so a row is half as large as a
 * bucket and is found with a few instructions. The members are as in struct bucket_key; 0 if not needed.
 */
struct packed_owner {
	uint32_t event, comm, tid, mode;
};

struct packed_row {		/* see struct bucket */
	uint64_t at, ip, period, nr;
	uint32_t at_owner, space, owner;
	uint32_t detail;	/* 0 if not needed */
};

#define PACKED_BATCH		16
#define PACKED_RECENT_BITS	12

struct packed_table {				/* packed_init(), packed_release() */
	unsigned needs;				/* some of PACKED_NEEDS */
	struct addr_key_finder *finder;		/* borrowed */
	const struct raw_memo *details;		/* borrowed; the details of raw data, for NEED_TRACE */
	VEC(struct packed_owner) owners;
	struct index by_owner;
	struct recent_owner *recent;
	struct packed_row *slots;		/* open addressing; nr 0: free */
	size_t mask, nr;			/* .mask: number of slots - 1; .nr: slots in use */
	struct packed_row batch[PACKED_BATCH];	/* rows whose slots are being prefetched */
	unsigned nr_batch;
};

/*
 * The parts of samples (enum sample_need) that packed tables support. Samples without chains also fit if NEED_CHAIN is set.
 * NEED_TRACE must be the only part of NEED_DETAIL.
 */
#define PACKED_NEEDS (NEED_COMM | NEED_FOLDED | NEED_TID | NEED_THREAD | NEED_ADDRESS | NEED_DSO | NEED_LINE | NEED_OFFSET | \
		      NEED_MODE | NEED_CHAIN | NEED_TRACE)

void packed_init(struct packed_table *t, unsigned needs, struct addr_key_finder *finder, const struct raw_memo *details);
/* Returns false, and adds nothing, if the detail of the raw data is needed and not in .details. */
bool packed_add(struct packed_table *t, const struct plain_sample *s, struct context_cache *contexts);
/* Calls @row for each row, in no order. Nothing may be added afterwards. */
void packed_rows(struct packed_table *t, void (*row)(void *ctx, const struct packed_owner *owner, const struct packed_row *row),
		 void *ctx);
void packed_release(struct packed_table *t);

#endif
