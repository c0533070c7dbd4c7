/*
 * Caches decoded basic blocks of the traced program for the trace decoders (block.h), in a hash table by address space,
 * instruction set and address. Decodes the instructions of a new block up to the first one that may branch.
 */
#include "auxtrace/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/base/util.h"

#define CHUNK		(64u << 10)	/* bytes of arena taken at a time */
#define MAX_INSN_BYTES	15		/* bytes of the longest instruction of any arch */
#define WINDOW		64		/* bytes of code read at a time */

struct block_cache {
	const struct arch *arch;
	read_code_fn read_code;
	void *ctx;
	struct index index;		/* (space, mode, ip) -> position in blocks */
	VEC(void *) blocks;		/* struct block, in the arena */
	struct block_arena arena;
};

struct block_cache *block_cache_new(const struct arch *arch, read_code_fn read_code, void *ctx)
{
	struct block_cache *c = xcalloc(1, sizeof(*c));

	c->arch = arch;
	c->read_code = read_code;
	c->ctx = ctx;
	return c;
}

void block_cache_clear(struct block_cache *c)
{
	block_arena_release(&c->arena);
	vec_free(&c->blocks);
	index_release(&c->index);
}

void block_cache_free(struct block_cache *c)
{
	if (!c)
		return;
	block_cache_clear(c);
	free(c);
}

size_t block_cache_nr(const struct block_cache *c)
{
	return c->blocks.nr;
}

void *block_arena_alloc(struct block_arena *a, size_t size)
{
	size = round_up(size, 8);
	if (!a->chunks.nr || a->used + size > CHUNK) {
		vec_push(&a->chunks, xmalloc(CHUNK));
		a->used = 0;
	}
	a->used += size;
	return a->chunks.v[a->chunks.nr - 1] + a->used - size;
}

void block_arena_release(struct block_arena *a)
{
	vec_for(chunk, &a->chunks)
		free(*chunk);
	vec_free(&a->chunks);
	a->used = 0;
}

static uint64_t ip_mask(unsigned mode)
{
	return mode == 64 ? UINT64_MAX : UINT32_MAX;
}

/* The bytes of code around the instruction being measured. */
struct window {
	uint64_t ip;		/* address of bytes[0] */
	size_t nr;
	uint8_t bytes[WINDOW];
};

/* Makes the window start at @ip. If the reader stops at the end of a mapping, it is called again for the bytes that follow. */
static void window_fill(struct block_cache *c, struct window *w, uint32_t space, uint64_t ip)
{
	size_t n = 0, got;

	while (n < WINDOW && (got = c->read_code(c->ctx, space, ip + n, w->bytes + n, WINDOW - n)) > 0)
		n += MIN(got, WINDOW - n);
	w->ip = ip;
	w->nr = n;
}

/* Measure the instruction at @ip. Returns 0, ENOENT or EINVAL, as struct block.err has them. */
static int measure(struct block_cache *c, struct window *w, struct insn *insn, uint32_t space, uint64_t ip, unsigned mode)
{
	size_t at = ip - w->ip;
	int err;

	if (at + MAX_INSN_BYTES > w->nr) {
		window_fill(c, w, space, ip);
		at = 0;
	}
	if (!w->nr)
		return ENOENT;
	err = c->arch->insn(insn, w->bytes + at, w->nr - at, mode);
	return !err ? 0 : err == -ERANGE ? ENOENT : EINVAL;
}

static struct block *block_make(struct block_cache *c, uint32_t space, uint64_t ip, unsigned mode)
{
	struct block b = { .ip = ip, .end_ip = ip, .next_ip = ip, .space = space, .mode = mode };
	struct window w = { .ip = ip };
	uint8_t sizes[BLOCK_MAX_INSN];
	struct insn insn = { .kind = INSN_OTHER };
	struct block *out;

	while (b.nr_insn < BLOCK_MAX_INSN && insn.kind == INSN_OTHER) {
		b.err = measure(c, &w, &insn, space, b.next_ip, mode);
		if (b.err)
			break;
		sizes[b.nr_insn++] = insn.size;
		b.end_ip = b.next_ip;
		b.next_ip = (b.next_ip + insn.size) & ip_mask(mode);
		b.kind = insn.kind;
		b.detail = insn.detail;
	}
	if (b.kind == INSN_JUMP || b.kind == INSN_COND || b.kind == INSN_CALL)
		b.target = (b.end_ip + (uint64_t)insn.disp) & ip_mask(mode);
	b.sizes = memcpy(block_arena_alloc(&c->arena, b.nr_insn), sizes, b.nr_insn);
	out = block_arena_alloc(&c->arena, sizeof(b));
	*out = b;
	return out;
}

struct block *block_at(struct block_cache *c, uint32_t space, uint64_t ip, unsigned mode)
{
	uint64_t h = hash_pair(ip, (uint64_t)space << 8 | mode);
	struct block *b;

	index_for(pos, &c->index, h) {
		b = c->blocks.v[pos];
		if (b->ip == ip && b->space == space && b->mode == mode)
			return b;
	}
	b = block_make(c, space, ip, mode);
	index_add(&c->index, h, c->blocks.nr);
	vec_push(&c->blocks, b);
	return b;
}

struct block *block_link(struct block_cache *c, struct block *b, bool taken)
{
	return b->next[taken] = block_at(c, b->space, taken ? b->target : b->next_ip, b->mode);
}

int block_find_insn(const struct block *b, uint64_t ip)
{
	uint64_t at = b->ip;

	if (ip - at > (uint64_t)BLOCK_MAX_INSN * MAX_INSN_BYTES)
		return -1;
	for (unsigned i = 0; i < b->nr_insn; i++) {
		if (at == ip)
			return i;
		at += b->sizes[i];
	}
	return -1;
}

uint64_t block_insn_ip(const struct block *b, unsigned nr)
{
	uint64_t ip = b->ip;

	for (unsigned i = 0; i < nr; i++)
		ip += b->sizes[i];
	return ip;
}
