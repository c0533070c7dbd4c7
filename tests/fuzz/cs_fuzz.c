/*
 * Any bytes as CoreSight trace of any configuration over code that branches wildly: frames, packets, dump and
 * flow must end and stay within bounds, and a flow that is watched goes the same way as one that is not.
 * Layer: test
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/packet_text.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen { uint64_t insns, hash, stops; };

/* Four pages of words, most of them branches; everything else is not there. */
static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	uint8_t *to = buf;

	(void)ctx;
	if (ip >> 16 != 0x40)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t word = hash_u64((ip + i) / 4 * 4 + space);
		static const uint32_t often[] = { 0x14000004, 0x54000061, 0x94000010, 0xd65f03c0, 0xd61f0200, 0xd503201f,
			0x17fffff0, 0xd5033fdf };
		uint32_t v = word % 3 ? often[word / 3 % 8] : (uint32_t)word;

		to[i] = (uint8_t)(v >> (ip + i) % 4 * 8);
	}
	return n;
}

static void on_block(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct seen *s = ctx;

	(void)at;
	if (nr > b->nr_insn)
		abort();
	s->hash = hash_pair(s->hash, b->ip ^ nr);
}

static void on_passed(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct seen *s = ctx;

	if (nr >= b->nr_insn || at->stop != at->insns + nr + 1)
		abort();
	s->stops++;
	at->stop += 7;
}

static void decode(struct seen *seen, const struct cs_stream *s, const struct cs_config *c, size_t piece, bool watch)
{
	struct cs_taker taker = { .block = watch ? on_block : NULL, .passed = on_passed };
	struct block_cache *cache = block_cache_new(&arch_arm64, read_code, NULL);
	struct cs_flow *f = cs_flow_new(c, cache, &taker, seen);
	struct cs_pieces pieces = { 0 };

	*seen = (struct seen){ 0 };
	cs_flow_point(f)->stop = 7;
	cs_stream_pieces(&pieces, s, c, piece);
	vec_for(p, &pieces.list)
		cs_flow_run(f, s, p->from, p->to);
	seen->insns = cs_flow_point(f)->insns;
	vec_free(&pieces.list);
	cs_flow_free(f);
	block_cache_free(cache);
}

static void one_stream(const struct cs_stream *s, const struct cs_config *c)
{
	struct seen whole, again;

	decode(&whole, s, c, SIZE_MAX, true);
	decode(&again, s, c, SIZE_MAX, false);
	/* Each seventh instruction, counted in the fast loop and in the slow one. */
	if (whole.insns != again.insns || whole.stops != again.stops || whole.stops != whole.insns / 7)
		abort();
	decode(&again, s, c, 1, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cs_registers r = { .traceidr = 0x10, .idr1 = 0x4100f450, .idr2 = 0x1088 };
	struct cs_streams streams = { 0 };
	struct buf text = { 0 };
	struct cs_config c;

	if (n < 12)
		return 0;
	memcpy(&r.configr, data, 4);
	memcpy(&r.idr0, data + 4, 4);
	r.idr8 = data[8] & 1 ? data[9] : 0;
	r.devarch = data[8] & 2 ? 0x47735a13 : 0;
	cs_config_init(&c, &r);
	if (data[8] & 4)
		cs_streams_unpack(&streams, data + 12, n - 12, data[10]);
	else
		cs_streams_raw(&streams, 0x10, data + 12, n - 12, data[10]);
	vec_for(s, &streams.list)
		one_stream(s, &c);
	cs_streams_text(&text, &streams, &c, 1);
	buf_release(&text);
	cs_streams_release(&streams);
	return 0;
}
