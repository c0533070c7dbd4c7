/* Samples whose address has no name, or whose chain is broken, by file, and their findings. Layer: hists */
#ifndef CORE_HISTS_NAME_COUNTS_H
#define CORE_HISTS_NAME_COUNTS_H

#include "core/model/symbol_errors.h"
#include "core/read/dso_counts.h"

struct bucket;
struct findings;
struct location;
struct session;

struct unresolved_counts {
	struct dso_counts files;
	uint64_t nr_unmapped[UNMAPPED_GUEST + 1];	/* of these, where nothing is mapped */
};

struct name_counts {		/* = {0}; name_counts_release() */
	uint64_t nr_samples;
	struct unresolved_counts unresolved;
	struct dso_counts interpreted;	/* samples in functions of interpreters */
	struct broken_chains chains;
};

/* Count @bucket, which is at @location: one without a symbol. */
void unresolved_counts_add(struct unresolved_counts *u, const struct bucket *bucket, const struct location *location);
void name_counts_release(struct name_counts *c);
/* Add the findings. @branches: the samples are those. .unresolved and .interpreted were sorted. */
void name_counts_findings(const struct name_counts *c, const struct session *s, bool branches, struct findings *out);

#endif
