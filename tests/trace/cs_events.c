/*
 * cs_events [-v]: traces of short walks through made-up programs, by trace units of many kinds, with each legal event before
 * each of their instructions, and with each illegal one between any two of their packets. A legal trace decodes to exactly
 * the executed instructions and the packets; an illegal one costs nothing reported before it, and nothing from the next
 * synchronisation on. Decoded whole, in pieces and counted it is the same. Prints how many there were, and all errors.
 *
 * cs_events -r CODE [-e EACH] TRUTH: instead, a recording of each EACHth trace for mkdata on stdout, thread by thread from
 * 1000 on, of the code in files CODE.N, which are written; and "TID IP" of the decoding of each in the file TRUTH. Contexts
 * name the first thread of a process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/packet.h"
#include "core/arch.h"
#include "core/base/log.h"
#include "tests/trace/cs_walk.h"
#include "tests/trace/pt_check.h"

#define LENGTH		60	/* instructions of a walk in which something legal happens */
#define LONG_LENGTH	240
#define SYNC_EACH	25	/* instructions, and then at the next element */
#define OFF_FOR		3	/* elements while nothing is traced */
#define FIRST_TID	1000
#define FIRST_PROCESS	100
#define FIRST_ID	0x10	/* trace ID */

static const char *const sets[] = {
	"", "rs", "cc", "rs cc cid vmid user", "spec", "spec rs cc ccommit", "ete rs", "ete cc texit", "arm", "arm rs spec",
	"high rs cid user", "high spec ete",
};

struct known { size_t at, nr; };	/* the packets before offset @at tell that @nr instructions ran */

struct trace {
	struct cs_walk w;
	VEC(struct known) known;
	VEC(struct known) syncs;	/* where they are, and how many instructions ran before the address after each */
	unsigned off;			/* elements since tracing ended */
};

struct totals {
	struct cs_program program;
	const char *set;
	unsigned nr_set, options;
	struct cs_config config;
	struct buf scratch;
	uint64_t traces, failures;
	bool verbose;
	FILE *truth;			/* a recording is made; else NULL */
	unsigned each;
};

/* Legal events, and the number of gaps that each is. */
static const struct { const char *name; enum cs_happening first, second; unsigned gaps; } legal[] = {
	{ "nothing", HAPPENS_NOTHING, HAPPENS_NOTHING, 0 },
	{ "an exception", HAPPENS_EXCEPTION, HAPPENS_NOTHING, 0 },
	{ "two exceptions", HAPPENS_EXCEPTION, HAPPENS_EXCEPTION, 0 },
	{ "the end of tracing for a while", HAPPENS_TOGGLE, HAPPENS_NOTHING, 0 },
	{ "the end of tracing and its begin", HAPPENS_TOGGLE, HAPPENS_TOGGLE, 0 },
	{ "A-sync, trace info and address", HAPPENS_SYNC, HAPPENS_NOTHING, 0 },
	{ "the same twice", HAPPENS_SYNC, HAPPENS_SYNC, 0 },
	{ "A-sync and trace info", HAPPENS_LATE_SYNC, HAPPENS_NOTHING, 0 },
	{ "A-sync and trace info twice", HAPPENS_LATE_SYNC, HAPPENS_LATE_SYNC, 0 },
	{ "A-sync, trace info and an exception", HAPPENS_LATE_SYNC, HAPPENS_EXCEPTION, 0 },
	{ "an exception, A-sync and trace info", HAPPENS_EXCEPTION, HAPPENS_LATE_SYNC, 0 },
	{ "an address and a context", HAPPENS_ADDRESS, HAPPENS_NOTHING, 0 },
	{ "an overflow", HAPPENS_OVERFLOW, HAPPENS_NOTHING, 1 },
	{ "an overflow, and tracing goes on at once", HAPPENS_OVERFLOW, HAPPENS_TOGGLE, 1 },
	{ "discarded trace", HAPPENS_DISCARD, HAPPENS_NOTHING, 1 },
	{ "an exception and an overflow", HAPPENS_EXCEPTION, HAPPENS_OVERFLOW, 1 },
	{ "A-sync, trace info and an overflow", HAPPENS_LATE_SYNC, HAPPENS_OVERFLOW, 1 },
	{ "packets that change nothing", HAPPENS_NO_CHANGE, HAPPENS_NO_CHANGE, 0 },
	{ "the like, and an exception", HAPPENS_NO_CHANGE, HAPPENS_EXCEPTION, 0 },
};

