/*
 * Puts a sample's last branches in front of its call chain, for prec report --branch-history. The chain then shows how the
 * program reached the sampled instruction, as in perf.
 */
#ifndef CORE_HISTS_BRANCH_HISTORY_H
#define CORE_HISTS_BRANCH_HISTORY_H

#include "core/base/vec.h"
#include "core/base/wire.h"

struct item;

struct taken_branch { uint64_t from, to, flags; };	/* as struct perf_branch_entry */

enum branch_sum { BRANCH_ENDS, BRANCH_ENDS_PREDICTED, BRANCH_ENDS_ABORT, BRANCH_ENDS_CYCLES, NR_BRANCH_SUMS };

struct branch_history {			/* = {0}; branch_history_release() */
	VEC(struct taken_branch) branches;
	VEC(uint64_t) words;
};

/*
 * Makes the chain of @item, which must have branches. The chain begins with the target and the source of each branch, the newest
 * first, with repeated loops once. Then it has the callers that no branch covers. It has the format of recorded chains, with
 * context markers, and is borrowed from @h until the next call.
 */
struct words branch_history_of(struct branch_history *h, const struct item *item);
/*
 * Sums the branches of the chain that branch_history_of() makes for @item. As in perf, a branch counts twice in BRANCH_ENDS, once
 * for its target and once for its source. Its flags predicted and abort, and its cycles, count once.
 */
void branch_history_sums(struct branch_history *h, const struct item *item, uint64_t out[NR_BRANCH_SUMS]);
void branch_history_release(struct branch_history *h);

#endif
