/*
 * Any bytes as CoreSight trace of any configuration over code that branches wildly: frames, packets, dump and
 * flow must end and stay within bounds, and a flow that is watched goes the same way as one that is not. Or any
 * words as a description of the trace units.
 *
 * The first bytes are the configuration: TRCCONFIGR, TRCIDR0, enum what, TRCIDR8, the offset in the trace, enum unit.
 */
#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/info.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/packet_text.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/util.h"
#include "core/base/wire.h"

#define HEADER	12
#define ID	0x10	/* of the first source; the second has the next even one */

enum what { SPECULATES = 1, ETE = 2, FRAMES = 4, DESCRIPTION = 8 };
enum unit { WAIT_BRANCH = 1, SHORT_ADDRESSES = 2, SHORT_VMID = 4, NO_CID = 8, FIRST_VERSION = 16, ETMV3 = 32, PTM = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen { uint64_t insns, hash, stops, told; };

/* The code at a multiple of four. */
static uint32_t word_at(uint32_t space, uint64_t ip)
{
	static const uint32_t often[] = { 0x14000004, 0x54000061, 0x94000010, 0xd65f03c0, 0xd61f0200, 0xd503201f, 0x17fffff0,
		0xd5033fdf };
	uint64_t word = hash_u64(ip + space);

	return word % 3 ? often[word / 3 % 8] : (uint32_t)word;
}

/* Sixteen pages of words, most of them branches; everything else is not there. */
static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	uint8_t *to = buf;

	(void)ctx;
	if (ip >> 16 != 0x40)
		return 0;
	for (size_t i = 0; i < n;) {
		uint32_t word = htole32(word_at(space, (ip + i) & ~3ull));
		size_t skip = (ip + i) & 3, some = MIN(4 - skip, n - i);

		memcpy(to + i, (const uint8_t *)&word + skip, some);
		i += some;
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
	s->hash = hash_pair(s->hash, block_insn_ip(b, nr));
	at->stop += 7;
}

static void on_branch(void *ctx, struct cs_point *at, uint64_t from, uint64_t to, unsigned kind, bool taken, int number)
{
	struct seen *s = ctx;

	(void)at;
	(void)taken;
	(void)number;
	s->hash = hash_pair(s->hash, from ^ to ^ kind);
}

/* The callbacks of both ways, in the same order. */
static void on_start(void *ctx, struct cs_point *at)
{
	struct seen *s = ctx;

	s->told = hash_pair(s->told, at->insns);
}

static void on_gap(void *ctx, struct cs_point *at, enum cs_gap why)
{
	struct seen *s = ctx;

	s->told = hash_pair(s->told, at->insns ^ (uint64_t)*cs_gap_text(why) << 32);
}

static uint32_t on_space(void *ctx, const struct cs_point *at)
{
	(void)ctx;
	return at->el ? 8 : (at->cid ^ at->vmid) & 3;
}

static void decode(struct seen *seen, const struct cs_stream *s, const struct cs_config *c, size_t piece, bool watch)
{
	struct cs_sink sink = { .block = watch ? on_block : NULL, .branch = watch ? on_branch : NULL, .passed = on_passed,
		.start = on_start, .gap = on_gap, .space = on_space };
	struct block_cache *cache = block_cache_new(&arch_arm64, read_code, NULL);
	struct cs_flow *f = cs_flow_new(c, cache, &sink, seen);
	struct cs_pieces pieces = { 0 };
	size_t to = 0;

	*seen = (struct seen){ 0 };
	cs_flow_point(f)->stop = 7;
	cs_stream_pieces(&pieces, s, c, piece);
	vec_for(p, &pieces.list) {
		if (p->from != to || p->to <= to)
			abort();
		to = p->to;
		cs_flow_run(f, s, p->from, p->to);
	}
	if (to != s->len)
		abort();
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
	if (whole.insns != again.insns || whole.stops != again.stops || whole.stops != whole.insns / 7 || whole.told != again.told)
		abort();
	decode(&again, s, c, 1, true);
}

/* Each byte of a stream is from somewhere in the trace, and none from before the one before it. */
static void places(const struct cs_stream *s, uint64_t from, uint64_t to)
{
	uint64_t last = from;

	for (size_t at = 0; at < s->len; at++) {
		uint64_t offset = cs_stream_offset(s, at);

		if (offset < last || offset >= to)
			abort();
		last = offset;
	}
}

/* Possible contents of AUXTRACE_INFO. */
static void description(const uint8_t *data, size_t n)
{
	const struct words words = { .nr = n / 8, .data = data };
	struct buf text = { 0 };
	struct cs_info info;

	cs_info_print(&text, &words);
	if (!cs_info_read(&info, &words)) {
		if (words.nr)
			cs_info_set_id(&info, (uint32_t)words_at(&words, 0), words_at(&words, words.nr - 1));
		for (unsigned id = 0; id < CS_IDS; id++) {
			const struct cs_cpu *cpu = cs_info_find(&info, (uint8_t)id, id & 3);

			if (cpu && (cpu->config.id != id || !cs_info_cpu(&info, cpu->cpu)))
				abort();
		}
	}
	cs_info_release(&info);
	buf_release(&text);
}

static void registers(struct cs_registers *out, const uint8_t *header)
{
	uint8_t what = header[8], unit = header[11];

	*out = (struct cs_registers){
		.traceidr = ID, .idr1 = unit & FIRST_VERSION ? 0x4100f400 : 0x4100f460, .idr8 = what & SPECULATES ? header[9] : 0,
		.idr2 = (unit & WAIT_BRANCH ? 1u << 31 : 0) | (unit & SHORT_ADDRESSES ? 4 : 8) |
			(unit & SHORT_VMID ? 1 << 10 : 4 << 10) | (unit & NO_CID ? 0 : 4 << 5) | (header[10] & 15u) << 25,
		.devarch = what & ETE ? 0x47735a13 : 0,
	};
	memcpy(&out->configr, header, 4);
	memcpy(&out->idr0, header + 4, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cs_streams streams = { 0 };
	struct cs_registers r;
	struct buf text = { 0 };
	struct cs_config c[2];

	if (n < HEADER)
		return 0;
	if (data[8] & DESCRIPTION) {
		description(data + HEADER, n - HEADER);
		return 0;
	}
	registers(&r, data);
	if (data[11] & (ETMV3 | PTM))
		cs_config_init_v7(&c[0], &(struct cs_v7_registers){ r.configr, ID, r.idr0, data[11] & PTM ? 0x411cf312 :
								    0x4100f250 | (data[8] & ETE ? 1u << 20 : 0) });
	else
		cs_config_init(&c[0], &r);
	c[1] = c[0];
	c[1].id = ID + 2;
	cs_config_unsupported(&c[0]);
	if (data[8] & FRAMES)
		cs_streams_unpack(&streams, data + HEADER, n - HEADER, data[10]);
	else
		cs_streams_raw(&streams, ID, data + HEADER, n - HEADER, data[10]);
	vec_for(s, &streams.list) {
		if (cs_streams_find(&streams, s->id) != s)
			abort();
		places(s, data[10], data[10] + n - HEADER);
		one_stream(s, &c[0]);
	}
	cs_streams_text(&text, &streams, c, 2, NULL, NULL);
	buf_release(&text);
	cs_streams_release(&streams);
	return 0;
}