/* Illegal bytes: packets at wrong places, and bytes that are no packets. */
static const struct { const char *name, *bytes; unsigned nr; } illegal[] = {
	{ "an A-sync", "\0\0\0\0\0\0\0\0\0\0\0\200", 12 },
	{ "trace info", "\1\1\0", 3 },
	{ "trace info with a depth", "\1\5\0\3", 4 },
	{ "an overflow", "\0\5", 2 },
	{ "a discard", "\0\3", 2 },
	{ "trace on", "\4", 1 },
	{ "a taken atom", "\xf7", 1 },
	{ "an atom that is not", "\xf6", 1 },
	{ "some atoms", "\xdc", 1 },
	{ "an exception", "\6\x1d\x95\x10", 4 },
	{ "an exception without an address", "\6\x1d", 2 },
	{ "a return from an exception", "\7", 1 },
	{ "an event", "\x71", 1 },
	{ "a short address", "\x95\x10", 2 },
	{ "an address", "\x9a\x10\x10\x40\0", 5 },
	{ "an address out of the code", "\x9a\x10\x10\x41\x01", 5 },
	{ "a long address", "\x9d\x10\x10\x40\0\0\0\0\0", 9 },
	{ "an address and a context", "\x82\x10\x10\x40\0\x10", 6 },
	{ "an exact match", "\x90", 1 },
	{ "a context", "\x81\x30", 2 },
	{ "a commit", "\x2d\3", 2 },
	{ "a cancel", "\x2e\1", 2 },
	{ "a mispredict", "\x30", 1 },
	{ "a reserved header", "\x08", 1 },
	{ "a reserved extension", "\0\7", 2 },
	{ "a timestamp", "\2\5", 2 },
	{ "a cycle count", "\x0e\5\x71", 3 },
	{ "a Q packet", "\xa5\x10", 2 },
	{ "a source address", "\xb4\x10", 2 },
};

/* ---- traces ---- */

static void trace_release(struct trace *t)
{
	cs_walk_release(&t->w);
	vec_free(&t->known);
	vec_free(&t->syncs);
}

static void happen(struct trace *t, enum cs_happening what)
{
	size_t at = t->w.u.out.len;

	cs_walk_happen(&t->w, what);
	if (what == HAPPENS_SYNC && t->w.tracing) {
		at = cs_packet_sync((const uint8_t *)t->w.u.out.data, at, t->w.u.out.len, &t->w.u.c);
		vec_push(&t->syncs, (struct known){ at, t->w.ips.nr });
	}
	t->off = 0;
}

/* At an element: what began comes to an end. */
static void settle(struct trace *t)
{
	if (!t->w.tracing && ++t->off > OFF_FOR)
		happen(t, HAPPENS_TOGGLE);
	else if (t->w.tracing && t->w.u.synced && ++t->off > OFF_FOR)
		happen(t, HAPPENS_ADDRESS);
}

static bool may_happen(const struct trace *t, unsigned what)
{
	return t->w.at == t->w.block || (legal[what].first == HAPPENS_EXCEPTION && legal[what].second == HAPPENS_NOTHING);
}

static void begin(const struct totals *all, struct trace *t, unsigned walk)
{
	*t = (struct trace){0};
	cs_walk_init(&t->w, &all->program, all->options, FIRST_ID + all->nr_set, (walk + 1) * 0xd6e8feb86659fd93ull,
		     FIRST_PROCESS + all->nr_set);
	t->w.quiet = true;
	t->w.at = cs_unit_random(&t->w.u, all->program.insns.nr);
	cs_walk_begin(&t->w);
}

/* @nr instructions, with legal[what] before that of number @where. Returns false: it may not happen there. */
static bool make(const struct totals *all, struct trace *t, unsigned walk, size_t nr, unsigned what, size_t where)
{
	size_t due = SYNC_EACH;

	begin(all, t, walk);
	for (size_t i = 0; i <= nr; i++) {
		if (i == where && !may_happen(t, what))
			return false;
		if (i == where) {
			happen(t, legal[what].first);
			happen(t, legal[what].second);
		}
		if (i == nr || !cs_walk_step(&t->w))
			continue;
		settle(t);
		if (i >= due && t->w.tracing) {
			happen(t, HAPPENS_SYNC);
			due = i + SYNC_EACH;
		}
		if (!t->w.u.nr_atoms && !t->w.u.unresolved)
			vec_push(&t->known, (struct known){ t->w.u.out.len, t->w.ips.nr });
	}
	cs_unit_flush(&t->w.u);
	return true;
}

