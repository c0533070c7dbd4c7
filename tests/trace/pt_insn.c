/*
 * pt_insn [OPTION...] NAME.pt NAME.maps: decode a raw Intel PT trace.
 * Without options: the address of each instruction, one a line, and what went wrong on stderr.
 *   --sum        count and FNV-1a 64 of the addresses instead
 *   --branches   branches and events too
 *   --times      the time of each instruction too, in TSC ticks
 *   --every N    only the address of each Nth instruction (nothing is done for those between)
 *   --count      only the count, the fast way
 *   --later      with --every: samples are taken when a piece was decoded
 *   --pieces     each piece between PSBs by itself
 *   --no-ret-comp  return compression was off
 *   --errata N   see enum pt_errata
 *   --cpuid CPU  those of a processor, as "GenuineIntel,6,61,4"
 *   --filter A-B tracing was on in this range only
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "auxtrace/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "tests/trace/image.h"

struct output {
	struct buf text;
	bool sum, times;
	uint64_t nr, hash;
	unsigned gaps;
};

static void put_ip(struct output *o, const struct pt_state *s, uint64_t ip)
{
	if (o->sum) {
		for (int k = 0; k < 64; k += 8)
			o->hash = (o->hash ^ (ip >> k & 0xff)) * 0x100000001b3ull;
		o->nr++;
		return;
	}
	buf_hex(&o->text, ip, 0);
	if (o->times)
		buf_printf(&o->text, " %lu", (long)s->tsc);
	buf_putc(&o->text, '\n');
	if (o->text.len > 1 << 20)
		write_buf(STDOUT_FILENO, &o->text);
}

static void on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	uint64_t ip = block_insn_ip(b, from);

	for (; from < to; ip += b->sizes[from++])
		put_ip(ctx, s, ip);
}

static void on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	put_ip(ctx, s, block_insn_ip(b, nr));
}

static void on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct output *o = ctx;

	buf_printf(&o->text, "[%s%s%s%s kind %u: %lx -> %lx tsc %lx]\n", b->begin ? "begin" : b->taken ? "taken" : "not taken",
		   b->end ? " end" : "", b->async ? " async" : "", b->abort ? " abort" : "", b->kind, (long)b->from,
		   (long)b->to, (long)s->tsc);
}

static void on_event(void *ctx, const struct pt_state *s, const struct pt_event *e)
{
	struct output *o = ctx;

	(void)s;
	buf_putc(&o->text, '[');
	pt_packet_print(&o->text, &e->packet);
	buf_printf(&o->text, " at %lx]\n", (long)e->ip);
}

static void on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct output *o = ctx;

	(void)s;
	if (o->gaps++ < 20)
		fprintf(stderr, "gap at %lx, offset 0x%lx: %s\n", (long)g->ip, (long)g->offset, pt_gap_text(g->reason));
}

/* @later: the period of samples that are to be taken at the end; 0: none are. */
static void decode_piece(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t later)
{
	uint64_t before = pt_flow_state(f)->insns;

	pt_flow_reset(f);
	if (later)
		pt_flow_sample_later(f);
	pt_flow_decode(f, data, size, from, to, 0);
	if (later && !pt_flow_sample_now(f, (before / later + 1) * later))
		fprintf(stderr, "the path is too long\n");
}

static void decode(struct pt_flow *f, const uint8_t *data, size_t size, bool pieces, uint64_t later)
{
	size_t from = 0, to;

	for (; from < size; from = to) {
		to = pieces ? pt_find_psb(data, size, from + PT_PSB_SIZE) : size;
		decode_piece(f, data, size, from, to, later);
	}
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec + u.ru_utime.tv_usec / 1e6 + u.ru_stime.tv_sec + u.ru_stime.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "sum", 0, NULL, 's' }, { "branches", 0, NULL, 'b' }, { "every", 1, NULL, 'e' }, { "count", 0, NULL, 'c' },
		{ "pieces", 0, NULL, 'p' }, { "later", 0, NULL, 'l' }, { "times", 0, NULL, 't' },
		{ "no-ret-comp", 0, NULL, 'r' }, { "errata", 1, NULL, 'x' },
		{ "cpuid", 1, NULL, 'm' }, { "filter", 1, NULL, 'f' }, { 0 },
	};
	struct output o = { .hash = 0xcbf29ce484222325ull };
	struct pt_sink sink = { .block = on_block, .gap = on_gap };
	struct pt_flow_config config = {
		.sink = &sink, .ctx = &o,
		.time = { .tsc_ctc_num = 168, .tsc_ctc_den = 2, .mtc_shift = 3, .max_nonturbo_ratio = 20 },
	};
	bool pieces = false, count = false, later = false;
	struct pt_flow *flow;
	struct image *image;
	uint8_t *data;
	double start;
	size_t size;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's': o.sum = true; break;
		case 'b': sink.branch = on_branch; sink.event = on_event; break;
		case 'e': sink.block = NULL; sink.sample = on_sample; config.period = strtoull(optarg, NULL, 0); break;
		case 'c': sink.block = NULL; count = true; break;
		case 'r': config.no_ret_comp = true; break;
		case 't': o.times = true; break;
		case 'p': pieces = true; break;
		case 'l': later = true; break;
		case 'm': config.errata = pt_errata_find(optarg); break;
		case 'x': config.errata = strtoul(optarg, NULL, 0); break;
		case 'f':
			config.nr_filters = sscanf(optarg, "%lx-%lx", &config.filters[0].from, &config.filters[0].to) == 2;
			break;
		default: return 2;
		}
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: pt_insn [OPTION...] FILE.pt FILE.maps\n");
		return 2;
	}
	data = load_file(argv[optind], &size);
	image = image_load(argv[optind + 1]);
	if (!data || !image)
		return 2;
	config.cache = block_cache_new(&arch_x86_64, image_read, image);
	flow = pt_flow_new(&config);
	start = cpu_seconds();
	decode(flow, data, size, pieces, later ? config.period : 0);
	if (count || config.period)
		fprintf(stderr, "%lu instructions in %.3f s of CPU time\n", (long)pt_flow_state(flow)->insns,
			cpu_seconds() - start);
	if (o.sum)
		buf_printf(&o.text, "%lu %016lx\n", (long)o.nr, (long)o.hash);
	write_buf(STDOUT_FILENO, &o.text);
	if (o.gaps)
		fprintf(stderr, "%u gaps\n", o.gaps);
	pt_flow_free(flow);
	block_cache_free(config.cache);
	buf_release(&o.text);
	image_free(image);
	free(data);
	return 0;
}
