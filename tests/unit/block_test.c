/* The block cache: where blocks end, what they link to, what is missing. */
#include "auxtrace/block.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/util.h"

static unsigned failures;

#define check(ok) do { if (!(ok)) { failures++; printf("line %d: %s\n", __LINE__, #ok); } } while (0)

struct memory {
	const uint8_t *bytes;
	size_t nr;
	uint64_t at;
	size_t most;		/* bytes given at a time */
	unsigned nr_reads;
};

static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	struct memory *m = ctx;

	m->nr_reads++;
	if (space == 9 || ip < m->at || ip - m->at >= m->nr)
		return 0;
	n = MIN(MIN(n, m->most), m->nr - (ip - m->at));
	memcpy(buf, m->bytes + (ip - m->at), n);
	return n;
}

/* push; mov; jne +2; call +0; nop; ret; then a cut instruction. */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x75, 0x02, 0xe8, 0, 0, 0, 0, 0x90, 0xc3, 0x48 };

static void check_blocks(size_t most)
{
	struct memory m = { code, sizeof(code), 0x1000, most, 0 };
	struct block_cache *c = block_cache_new(&arch_x86_64, read_code, &m);
	struct block *b = block_at(c, 1, 0x1000, 64), *next;
	unsigned reads;

	check(b->nr_insn == 3 && b->kind == INSN_COND && b->end_ip == 0x1004 && b->next_ip == 0x1006 && !b->err);
	check(b->target == 0x1008 && b->sizes[1] == 3);
	check(block_find_insn(b, 0x1001) == 1 && block_find_insn(b, 0x1002) == -1 && block_find_insn(b, 0x1006) == -1);
	check(block_insn_ip(b, 2) == 0x1004 && block_insn_ip(b, 3) == 0x1006);
	next = block_next(c, b, false);
	check(next->ip == 0x1006 && next->kind == INSN_CALL && next->target == 0x100b);
	check(block_next(c, next, true)->kind == INSN_RET && block_next(c, next, true)->nr_insn == 2);
	check(block_next(c, next, true) == block_next(c, next, false));
	reads = m.nr_reads;
	check(block_at(c, 1, 0x1000, 64) == b && block_next(c, b, false) == next && m.nr_reads == reads);
	check(block_at(c, 2, 0x1000, 64) != b && block_at(c, 1, 0x1000, 32) != b);
	check(block_cache_nr(c) == 5);

	b = block_at(c, 1, 0x100d, 64);
	check(!b->nr_insn && b->err == ENOENT && b->next_ip == 0x100d);
	b = block_at(c, 9, 0x1000, 64);
	check(!b->nr_insn && b->err == ENOENT);
	block_cache_clear(c);
	check(!block_cache_nr(c) && block_at(c, 1, 0x1000, 64)->nr_insn == 3);
	block_cache_free(c);
}

static void check_long(void)
{
	static uint8_t nops[1000];
	struct memory m = { nops, sizeof(nops), 0xfffffffffffffc18, 64, 0 };	/* up to the very end */
	struct block_cache *c;
	struct block *b;
	size_t nr = 0;

	memset(nops, 0x90, sizeof(nops));
	c = block_cache_new(&arch_x86_64, read_code, &m);
	b = block_at(c, 0, m.at, 64);
	while (!b->err) {
		check(b->nr_insn == BLOCK_MAX_INSN && b->kind == INSN_OTHER);
		nr += b->nr_insn;
		b = block_next(c, b, false);
	}
	check(nr + b->nr_insn == sizeof(nops) && b->err == ENOENT && b->next_ip == 0);
	block_cache_free(c);
}

static void check_bad(void)
{
	static const uint8_t bad[] = { 0x90, 0x06, 0x90 };	/* 06 is no instruction in 64 bit mode */
	struct memory m = { bad, sizeof(bad), 0x1000, 64, 0 };
	struct block_cache *c = block_cache_new(&arch_x86_64, read_code, &m);
	struct block *b = block_at(c, 0, 0x1000, 64);

	check(b->nr_insn == 1 && b->err == EINVAL && b->next_ip == 0x1001);
	block_cache_free(c);
}

int main(void)
{
	check_blocks(64);
	check_blocks(3);
	check_blocks(1);
	check_long();
	check_bad();
	return failures ? 1 : 0;
}
