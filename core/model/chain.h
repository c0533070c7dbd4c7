/*
 * Stores each distinct call chain once, as a node of a tree in which the parent of a node is its caller. core/hists/bucket.c
 * adds the chains of samples. chain_unite.c merges the trees of the worker threads.
 */
#ifndef CORE_MODEL_CHAIN_H
#define CORE_MODEL_CHAIN_H

#include <stdbool.h>

#include "core/base/hash.h"
#include "core/base/unite.h"
#include "core/base/vec.h"
#include "core/base/wire.h"

struct addr_key_table;
struct task_context;

#define CHAIN_ROOT 0u

/*
 * A frame. It stands for the whole chain from the root to this frame, so equal chains have the same node:
 *
 *	root (0) <- main <- work <- leaf		the node of "leaf" stands for the whole chain
 *
 * Context markers (PERF_CONTEXT_USER ...) are dropped, because the address key of each node (addr_key.h) already distinguishes
 * addresses of the kernel, of user space and of guests.
 */
struct chain_node {
	uint32_t addr_key;
	uint32_t parent;	/* the caller; CHAIN_ROOT ends it */
	uint32_t depth;		/* number of frames in the chain; 0 for the root */
	uint32_t hash;		/* of the address keys of all nodes from the root to this one */
};

#define CHAIN_WAITING 0x80000000u	/* flag: not a node, the other bits are an index in chain_table.waiting */

struct chain_step { uint64_t ip; uint32_t space, node; bool calls; };	/* .node may have CHAIN_WAITING */
struct chain_frame { uint64_t ip; uint32_t space, parent, addr_key, hash, node; bool calls; };	/* .parent may have CHAIN_WAITING */

/*
 * The tree of a worker thread. It is larger than the CPU's caches, so chains are added in batches. chain_intern() queues new frames
 * and prefetches memory; chains_settle() then makes the nodes of all queued frames, when that memory is in the cache.
 */
struct chain_table {
	VEC(struct chain_node) nodes;	/* [0] is the root */
	struct index by_node;
	VEC(struct chain_step) last;	/* the chain interned last, from the root: the next one often begins with the same nodes */
	VEC(struct chain_frame) waiting;	/* frames that wait for chains_settle(), callers before callees */
	bool settled;			/* the frames in .waiting have their nodes */
};

void chain_table_init(struct chain_table *t);
void chain_table_release(struct chain_table *t);

/* Frees the tables that are only needed to add chains. */
void chain_table_seal(struct chain_table *t);

/* The node of @addr_key called from @parent, added if new. */
uint32_t chain_push(struct chain_table *t, uint32_t parent, uint32_t addr_key);

/*
 * Interns the @max_depth innermost frames of the recorded chain of a sample. @chain: innermost first, with context markers.
 * @context and @cpumode: the sample's; @cpumode applies to frames before the first marker. @unwound: callers in user space are
 * addresses of calls, not return addresses. Frames become address keys in @addr_keys, which is the same table in all calls. The
 * callers of a frame with the unmapped key are left out. Returns the node, or a number with CHAIN_WAITING set, for which
 * chain_settled() returns the node after chains_settle().
 */
uint32_t chain_intern(struct chain_table *t, struct addr_key_table *addr_keys, const struct words *chain,
		      const struct task_context *context, uint16_t cpumode, bool unwound, unsigned max_depth);
/* Makes the nodes of all waiting chains. */
void chains_settle(struct chain_table *t, struct addr_key_table *addr_keys);
/* The node for a result of chain_intern(). Call it between chains_settle() and the next chain_intern(). */
static inline uint32_t chain_settled(const struct chain_table *t, uint32_t chain)
{
	return chain & CHAIN_WAITING ? t->waiting.v[chain & ~CHAIN_WAITING].node : chain;
}

/*
 * Merges the @nr @tables into @out, which must be empty, and to which no chains can be added afterwards. @addr_keys: by table, the
 * new numbers of its address keys (addr_key_tables_unite()). Changes the nodes in @tables. Returns the new number of each node, to
 * be freed by united_release().
 */
struct united chain_tables_unite(struct chain_table *out, struct chain_table *const tables[], size_t nr,
				 uint32_t *const addr_keys[], unsigned jobs);

/* The space of addresses with @cpumode in a sample of @context. */
uint32_t chain_space(const struct task_context *context, uint16_t cpumode);
/* The cpumode of the frames after a context marker (enum perf_callchain_context); PERF_RECORD_MISC_CPUMODE_UNKNOWN: others. */
uint16_t chain_marker_cpumode(uint64_t marker);

#endif
