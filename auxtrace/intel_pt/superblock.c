/*
 * Builds superblocks: joins basic blocks over direct jumps and calls, up to a branch whose outcome is in the Intel PT trace.
 * walk.c then handles many instructions in one step.
 */
#include "auxtrace/intel_pt/superblock.h"

#include <string.h>

#include "core/arch.h"

struct block *superblock_step(struct block_cache *cache, struct block *b)
{
	switch (b->kind) {
	case INSN_OTHER:
		return b->err ? NULL : block_next(cache, b, false);
	case INSN_PTWRITE: case INSN_MOV_CR3:
		return block_next(cache, b, false);
	case INSN_JUMP: case INSN_CALL:
		return block_next(cache, b, true);
	default:
		return NULL;
	}
}

static enum superblock_end end_of(const struct block *b)
{
	switch (b->kind) {
	case INSN_COND: return SB_COND;
	case INSN_RET: return SB_RET;
	case INSN_JUMP_INDIRECT: case INSN_CALL_INDIRECT: return SB_INDIRECT;
	case INSN_FAR_CALL: case INSN_FAR_RET: case INSN_FAR_JUMP: return SB_FAR;
	case INSN_OTHER: return b->err ? SB_BROKEN : SB_MORE;
	default: return SB_MORE;
	}
}

static bool is_among(struct block *const *blocks, unsigned nr, const struct block *b)
{
	for (unsigned i = 0; i < nr; i++)
		if (blocks[i] == b)
			return true;
	return false;
}

struct superblock *superblock_make(struct block_arena *memory, struct block_cache *cache, struct block *start)
{
	struct superblock sb = { .start = start }, *out;
	struct block *blocks[SB_MAX_BLOCKS], *calls[SB_MAX_BLOCKS], *b, *next = start;
	unsigned nr_calls = 0, nr = 0;

	do {
		b = blocks[nr++] = next;
		sb.nr_insn += b->nr_insn;
		/* A call of the next instruction only gets the address of code. Return compression does not count it. */
		if (b->kind == INSN_CALL && b->target != b->next_ip)
			calls[nr_calls++] = b;
		next = superblock_step(cache, b);
	} while (next && nr < SB_MAX_BLOCKS && !is_among(blocks, nr, next));
	sb.last = b;
	sb.end = end_of(b);
	sb.nr_calls = nr_calls;
	sb.nr_blocks = nr;
	out = block_arena_alloc(memory, sizeof(sb) + nr_calls * sizeof(struct block *));
	*out = sb;
	memcpy(out->calls, calls, nr_calls * sizeof(struct block *));
	start->user = out;
	return out;
}