/* ---- decoding ---- */

enum way { WHOLE, PIECES, COUNTED, NR_WAYS };

static size_t read_program(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	const struct cs_program *p = ctx;
	uint64_t at = ip - p->insns.v[0].ip;

	(void)space;
	if (at >= p->image.len)
		return 0;
	n = MIN(n, p->image.len - at);
	memcpy(buf, p->image.data + at, n);
	return n;
}

static void on_block(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct pt_decoded *d = ctx;

	(void)at;
	for (unsigned i = 0; i < nr; i++)
		vec_push(&d->ips, block_insn_ip(b, i));
}

static void on_passed(void *ctx, struct cs_point *at, const struct block *b, unsigned nr)
{
	struct pt_decoded *d = ctx;

	vec_push(&d->ips, block_insn_ip(b, nr));
	at->stop++;
}

static void on_gap(void *ctx, struct cs_point *at, enum cs_gap why)
{
	struct pt_decoded *d = ctx;

	(void)why;
	vec_push(&d->cuts, d->ips.nr);
	vec_push(&d->unsure, at->unsure);
}

static void decode(struct pt_decoded *out, struct totals *all, const uint8_t *data, size_t size, enum way way)
{
	static const struct cs_sink insns = { .block = on_block, .gap = on_gap }, counted = { .passed = on_passed, .gap = on_gap };
	struct block_cache *cache = block_cache_new(&arch_arm64, read_program, &all->program);
	struct cs_flow *f = cs_flow_new(&all->config, cache, way == COUNTED ? &counted : &insns, out);
	struct cs_streams streams = {0};
	struct cs_pieces pieces = {0};
	const struct cs_stream *s;

	out->ips.nr = out->cuts.nr = out->unsure.nr = 0;
	cs_streams_raw(&streams, all->config.id, data, size, 0);
	s = cs_streams_find(&streams, all->config.id);
	if (way == COUNTED)
		cs_flow_point(f)->stop = 1;
	if (way == PIECES)
		cs_stream_pieces(&pieces, s, &all->config, 1);
	else
		cs_flow_run(f, s, 0, s->len);
	vec_for(p, &pieces.list)
		cs_flow_run(f, s, p->from, p->to);
	vec_free(&pieces.list);
	cs_flow_free(f);
	cs_streams_release(&streams);
	block_cache_free(cache);
}

/* ---- recordings ---- */

static void put_number(uint64_t v, unsigned bytes)
{
	for (; bytes; bytes--, v >>= 8)
		printf("%02x", (unsigned)(v & 0xff));
}

/* The trace units: that of each set is that of a CPU. */
static void text_begin(void)
{
	printf("feature arch=aarch64 nrcpus=%zu auxtrace\n", ARRAY_SIZE(sets));
	printf("attr cs_etm type=8 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_hv sample_id_all ids=1\n");
	printf("raw type=70 ");
	put_number(3, 4), put_number(0, 4);
	put_number(1, 8), put_number((uint64_t)8 << 32 | ARRAY_SIZE(sets), 8), put_number(0, 8);
}

static unsigned options_of(const char *set)
{
	unsigned options = 0;
	char name[16];
	int n;

	for (; sscanf(set, "%15s%n", name, &n) == 1; set += n)
		options |= cs_option(name);
	return options;
}

static void text_unit(unsigned nr)
{
	struct cs_registers r;

	cs_options_registers(&r, options_of(sets[nr]), FIRST_ID + nr);
	put_number(r.devarch ? 0x5050505050505050 : 0x4040404040404040, 8), put_number(nr, 8), put_number(r.devarch ? 8 : 7, 8);
	put_number(r.configr, 8), put_number(r.traceidr, 8), put_number(r.idr0, 8), put_number(r.idr1, 8), put_number(r.idr2, 8);
	put_number(r.idr8, 8), put_number(0xcc, 8);
	if (r.devarch)
		put_number(r.devarch, 8);
}

static int text_program(const struct totals *all, const char *code)
{
	char *path = xasprintf("%s.%u", code, all->nr_set);
	FILE *f = fopen(path, "w");
	int err = !f || fwrite(all->program.image.data, 1, all->program.image.len, f) != all->program.image.len || fclose(f);

	if (err)
		perror(path);
	printf("comm %u/%u \"program\" exec t=1 event=cs_etm id=1\n", FIRST_PROCESS + all->nr_set, FIRST_PROCESS + all->nr_set);
	printf("mmap2 %u/%u %#" PRIx64 "+%#zx@0 r-xp \"%s\" t=2 event=cs_etm id=1\n", FIRST_PROCESS + all->nr_set,
	       FIRST_PROCESS + all->nr_set, all->program.insns.v[0].ip, all->program.image.len, path);
	free(path);
	return err ? -1 : 0;
}

