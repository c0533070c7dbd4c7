/*
 * Looks up the names of the addresses in buckets (sums of equal samples, bucket.h), and drops buckets that filters by name
 * exclude. named_bucket.c calls it for reports, core/profile/session_profile.c for profiles.
 */
#ifndef CORE_HISTS_NAMING_H
#define CORE_HISTS_NAMING_H

#include "core/hists/chain_breaks.h"
#include "core/hists/location.h"
#include "core/model/symbol_errors.h"
#include "core/unwind/dso_counts.h"

struct bucket;
struct buckets;
struct filter;
struct session;

/* ---- counts of samples by file: name_counts.c ---- */

struct unresolved_counts {
	struct dso_counts files;
	uint64_t nr_unmapped[UNMAPPED_GUEST + 1];	/* the samples of .files that are at unmapped addresses */
};

struct name_counts {		/* = {0}; name_counts_release() */
	uint64_t nr_samples;
	struct unresolved_counts unresolved;
	struct dso_counts interpreted;	/* samples in functions of interpreters */
	struct broken_chains chains;
};

/* Counts @bucket, which is at @location, a location without a symbol. */
void unresolved_counts_add(struct unresolved_counts *u, const struct bucket *bucket, const struct location *location);
void name_counts_release(struct name_counts *c);
/* Adds the warnings. @branches: the samples are branches. The caller has sorted .unresolved and .interpreted. */
void name_counts_findings(const struct name_counts *c, const struct session *s, bool branches, struct findings *out);

/* ---- naming.c ---- */

struct naming_opts {
	const struct filter *filter;	/* only its filters by name are applied here; borrowed */
	struct location_opts lookup;
	bool names;			/* name the sampled addresses, which were collected with NEED_ADDRESS */
	bool dsos;			/* without .names: name only their files, with NEED_DSO */
	bool branches;			/* the location of a bucket is its branch's target, with NEED_BRANCH */
	bool hide_unresolved;		/* leave out buckets and frames of chains without a symbol */
};

/*
 * Names sampled functions, functions inlined there, and frames of call chains. Leaves out buckets by filters for names, and counts
 * the samples without a name. The order of calls is:
 *
 *	naming_make()				names each address and each chain node once
 *	naming_frame() for each chain node	passes the frames of the node (core/model/chain.h) to a callback, which stores them
 *	naming_place(), naming_count()		for each bucket
 *	naming_finish()				sums up the counts
 */
struct naming {			/* naming_release() */
	struct naming_opts opts;	/* the caller sets the first four members; their pointers are borrowed */
	struct buckets *buckets;
	struct locations *locations;
	struct name_counts *counts;	/* complete after naming_finish() */
	struct chain_breaks breaks;
	uint8_t *marks;			/* by location: enum location_mark */
};

struct bucket_place {
	uint32_t location;		/* the location of the self time */
	uint32_t symbol;		/* the location of the function that contains the code, even if another was inlined there */
};

enum bucket_fate { BUCKET_COUNTS, BUCKET_FILTERED, BUCKET_HIDDEN };	/* hidden: for .hide_unresolved */

/* Names everything that the buckets of @s refer to. No bucket may be added afterwards. */
void naming_make(struct naming *n, const struct session *s);
void naming_release(struct naming *n);

/*
 * Makes the frame of @addr_key, called from frame @caller, and frames of the functions inlined there, each called from the one
 * before. Frames are kept in a table of the caller: @push returns the number of the frame of @location called from @caller; frame
 * 0 is the root.
 */
typedef uint32_t push_frame_fn(void *ctx, uint32_t caller, uint32_t location);
uint32_t naming_frame(const struct naming *n, uint32_t caller, uint32_t addr_key, push_frame_fn *push, void *ctx);

/* The place of @bucket. Without .names and .dsos, all buckets have one place. */
struct bucket_place naming_place(const struct naming *n, const struct bucket *bucket);
/* Counts @bucket, which is at @place, in .counts; or, if the filter or @is_out excludes it, in buckets.totals as left out. */
enum bucket_fate naming_count(struct naming *n, const struct bucket *bucket, const struct bucket_place *place, bool is_out);
/* Call it once, after all were counted. */
void naming_finish(struct naming *n);

#endif
