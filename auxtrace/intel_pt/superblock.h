/*
 * Defines superblocks: sequences of basic blocks (auxtrace/block.h) that end at a branch whose outcome is in the Intel PT trace.
 * With superblocks, walk.c handles many instructions in one step.
 */
#ifndef AUXTRACE_INTEL_PT_SUPERBLOCK_H
#define AUXTRACE_INTEL_PT_SUPERBLOCK_H

#include <stdint.h>

#include "auxtrace/block.h"

enum superblock_end {
	SB_COND,		/* takes a TNT bit */
	SB_RET,		/* takes a TNT bit or a TIP */
	SB_INDIRECT,		/* takes a TIP; an indirect call pushes a return address */
	SB_FAR,		/* takes a TIP, or ends tracing */
	SB_MORE,		/* takes no packet: the superblock was split */
	SB_BROKEN,		/* the code after the last block is not available: see last->err */
};

#define SB_MAX_BLOCKS 32

/*
 * Basic blocks, joined over direct jumps and calls, up to a conditional branch, a return, an indirect or a far branch. A superblock
 * is made once for each start address. It ends early if it has SB_MAX_BLOCKS blocks, or if the next block is already in it.
 */
struct superblock {
	struct superblock *next[2];	/* COND: [0] not taken, [1] taken; MORE: [0]; INDIRECT, RET, FAR: [1] is the last target */
	uint32_t nr_insn;	/* number of instructions in all blocks */
	uint8_t end;		/* enum superblock_end */
	uint8_t nr_calls, nr_blocks;
	struct block *start, *last;
	struct block *calls[];	/* blocks whose call pushes a return address, in order */
};

/* Make the superblock that begins with @start in @memory, and remember it in start->user. */
struct superblock *superblock_make(struct block_arena *memory, struct block_cache *cache, struct block *start);

/* Returns the block that follows @b without a packet; NULL: @b ends with a branch that needs one, or no code follows. */
struct block *superblock_step(struct block_cache *cache, struct block *b);

#endif
