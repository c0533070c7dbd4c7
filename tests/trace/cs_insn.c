/*
 * Decode a CoreSight trace and print what it says, to be compared with what was executed:
 *
 *	cs_insn [-d | -b | -g | -c PERIOD] [-p SIZE] TRACE
 *
 * prints the address of every instruction; -d the packets, -b the branches, -g the gaps, -c for each source how
 * many instructions, the sum of the cycle counts, the last timestamp and the sum of the addresses of every
 * PERIODth instruction. -p cuts the trace into pieces first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/packet_text.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "tests/trace/cs_input.h"

struct run {
	struct cs_input in;
	struct buf out;
	const struct cs_stream *stream;
	uint64_t period, sum, gaps;
	size_t piece;		/* bytes; 0: the whole at once */
	bool show_gaps;
};

static void flush(struct run *r)
{
	if (write_all(1, r->out.data, r->out.len))
		exit(3);
	r->out.len = 0;
}

static void on_block(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct run *r = ctx;
	uint64_t ip = b->ip;

	(void)at;
	for (unsigned i = 0; i < nr; i++) {
		buf_hex(&r->out, ip, 0);
		buf_putc(&r->out, '\n');
		ip += b->sizes[i];
	}
	if (r->out.len > 1 << 20)
		flush(r);
}

static void on_branch(void *ctx, struct cs_point *at, uint64_t from, uint64_t to, unsigned kind, bool taken, int number)
{
	struct run *r = ctx;

	(void)at;
	buf_printf(&r->out, "%llx %llx %u%s %d\n", (unsigned long long)from, (unsigned long long)to, kind,
		   taken ? "" : " not", number);
	if (r->out.len > 1 << 20)
		flush(r);
}

static void on_passed(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct run *r = ctx;

	r->sum += block_insn_ip(b, nr);
	at->stop += r->period;
}

static void on_gap(void *ctx, struct cs_point *at, enum cs_gap why)
{
	struct run *r = ctx;

	r->gaps++;
	if (r->show_gaps)
		printf("%llu: %llx %s\n", (unsigned long long)cs_stream_offset(r->stream, at->offset),
		       (unsigned long long)at->ip, cs_gap_text(why));
}

static void on_start(void *ctx, struct cs_point *at)
{
	struct run *r = ctx;

	if (r->show_gaps)
		printf("%llu: start\n", (unsigned long long)cs_stream_offset(r->stream, at->offset));
}

static void decode(struct run *r, struct cs_flow *f, const struct cs_config *c)
{
	struct cs_pieces pieces = { 0 };

	if (!r->piece) {
		cs_flow_run(f, r->stream, 0, r->stream->len);
		return;
	}
	cs_stream_pieces(&pieces, r->stream, c, r->piece);
	vec_for(p, &pieces.list)
		cs_flow_run(f, r->stream, p->from, p->to);
	vec_free(&pieces.list);
}

static void one_stream(struct run *r, const struct cs_sink *sink, const struct cs_config *c)
{
	struct block_cache *cache;
	struct cs_flow *f;

	cache = block_cache_new(&arch_arm64, cs_input_code, &r->in);
	f = cs_flow_new(c, cache, sink, r);
	if (r->period)
		cs_flow_point(f)->stop = r->period;
	decode(r, f, c);
	if (r->period)
		printf("%llu %llu %llu %016llx\n", (unsigned long long)cs_flow_point(f)->insns,
		       (unsigned long long)cs_flow_point(f)->cycles, (unsigned long long)cs_flow_point(f)->time,
		       (unsigned long long)r->sum);
	cs_flow_free(f);
	block_cache_free(cache);
}

static void dump_streams(struct run *r, const struct cs_streams *s)
{
	cs_streams_text(&r->out, s, r->in.sources.v, r->in.sources.nr, NULL, NULL);
}

static void one_buffer(struct run *r, const struct cs_sink *sink, const struct cs_buffer *b, bool dump)
{
	struct cs_streams s = { 0 };

	if (b->raw && r->in.sources.nr)
		cs_streams_raw(&s, r->in.sources.v[0].id, b->data, b->size, b->offset);
	else
		cs_streams_unpack(&s, b->data, b->size, b->offset);
	vec_for(c, &r->in.sources) {
		r->stream = cs_streams_find(&s, c->id);
		if (r->stream && !dump)
			one_stream(r, sink, c);
	}
	if (dump)
		dump_streams(r, &s);
	cs_streams_release(&s);
}

int main(int argc, char **argv)
{
	struct cs_sink sink = { .block = on_block, .gap = on_gap, .start = on_start };
	struct run r = { 0 };
	bool dump = false;
	int o;

	while ((o = getopt(argc, argv, "dbgc:p:")) > 0) {
		if (o == 'p') {
			r.piece = strtoul(optarg, NULL, 0);
			continue;
		}
		sink.block = NULL;
		if (o == 'd')
			dump = true;
		else if (o == 'b')
			sink.branch = on_branch;
		else if (o == 'g')
			r.show_gaps = true;
		else if (o == 'c')
			r.period = strtoull(optarg, NULL, 0), sink.passed = on_passed;
		else
			return 2;
	}
	if (argc - optind != 1 || cs_input_open(&r.in, argv[optind])) {
		cs_input_release(&r.in);
		return 2;
	}
	vec_for(b, &r.in.buffers)
		one_buffer(&r, &sink, b, dump);
	flush(&r);
	buf_release(&r.out);
	cs_input_release(&r.in);
	if (r.gaps && !r.show_gaps)
		fprintf(stderr, "%llu gaps\n", (unsigned long long)r.gaps);
	return 0;
}
