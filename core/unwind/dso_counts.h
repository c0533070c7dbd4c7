/*
 * Counts samples and broken call chains by mapped file (dso), for messages to the user (findings). A chain is broken if a
 * caller's address cannot be a return address. It counts for the file of its last good frame.
 */
#ifndef CORE_UNWIND_DSO_COUNTS_H
#define CORE_UNWIND_DSO_COUNTS_H

#include "core/ui/finding.h"
#include "core/base/hash.h"

struct dso;

struct dso_count { const struct dso *dso; uint64_t nr; };	/* .dso: borrowed; NULL: addresses in no file */

struct dso_counts {		/* = {0}; dso_counts_release() */
	VEC(struct dso_count) list;	/* in any order */
	struct index by_dso;		/* indexes .list by .dso until dso_counts_sort() */
	uint64_t total;
};

void dso_counts_add(struct dso_counts *c, const struct dso *dso, uint64_t nr);
void dso_counts_merge(struct dso_counts *c, const struct dso_counts *other);
void dso_counts_release(struct dso_counts *c);
/* Sorts by number of samples, the largest first, alike for any number of threads. Nothing may be added afterwards. */
void dso_counts_sort(struct dso_counts *c);

/* Counts of broken call chains (core/unwind/caller.h). */
struct broken_chains {		/* = {0} */
	uint64_t chains;		/* number of checked chains */
	struct dso_counts broken;	/* broken chains, by the file of the last good frame */
	struct dso_counts alone;	/* chains without the caller of the innermost frame of user space, by that frame's file */
};

void broken_chains_merge(struct broken_chains *b, const struct broken_chains *other);
void broken_chains_release(struct broken_chains *b);
/*
 * Adds FINDING_CHAINS_BROKEN if any chains are broken. Adds FINDING_CHAINS_WITHOUT_CALLER if more chains lack a caller than the few
 * at the start of programs and threads.
 */
void broken_chains_findings(const struct broken_chains *b, struct findings *out);

#endif
