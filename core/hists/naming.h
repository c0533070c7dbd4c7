/*
 * Names what buckets refer to: addresses with the functions inlined there, and frames of call chains. Filters by name are applied
 * here, and what has no name is counted. The tables of report (hist.h) and the profile (core/profile/) both use it:
 *
 *	naming_make()				each address once, each chain node once
 *	naming_frame() for each chain node	into the caller's table of frames
 *	naming_place(), naming_count()		for each bucket
 *
 * Layer: hists
 */
#ifndef CORE_HISTS_NAMING_H
#define CORE_HISTS_NAMING_H

#include "core/hists/chain_breaks.h"
#include "core/hists/location.h"
#include "core/hists/name_counts.h"

struct bucket;
struct buckets;
struct filter;
struct session;

struct naming_opts {
	const struct filter *filter;	/* by names; borrowed */
	struct location_opts lookup;
	bool names;			/* of sampled addresses, which were collected with NEED_ADDRESS; else */
	bool dsos;			/* of their files, with NEED_DSO */
	bool branches;			/* a bucket is where its branch went, with NEED_BRANCH */
	bool hide_unresolved;		/* leave out what has no symbol, frames of chains too */
};

struct naming {			/* naming_release() */
	struct naming_opts opts;	/* the caller sets these four; borrows the buckets, and owns the results: */
	struct buckets *buckets;
	struct locations *locations;
	struct name_counts *counts;	/* complete after naming_finish() */
	struct chain_breaks breaks;
	uint32_t *addr_keys;		/* by bucket; NULL: without names */
	uint8_t *marks;			/* by location: enum location_mark */
};

struct bucket_place {
	uint32_t location;		/* whose own time it is */
	uint32_t symbol;		/* that of the function with the code */
};

enum bucket_fate { BUCKET_COUNTS, BUCKET_FILTERED, BUCKET_HIDDEN };	/* hidden: for .hide_unresolved */

/* Name all that the buckets of @s have. No bucket may be added afterwards. */
void naming_make(struct naming *n, const struct session *s);
void naming_release(struct naming *n);

/*
 * The frame of address key @addr_key called from frame @caller; functions inlined there were called from it in turn. @push gives
 * the number of the frame of @location below @caller, in a table of the caller's; frame 0 is the root.
 */
typedef uint32_t push_frame_fn(void *ctx, uint32_t caller, uint32_t location);
uint32_t naming_frame(const struct naming *n, uint32_t caller, uint32_t addr_key, push_frame_fn *push, void *ctx);

/* The place of bucket @number; without names and files that of any. */
struct bucket_place naming_place(struct naming *n, size_t number);
/* Count @bucket at @place in .counts, or in buckets.totals as left out: by the filter, or @is_out. */
enum bucket_fate naming_count(struct naming *n, const struct bucket *bucket, const struct bucket_place *place, bool is_out);
/* Once, when all are counted. */
void naming_finish(struct naming *n);

#endif
