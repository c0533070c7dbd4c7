/*
 * Caches basic blocks, each the code from an address to the first instruction that may change the flow of control. Trace decoders
 * follow a program from block to block, so each instruction is decoded only once.
 */
#ifndef AUXTRACE_BLOCK_H
#define AUXTRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct arch;
struct block_cache;

#define BLOCK_MAX_INSN	128	/* longer blocks are split: .kind is INSN_OTHER, .err 0 */

/* Memory for many small objects that are freed together. */
struct block_arena {		/* = {0}; block_arena_release() */
	VEC(char *) chunks;
	size_t used;		/* bytes of the last chunk that are in use */
};
/* @size is below 64 KiB. The memory is aligned to 8 bytes. */
void *block_arena_alloc(struct block_arena *a, size_t size);
void block_arena_release(struct block_arena *a);

/* Copies up to @n bytes of the code at @ip in @space to @buf. Returns their number; 0: no code can be read. */
typedef size_t (*read_code_fn)(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n);

/*
 * The key of a block is (space, mode, ip): number of the address space, instruction set and address. Only the caller's read_code()
 * interprets the number. A cached block is never decoded again, so the caller uses a new number if code may have changed. A pointer
 * to a block stays valid until block_cache_clear() or block_cache_free().
 */
struct block {
	uint64_t ip;		/* address of the first instruction */
	uint64_t end_ip;	/* address of the last instruction; the block's own ip if nr_insn is 0 */
	uint64_t next_ip;	/* after the last instruction: where a branch that is not taken goes */
	uint64_t target;	/* target of a direct branch, call or jump at the end; else 0 */
	struct block *next[2];	/* the blocks [0] at next_ip, [1] at target; NULL: ask block_next() */
	void *user;		/* the decoder's own data, NULL at first; not freed by the cache */
	const uint8_t *sizes;	/* bytes of each of the nr_insn instructions */
	uint32_t space;
	uint16_t nr_insn;	/* 0: not even the first could be decoded, see err */
	uint8_t mode;		/* instruction set, as arch->insn() takes it */
	uint8_t kind;		/* enum insn_kind of the last instruction; INSN_OTHER: split, or err is set */
	uint8_t detail;		/* struct insn.detail of the last instruction */
	uint8_t err;		/* why no instruction at next_ip could be added: 0, ENOENT (no code), EINVAL (no insn) */
};

/* Makes a cache for one thread. @read_code is called with @ctx; these and @arch are borrowed. Free it with block_cache_free(). */
struct block_cache *block_cache_new(const struct arch *arch, read_code_fn read_code, void *ctx);
void block_cache_free(struct block_cache *c);

/* Forgets all blocks. Pointers to them become invalid. */
void block_cache_clear(struct block_cache *c);

/* Returns the number of blocks. A decoder clears the cache if there are too many, because traces are untrusted. */
size_t block_cache_nr(const struct block_cache *c);

/* The block that starts at @ip; never NULL (nr_insn is 0 and err says why if there is no code). */
struct block *block_at(struct block_cache *c, uint32_t space, uint64_t ip, unsigned mode);

/* The slow path of block_next(); do not call it directly. */
struct block *block_link(struct block_cache *c, struct block *b, bool taken);

/* The block at b->target (@taken) or at b->next_ip; looked up once, remembered in @b. */
static inline struct block *block_next(struct block_cache *c, struct block *b, bool taken)
{
	return b->next[taken] ? b->next[taken] : block_link(c, b, taken);
}

/* Returns the index of the instruction of @b that starts at @ip; -1: no instruction starts there. */
int block_find_insn(const struct block *b, uint64_t ip);

/* The address of the instruction with index @nr; next_ip for nr_insn, the largest @nr. */
uint64_t block_insn_ip(const struct block *b, unsigned nr);

#endif
