/*
 * Counts incomplete call chains by the reason why they end early, such as a stack copy that is too short or a file without
 * unwind tables, and reports the counts to the user.
 */
#ifndef CORE_UNWIND_CHAIN_CUTS_H
#define CORE_UNWIND_CHAIN_CUTS_H

#include "core/unwind/dso_counts.h"
#include "core/unwind/unwinder.h"

struct chain_cuts {		/* = {0}; chain_cuts_release() */
	uint64_t chains;		/* number of all chains */
	uint64_t shed;			/* chains that are short, or by frame pointers, as there was no room for the stack copy */
	uint64_t by_kernel;		/* chains that the kernel cut, because they have the maximum number of frames */
	uint64_t unmapped_loops;	/* chains that reached the maximum in a loop, in a process without known maps */
	uint64_t hiding;		/* chains with a Java frame whose inlined methods are unknown */
	uint64_t by_end[NR_UNWOUND_ENDS];	/* unwound chains, by the reason of their end */
	struct dso_counts without_tables;	/* chains that ended by UNWOUND_NO_TABLES, by file */
};

/* Counts an unwound chain. */
void chain_cuts_count(struct chain_cuts *c, const struct unwound *u);
void chain_cuts_merge(struct chain_cuts *into, const struct chain_cuts *from);
void chain_cuts_release(struct chain_cuts *c);
void chain_cuts_findings(const struct chain_cuts *c, struct findings *out);

#endif