static void text_trace(const struct buf *frames, unsigned process, unsigned tid)
{
	size_t padding = round_up(frames->len, 8) - frames->len;

	printf("comm %u/%u \"program\" t=3 event=cs_etm id=1\n", process, tid);
	printf("itrace_start %u/%u t=4 cpu=0 event=cs_etm id=1\n", process, tid);
	printf("aux %u/%u off=0 size=%zu t=900000000 cpu=0 event=cs_etm id=1\nraw type=71 ", process, tid, frames->len);
	put_number(frames->len + padding, 8), put_number(0, 8), put_number(0, 8);
	put_number(tid - FIRST_TID, 4), put_number(tid, 4), put_number(UINT32_MAX, 4), put_number(0, 4);
	printf("\nbytes ");
	for (size_t i = 0; i < frames->len + padding; i++)
		printf("%02x", i < frames->len ? (uint8_t)frames->data[i] : 0);
	printf("\n");
}

static void put_in_recording(struct totals *all, const struct buf *bytes)
{
	unsigned tid = FIRST_TID + (unsigned)(all->traces / all->each), process = FIRST_PROCESS + all->nr_set;
	struct pt_decoded d = {0};
	struct buf frames = {0};

	if (all->traces % all->each)
		return;
	decode(&d, all, (const uint8_t *)bytes->data, bytes->len, WHOLE);
	cs_frames(&frames, &(struct cs_framed){ all->config.id, bytes }, 1, 1, false);
	text_trace(&frames, process, tid);
	vec_for(ip, &d.ips)	/* a context in the trace says whose they are */
		fprintf(all->truth, "%u %" PRIx64 "\n", all->options & CS_CID ? process : tid, *ip);
	pt_decoded_release(&d);
	buf_release(&frames);
}

/* ---- checks ---- */

static void fail(struct totals *all, const char *what, unsigned walk, size_t where, const char *why, const struct pt_decoded *d,
		 const struct trace *t)
{
	struct pt_check c;

	if (all->failures++ > 20 && !all->verbose)
		return;
	pt_compare(&c, d, t->w.ips.v, t->w.ips.nr);
	printf("'%s': %s in walk %u at %zu: %s; %zu gaps; %zu right, %zu in the hole, %zu right after it; wrong %zu, %zu, %zu\n",
	       all->set, what, walk, where, why, d->cuts.nr, c.before, c.hole, c.behind, c.wrong_before, c.wrong_behind,
	       c.wrong_silent);
}

static bool is_part(const uint64_t *ips, const uint64_t *truth, size_t nr)
{
	return !memcmp(ips, truth, nr * sizeof(*ips));
}

static bool is_same(struct totals *all, const struct pt_decoded *d, const uint8_t *data, size_t size)
{
	struct pt_decoded other = {0};
	bool same = true;

	for (unsigned way = WHOLE + 1; way < NR_WAYS && same; way++) {
		decode(&other, all, data, size, way);
		same = other.ips.nr == d->ips.nr && is_part(other.ips.v, d->ips.v, d->ips.nr);
	}
	pt_decoded_release(&other);
	return same;
}

static void check_legal(struct totals *all, unsigned walk, unsigned what, size_t where)
{
	struct pt_decoded d = {0};
	struct trace t;
	bool made = make(all, &t, walk, LENGTH, what, where);
	const uint8_t *data = (const uint8_t *)t.w.u.out.data;

	if (made && all->truth) {
		put_in_recording(all, &t.w.u.out);
	} else if (made) {
		decode(&d, all, data, t.w.u.out.len, WHOLE);
		if (d.ips.nr != t.w.ips.nr || !is_part(d.ips.v, t.w.ips.v, d.ips.nr))
			fail(all, legal[what].name, walk, where, "not what ran", &d, &t);
		else if (d.cuts.nr != legal[what].gaps)
			fail(all, legal[what].name, walk, where, "other gaps", &d, &t);
		else if (!is_same(all, &d, data, t.w.u.out.len))
			fail(all, legal[what].name, walk, where, "decoded otherwise it is not the same", &d, &t);
	}
	all->traces += made;
	pt_decoded_release(&d);
	trace_release(&t);
}

