/* Samples without a symbol, by file, and their finding. Layer: hists */
#ifndef CORE_HISTS_UNRESOLVED_COUNTS_H
#define CORE_HISTS_UNRESOLVED_COUNTS_H

#include "core/model/symbol_errors.h"
#include "core/read/dso_counts.h"

struct bucket;
struct buckets;
struct findings;
struct location;
struct locations;
struct machine;

struct unresolved_counts {	/* = {0}; unresolved_counts_release() */
	struct dso_counts files;
	uint64_t nr_unmapped[UNMAPPED_GUEST + 1];	/* of these, where nothing is mapped */
};

/* Count @bucket, which is at @location, if that has no symbol; returns whether that is so. */
bool unresolved_counts_add(struct unresolved_counts *u, const struct bucket *bucket, const struct location *location);
void unresolved_counts_release(struct unresolved_counts *u);
/* Add the finding: FINDING_NO_SYMBOL, or with @branches FINDING_NO_TARGET_SYMBOL. @u was sorted; @nr_samples: of all. */
void unresolved_counts_finding(const struct unresolved_counts *u, const struct machine *m, bool branches, uint64_t nr_samples,
			       struct findings *out);
/*
 * Count all of @b and add the finding. By bucket: @addr_key_of is a number in @l, @weight_of is UINT32_MAX where filters left it
 * out.
 */
void unresolved_find(const struct buckets *b, const struct locations *l, const uint32_t *addr_key_of, const uint32_t *weight_of,
		     const struct machine *m, struct findings *out);

#endif
