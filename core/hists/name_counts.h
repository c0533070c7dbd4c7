/*
 * Holds three counts for each file: samples without a symbol, samples in functions of interpreters, and samples with a broken
 * call chain. naming.c fills in the counts, from which name_counts_findings() makes warnings for the user.
 * Layer: hists
 */
#ifndef CORE_HISTS_NAME_COUNTS_H
#define CORE_HISTS_NAME_COUNTS_H

#include "core/model/symbol_errors.h"
#include "core/read/dso_counts.h"

struct bucket;
struct location;
struct session;

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

#endif