/* How many instructions are proven by the packets before @at, and how many ran after the next synchronisation. */
static void bounds(const struct trace *t, size_t at, size_t *before, size_t *behind)
{
	*before = 0;
	*behind = 0;
	vec_for(k, &t->known)
		if (k->at <= at)
			*before = k->nr;
	for (size_t i = t->syncs.nr; i-- > 0 && t->syncs.v[i].at >= at;)
		*behind = t->w.ips.nr - t->syncs.v[i].nr;
}

static void check_illegal(struct totals *all, const struct trace *t, unsigned walk, unsigned what, size_t at)
{
	const uint64_t *ips = t->w.ips.v;
	size_t before, behind, nr = t->w.ips.nr;
	struct pt_decoded d = {0};

	all->scratch.len = 0;
	buf_put(&all->scratch, t->w.u.out.data, at);
	buf_put(&all->scratch, illegal[what].bytes, illegal[what].nr);
	buf_put(&all->scratch, t->w.u.out.data + at, t->w.u.out.len - at);
	if (all->truth) {
		put_in_recording(all, &all->scratch);
	} else {
		bounds(t, at, &before, &behind);
		decode(&d, all, (const uint8_t *)all->scratch.data, all->scratch.len, WHOLE);
		if (d.ips.nr < before || !is_part(d.ips.v, ips, before))
			fail(all, illegal[what].name, walk, at, "what was told before it is lost", &d, t);
		else if (d.ips.nr < behind || !is_part(d.ips.v + d.ips.nr - behind, ips + nr - behind, behind))
			fail(all, illegal[what].name, walk, at, "what is after the next synchronisation is lost", &d, t);
	}
	all->traces++;
	pt_decoded_release(&d);
}

static void check_all_illegal(struct totals *all, unsigned walk)
{
	const struct buf *out;
	struct cs_packet p;
	struct trace t;
	int n = 1;

	make(all, &t, walk, LONG_LENGTH, 0, 0);
	out = &t.w.u.out;
	for (size_t at = 0; n > 0; at += (size_t)n) {
		for (unsigned what = 0; what < ARRAY_SIZE(illegal); what++)
			check_illegal(all, &t, walk, what, at);
		n = at < out->len ? cs_packet_read(&p, (const uint8_t *)out->data + at, out->len - at, &all->config) : 0;
	}
	trace_release(&t);
}

static int check_set(struct totals *all, unsigned nr, const char *code)
{
	struct cs_registers r;
	struct cs_unit u = { .seed = nr + 1 };

	all->set = sets[nr];
	all->nr_set = nr;
	all->options = options_of(sets[nr]) | (code ? CS_USER : 0);	/* the code of a recording is a process's */
	if (code && all->options & CS_HIGH)
		return 0;	/* a kernel's */
	cs_options_registers(&r, all->options, FIRST_ID + nr);
	cs_config_init(&all->config, &r);
	cs_program_make(&all->program, &u, &(struct cs_program_form){ all->options & CS_ARM, all->options & CS_HIGH,
			all->options & CS_TEXIT }, 300);
	if (code && text_program(all, code))
		return -1;
	for (unsigned what = 0; what < ARRAY_SIZE(legal); what++)
		for (size_t where = 0; where <= LENGTH; where++)
			check_legal(all, nr, what, where);
	check_all_illegal(all, nr);
	vec_free(&all->program.insns);
	buf_release(&all->program.image);
	return 0;
}

static int begin_recording(struct totals *all, const char *truth)
{
	all->truth = fopen(truth, "w");
	if (!all->truth) {
		perror(truth);
		return -1;
	}
	text_begin();
	for (unsigned i = 0; i < ARRAY_SIZE(sets); i++)
		text_unit(i);
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	struct totals all = { .each = 1 };
	const char *code = NULL;
	int c;

	while ((c = getopt(argc, argv, "vr:e:")) != -1) {
		switch (c) {
		case 'v': all.verbose = true; break;
		case 'r': code = optarg; break;
		case 'e': all.each = MAX((unsigned)strtoul(optarg, NULL, 0), 1); break;
		default: return 2;
		}
	}
	if (code && (optind + 1 != argc || begin_recording(&all, argv[optind])))
		return 2;
	for (unsigned i = 0; i < ARRAY_SIZE(sets); i++)
		if (check_set(&all, i, code))
			return 2;
	if (!code)
		printf("%" PRIu64 " traces, %" PRIu64 " wrong\n", all.traces, all.failures);
	buf_release(&all.scratch);
	return (all.truth && fclose(all.truth)) || all.failures ? 1 : 0;
}
