/*
 * Joining blocks to runs.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/run.h"

#include <string.h>

#include "auxtrace/block.h"
#include "core/arch.h"

#define CHUNK (64u << 10)

static void *pool_take(struct run_pool *pool, size_t size)
{
	size = round_up(size, 8);
	if (!pool->chunks.nr || pool->used + size > CHUNK) {
		vec_push(&pool->chunks, xmalloc(CHUNK));
		pool->used = 0;
	}
	pool->used += size;
	return pool->chunks.v[pool->chunks.nr - 1] + pool->used - size;
}

void run_pool_release(struct run_pool *pool)
{
	vec_for(chunk, &pool->chunks)
		free(*chunk);
	vec_free(&pool->chunks);
	pool->used = 0;
}

struct block *run_step(struct block_cache *cache, struct block *b)
{
	switch (b->kind) {
	case INSN_OTHER:
		return b->err ? NULL : block_next(cache, b, false);
	case INSN_PTWRITE:
		return block_next(cache, b, false);
	case INSN_JUMP: case INSN_CALL:
		return block_next(cache, b, true);
	default:
		return NULL;
	}
}

static enum run_end end_of(const struct block *b)
{
	switch (b->kind) {
	case INSN_COND: return RUN_COND;
	case INSN_RET: return RUN_RET;
	case INSN_JUMP_INDIRECT: case INSN_CALL_INDIRECT: return RUN_INDIRECT;
	case INSN_FAR_CALL: case INSN_FAR_RET: case INSN_FAR_JUMP: return RUN_FAR;
	case INSN_OTHER: return b->err ? RUN_BROKEN : RUN_MORE;
	default: return RUN_MORE;
	}
}

static bool is_among(struct block *const *blocks, unsigned nr, const struct block *b)
{
	for (unsigned i = 0; i < nr; i++)
		if (blocks[i] == b)
			return true;
	return false;
}

struct run *run_make(struct run_pool *pool, struct block_cache *cache, struct block *start)
{
	struct run run = { .start = start }, *out;
	struct block *blocks[RUN_MAX_BLOCKS], *calls[RUN_MAX_BLOCKS], *b, *next = start;
	unsigned nr_calls = 0, nr = 0;

	do {
		b = blocks[nr++] = next;
		run.nr_insn += b->nr_insn;
		/* A call of the next instruction only reads the address: hardware does not push it. */
		if (b->kind == INSN_CALL && b->target != b->next_ip)
			calls[nr_calls++] = b;
		next = run_step(cache, b);
	} while (next && nr < RUN_MAX_BLOCKS && !is_among(blocks, nr, next));
	run.last = b;
	run.end = end_of(b);
	run.nr_calls = nr_calls;
	run.nr_blocks = nr;
	out = pool_take(pool, sizeof(run) + nr_calls * sizeof(struct block *));
	*out = run;
	memcpy(out->calls, calls, nr_calls * sizeof(struct block *));
	start->user = out;
	return out;
}
