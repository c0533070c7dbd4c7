/*
 * A sample's last branches as the innermost part of its call chain: perf report --branch-history.
 * Layer: hists
 */
#ifndef CORE_HISTS_BRANCH_HISTORY_H
#define CORE_HISTS_BRANCH_HISTORY_H

#include "core/base/vec.h"
#include "core/base/wire.h"

struct item;

struct branch_pair { uint64_t from, to; };

struct branch_history {			/* = {0}; branch_history_release() */
	VEC(struct branch_pair) branches;
	VEC(uint64_t) words;
};

/*
 * The chain of @item, which has branches: the target and source of each, the last one first, loops once; then the callers
 * that the branches do not reach. In the format of recorded chains, with context markers; borrowed from @h until the next
 * call.
 */
struct words branch_history_of(struct branch_history *h, const struct item *item);
void branch_history_release(struct branch_history *h);

#endif
