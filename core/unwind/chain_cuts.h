/*
 * Counts incomplete call chains by the reason why they end early.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_CHAIN_CUTS_H
#define CORE_UNWIND_CHAIN_CUTS_H

#include "core/unwind/unwinder.h"

struct findings;

struct dso_chains {		/* chains that end in a file */
	const struct dso *dso;		/* borrowed; NULL: in none */
	uint64_t nr;
};

struct chain_cuts {		/* = {0}; chain_cuts_release() */
	uint64_t chains;		/* of this many: */
	uint64_t shed;			/* are cut, or by frame pointers, as less of the stack was copied: there was no room */
	uint64_t by_kernel;		/* have as many frames as the kernel takes */
	uint64_t unmapped_loops;	/* have as many, a loop, in a process whose maps are not known */
	uint64_t hiding;		/* have a frame of Java, where other methods are inlined, and it is not known which */
	uint64_t by_end[NR_UNWOUND_ENDS];	/* were unwound, and end for that reason */
	VEC(struct dso_chains) without_tables;	/* those of UNWOUND_NO_TABLES, by where */
};

/* One more that was unwound. */
void chain_cuts_count(struct chain_cuts *c, const struct unwound *u);
void chain_cuts_merge(struct chain_cuts *into, const struct chain_cuts *from);
void chain_cuts_release(struct chain_cuts *c);
void chain_cuts_findings(const struct chain_cuts *c, struct findings *out);

#endif
