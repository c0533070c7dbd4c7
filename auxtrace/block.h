/*
 * Blocks of code, decoded once: from an address to the first instruction that may change the flow of
 * control. A trace decoder follows a program by hopping from block to block; the bytes of an
 * instruction are looked at only the first time.
 *
 * A cache belongs to one thread. Blocks are told apart by (space, mode, ip); what a space number means is
 * for read_code to know: a new number stands for "the code may have changed", there is no other
 * invalidation. Blocks live, at fixed addresses, until block_cache_clear() or block_cache_free().
 * Layer: auxtrace
 */
#ifndef AUXTRACE_BLOCK_H
#define AUXTRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct block_cache;

#define BLOCK_MAX_INSN	128	/* longer runs are split: kind is INSN_OTHER, err 0 */

/* Copy up to @n bytes of the code at @ip in @space to @buf; returns how many, 0: there is none to read. */
typedef size_t (*read_code_fn)(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n);

struct block {
	uint64_t ip;		/* of the first instruction */
	uint64_t end_ip;	/* of the last instruction; the block's own ip where nr_insn is 0 */
	uint64_t next_ip;	/* after the last instruction: where it goes on when not taken */
	uint64_t target;	/* of a direct branch, call or jump at the end; else 0 */
	struct block *next[2];	/* what follows: [0] at next_ip, [1] at target; NULL: ask block_next() */
	void *user;		/* the flow's own, NULL at first; not freed by the cache */
	const uint8_t *sizes;	/* bytes of each of the nr_insn instructions */
	uint32_t space;
	uint16_t nr_insn;	/* 0: not even the first could be decoded, see err */
	uint8_t mode;		/* as struct arch.insn has it */
	uint8_t kind;		/* enum insn_kind of the last instruction; INSN_OTHER: split, or err is set */
	uint8_t detail;		/* struct insn.detail of the last instruction */
	uint8_t err;		/* why no instruction at next_ip could be added: 0, ENOENT (no code), EINVAL (no insn) */
};

/* @read_code is called with @ctx for the bytes; both are borrowed. Owned by the caller: block_cache_free(). */
struct block_cache *block_cache_new(const struct arch *arch, read_code_fn read_code, void *ctx);
void block_cache_free(struct block_cache *c);

/* Forget all blocks; pointers to them become invalid. */
void block_cache_clear(struct block_cache *c);

/* How many blocks there are: who decodes hostile traces clears at a bound of his choice. */
size_t block_cache_nr(const struct block_cache *c);

/* The block that starts at @ip; never NULL (nr_insn is 0 and err says why where there is no code). */
struct block *block_at(struct block_cache *c, uint32_t space, uint64_t ip, unsigned mode);

/* The slow half of block_next(). */
struct block *block_link(struct block_cache *c, struct block *b, bool taken);

/* The block at b->target (@taken) or at b->next_ip; looked up once, remembered in @b. */
static inline struct block *block_next(struct block_cache *c, struct block *b, bool taken)
{
	return b->next[taken] ? b->next[taken] : block_link(c, b, taken);
}

/* The number, from 0, of the instruction at @ip in @b; -1 where none starts there. */
int block_find_insn(const struct block *b, uint64_t ip);

/* The address of instruction @nr (at most nr_insn: then it is next_ip). */
uint64_t block_insn_ip(const struct block *b, unsigned nr);

#endif
