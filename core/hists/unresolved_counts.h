/* Samples without a symbol, by file, and their finding. Layer: hists */
#ifndef CORE_HISTS_UNRESOLVED_COUNTS_H
#define CORE_HISTS_UNRESOLVED_COUNTS_H

#include "core/model/symbol_errors.h"
#include "core/read/dso_counts.h"

struct bucket;
struct findings;
struct location;
struct machine;

struct unresolved_counts {	/* = {0}; unresolved_counts_release() */
	struct dso_counts files;
	uint64_t nr_unmapped[UNMAPPED_GUEST + 1];	/* of these, where nothing is mapped */
};

/* Count @bucket, which is at @location: one without a symbol. */
void unresolved_counts_add(struct unresolved_counts *u, const struct bucket *bucket, const struct location *location);
void unresolved_counts_release(struct unresolved_counts *u);
/* Add the finding: FINDING_NO_SYMBOL, or with @branches FINDING_NO_TARGET_SYMBOL. @u was sorted; @nr_samples: of all. */
void unresolved_counts_finding(const struct unresolved_counts *u, const struct machine *m, bool branches, uint64_t nr_samples,
			       struct findings *out);

#endif
