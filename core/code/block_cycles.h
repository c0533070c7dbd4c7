/*
 * Sums the cycles that branch stacks (LBR) recorded, by basic block, for prec report --total-cycles, which is also an option of
 * perf report. core/show/report/blocks.c prints the sums.
 * Layer: code
 */
#ifndef CORE_CODE_BLOCK_CYCLES_H
#define CORE_CODE_BLOCK_CYCLES_H

#include "core/base/vec.h"
#include "core/model/machine.h"

struct event;
struct filter;
struct session;

/*
 * A block begins at the target of a branch and ends at the next branch. If several blocks end at the same branch, their sum is
 * shown for the longest of them.
 */
struct cycle_block {
	struct addr_location end;	/* the branch; .symbol is never NULL */
	uint64_t start;			/* address in the symbol's dso where the block begins; the symbol's start if unknown */
	uint64_t cycles, nr;		/* .cycles: sum over all blocks that end there; .nr: how often they ran, at least 1 */
	uint32_t space;
};

struct blocks {				/* blocks_release() */
	VEC(struct cycle_block) list;		/* the most cycles first */
	uint64_t cycles;		/* sum over all branches with cycles, with or without a symbol */
	uint64_t average;		/* the sum of .cycles / .nr of all blocks */
};

/* Sums the branch stacks of @event that pass @filter (NULL: all). */
void blocks_find(struct blocks *out, struct session *s, const struct event *event, const struct filter *filter);
void blocks_release(struct blocks *b);

#endif
