/*
 * Fuzz target: bytes to the packet reader, the dump and the flow. The first byte chooses options; the code is the
 * input itself, repeated, so that packets and code change together. Samples taken at once and afterwards are the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/pebs.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/perfdata/event_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
	uint64_t calls;
	uint64_t samples;	/* a hash of them */
	struct pebs_record pebs;
};

static const uint8_t start[] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 0x99, 1, 0x7d, 0, 0x10, 0, 0, 0, 0, 2, 0x23,
};

/* 64 KiB of code at 0, and nothing elsewhere. */
static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	struct input *in = ctx;
	uint8_t *out = buf;

	(void)space;
	for (size_t i = 0; i < n; i++, ip++) {
		if (ip >= 0x10000 || !in->size)
			return i;
		out[i] = in->data[ip % in->size];
	}
	return n;
}

static void on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct input *in = ctx;

	if (from >= to || to > b->nr_insn || s->space > 1)
		abort();
	in->calls++;
}

static void on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct input *in = ctx;

	(void)s, (void)b;
	in->calls++;
}

static void on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct input *in = ctx;

	if (nr >= b->nr_insn)
		abort();
	in->calls++;
	in->samples = (in->samples ^ s->insns ^ s->tsc << 20 ^ block_insn_ip(b, nr) << 40 ^ s->space) * 0x100000001b3ull;
}

/* The contents of PEBS records are as hostile. */
static void on_event(void *ctx, const struct pt_state *s, const struct pt_event *e)
{
	static const struct event ev = { .layout = { .type = UINT64_MAX, .regs_intr = UINT64_MAX } };
	struct pebs_words words;
	struct sample sample = {0};
	struct input *in = ctx;

	(void)s;
	if (e->packet.type != PT_BBP && e->packet.type != PT_BIP && e->packet.type != PT_BEP)
		return;
	pebs_on_packet(&in->pebs, &e->packet);
	pebs_fill(&sample, &ev, &in->pebs, &words);
	if (sample.branch_nr > PEBS_MAX_BRANCHES || sample.branches.nr != 3 * sample.branch_nr || sample.intr_regs.nr > 64)
		abort();
	for (uint64_t i = 0; i < sample.branches.nr; i++)
		in->calls += words_at(&sample.branches, i) & 1;
	for (uint64_t i = 0; i < sample.intr_regs.nr; i++)
		in->calls += words_at(&sample.intr_regs, i) & 1;
}

static void on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct input *in = ctx;

	(void)s;
	in->calls += strlen(pt_gap_text(g->reason));
}

static uint32_t space_of(void *ctx, const struct pt_state *s)
{
	(void)ctx;
	return s->cr3 != 0;
}

/* @later: take samples at the end. Returns false where that cannot be. */
static bool follow(struct input *in, const uint8_t *trace, size_t size, unsigned options, bool later)
{
	struct pt_sink sink = { .gap = on_gap, .sample = on_sample, .space = space_of };
	struct pt_flow_config config = {
		.sink = &sink, .ctx = in, .period = 1 + (options >> 4), .errata = options, .no_branches = (options & 0x30) == 0x30,
		.time = { .tsc_ctc_num = 168, .tsc_ctc_den = 2, .mtc_shift = 3, .max_nonturbo_ratio = 20 },
	};
	struct pt_flow *f;
	size_t cut = pt_find_psb(trace, size, size / 2);
	bool taken = true;

	if (options & 8 && !later) {
		sink.block = on_block;
		sink.branch = on_branch;
		sink.event = on_event;
	}
	config.cache = block_cache_new(&arch_x86_64, read_code, in);
	f = pt_flow_new(&config);
	if (later)
		pt_flow_sample_later(f);
	pt_flow_decode(f, trace, size, 0, cut, 0);
	pt_flow_decode(f, trace, size, cut, size, 0);
	if (later)
		taken = pt_flow_sample_now(f, config.period);
	pt_flow_free(f);
	block_cache_free(config.cache);
	return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .data = data, .size = size }, again = in;
	struct buf text = { 0 };
	uint8_t *trace;

	if (size < 2 || size > 4096)
		return 0;
	trace = malloc(sizeof(start) + size);
	if (!trace)
		abort();
	memcpy(trace, start, sizeof(start));
	memcpy(trace + sizeof(start), data + 1, size - 1);
	pt_dump(&text, trace, sizeof(start) + size - 1, 0, SIZE_MAX);
	follow(&in, trace, sizeof(start) + size - 1, data[0], false);
	if (!(data[0] & 8) && follow(&again, trace, sizeof(start) + size - 1, data[0], true) &&
	    (in.samples != again.samples || in.calls != again.calls))
		abort();
	buf_release(&text);
	free(trace);
	return 0;
}
