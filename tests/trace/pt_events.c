/*
 * pt_events [-v]: traces of short walks through a made-up program, with each legal event in front of each of their
 * instructions, and with each illegal one between any two of their packets. A legal trace decodes to exactly the executed
 * instructions and the packets; an illegal one costs nothing reported before it, and nothing from the next PSB on. All ways
 * of decoding give the same. Prints how many there were, and all errors.
 *
 * pt_events -r CODE [-e EACH] TRUTH: instead, a recording of each EACHth trace for mkdata on stdout, thread by thread from
 * 1000 on, of the code in the file CODE, which is written; and "TID IP" of the decoding of each in the file TRUTH.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/x86/insn.h"
#include "auxtrace/intel_pt/packet.h"
#include "core/base/file.h"
#include "tests/lib/x86_program.h"
#include "tests/trace/pt_check.h"
#include "tests/trace/pt_encode.h"
#include "tests/trace/pt_notices.h"
#include "tests/trace/pt_pebs.h"

#define WALKS		12
#define LENGTH		48	/* instructions of a walk in which something legal happens */
#define LONG_LENGTH	160
#define FIRST_TID	1000

struct known { size_t at, nr; };	/* the packets before offset @at tell that @nr instructions ran */

struct trace {
	struct pt_encoder e;
	struct x86_walk w;
	VEC(uint64_t) ips;		/* what a decoder is to find */
	VEC(struct known) known;
	VEC(struct known) psbs;		/* where they are, and how many instructions ran before each */
	size_t proven;			/* of ips */
};

struct totals {
	struct x86_program program;
	struct buf scratch;
	uint64_t traces, failures;
	bool verbose;
	FILE *truth;			/* a recording is made; else NULL */
	unsigned each;
};

/* ---- what may happen; the next instruction is at t->w.ip ---- */

static void nothing(struct trace *t)
{
	(void)t;
}

static void interrupt(struct trace *t)
{
	pt_encode_interrupt(&t->e, t->w.ip);
	pt_encode_enter(&t->e, t->w.ip);
}

/* Its handler is a function of the program. */
static void exception(struct trace *t)
{
	pt_encode_fup(&t->e, t->w.ip);
	t->w.ip = X86_PROGRAM_BASE + x86_walk_random(&t->w, X86_PROGRAM_FUNCTIONS) * X86_PROGRAM_SLOT;
	pt_encode_indirect(&t->e, t->w.ip);
	pt_encode_flush(&t->e);
}

static void stop(struct trace *t)
{
	pt_encode_interrupt(&t->e, t->w.ip);
	pt_encode_bytes(&t->e, 0x8302, 2);
	pt_encode_enter(&t->e, t->w.ip);
}

static void psb(struct trace *t)
{
	uint32_t due = t->e.o.psb_bytes;

	t->e.o.psb_bytes = 0;
	pt_encode_sync(&t->e, t->w.ip);
	t->e.o.psb_bytes = due;
}

/* Loses the unproven instructions and some more. */
static void lose(struct trace *t)
{
	struct insn insn;

	t->ips.nr = t->proven;
	for (unsigned n = x86_walk_random(&t->w, 20); n; n--)
		x86_walk_step(&t->w, &insn);
}

static void overflow(struct trace *t)
{
	lose(t);
	pt_encode_overflow(&t->e, t->w.ip);
}

static void overflow_while_off(struct trace *t)
{
	lose(t);
	pt_encode_bytes(&t->e, 0xf302, 2);
	t->e.nr_calls = 0;
	pt_encode_enter(&t->e, t->w.ip);
}

static void overflow_twice(struct trace *t)
{
	lose(t);
	pt_encode_bytes(&t->e, 0xf302, 2);
	pt_encode_overflow(&t->e, t->w.ip);
}

static void overflow_in_psb(struct trace *t)
{
	lose(t);
	for (unsigned i = 0; i < 8; i++)
		pt_encode_bytes(&t->e, 0x8202, 2);
	t->e.last_ip = 0;
	pt_encode_bytes(&t->e, 0x0199, 2);
	pt_encode_overflow(&t->e, t->w.ip);
}

static void overflow_in_block(struct trace *t)
{
	struct buf truth = {0};

	pt_pebs_begin(&t->e, &truth);
	buf_release(&truth);
	overflow(t);
}

static void pebs(struct trace *t)
{
	struct buf truth = {0};

	pt_pebs_write(&t->e, &truth, t->w.ip);
	buf_release(&truth);
}

static void notice(struct trace *t)
{
	pt_notices_write(&t->e, t->w.ip);
	pt_encode_flush(&t->e);
}

static void control_flow_event(struct trace *t)
{
	struct buf truth = {0};

	pt_notices_interrupt(&t->e, &truth, t->w.ip);
	buf_release(&truth);
}

/* In one of all its forms: with the place, with a count of instructions, with both or none. */
static void trigger(struct trace *t)
{
	bool place = x86_walk_random(&t->w, 2), count = x86_walk_random(&t->w, 2);

	pt_encode_bytes(&t->e, 0xd9, 1);
	pt_encode_bytes(&t->e, (place ? 0x80u : 0) | (count ? 0x40u : 0) | (x86_walk_random(&t->w, 2) ? 0x20u : 0), 1);
	pt_encode_bytes(&t->e, 0xa1, 1);
	if (count)
		pt_encode_bytes(&t->e, x86_walk_random(&t->w, 100), 2);
	if (place)
		pt_encode_fup(&t->e, t->w.ip);
}

/* The same address space and VMCS again, and a number for the maintainer. */
static void context(struct trace *t)
{
	pt_encode_bytes(&t->e, 0x4302, 2), pt_encode_bytes(&t->e, 0x2000, 6);
	pt_encode_bytes(&t->e, 0xc802, 2), pt_encode_bytes(&t->e, 0x1000, 5);
	pt_encode_bytes(&t->e, 0x88c302, 3), pt_encode_bytes(&t->e, 0x1234, 8);
}

static const struct { const char *name; void (*write)(struct trace *t); unsigned gaps; } legal[] = {
	{ "nothing", nothing, 0 }, { "an interrupt", interrupt, 0 }, { "an exception", exception, 0 }, { "a TraceStop", stop, 0 },
	{ "a PSB+", psb, 0 }, { "an overflow", overflow, 1 }, { "an overflow while tracing is off", overflow_while_off, 1 },
	{ "two overflows", overflow_twice, 2 }, { "an overflow in a PSB+", overflow_in_psb, 1 },
	{ "an overflow in a block", overflow_in_block, 1 }, { "a PEBS record", pebs, 0 }, { "a notice", notice, 0 },
	{ "another notice", notice, 0 }, { "a control flow event", control_flow_event, 0 }, { "PIP, VMCS, MNT", context, 0 },
	{ "a trigger", trigger, 0 }, { "another trigger", trigger, 0 },
};

/* Illegal bytes: packets at wrong places, and bytes that are no packets. */
static const struct { const char *name, *bytes; unsigned nr; } illegal[] = {
	{ "a bit", "\x06", 1 },
	{ "six bits", "\xaa", 1 },
	{ "47 bits", "\x02\xa3\x55\x55\x55\x55\x55\xd5", 8 },
	{ "a TIP", "\x2d\x00\x12", 3 },
	{ "a TIP out of the code", "\x6d\x00\x00\x00\x00\x34\x12", 7 },
	{ "a TIP without IP", "\x0d", 1 },
	{ "a FUP", "\x3d\x80\x11", 3 },
	{ "a FUP between instructions", "\x3d\x81\x11", 3 },
	{ "a FUP without IP", "\x1d", 1 },
	{ "a TIP.PGE", "\x31\x00\x12", 3 },
	{ "a TIP.PGD", "\x01", 1 },
	{ "a TIP.PGD with IP", "\x21\x00\x12", 3 },
	{ "a PSB", "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82", 16 },
	{ "a PSBEND", "\x02\x23", 2 },
	{ "half a PSB", "\x02\x82\x02\x82\x02\x82\x02\x82", 8 },
	{ "an empty PSB+", "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x23", 18 },
	{ "an overflow", "\x02\xf3", 2 },
	{ "64 bit mode", "\x99\x01", 2 },
	{ "32 bit mode", "\x99\x02", 2 },
	{ "no mode", "\x99\x03", 2 },
	{ "a transaction", "\x99\x21", 2 },
	{ "its abort", "\x99\x22", 2 },
	{ "a block", "\x02\x63\x04", 3 },
	{ "an item", "\x0c\x00\x00", 3 },
	{ "the end of a block", "\x02\xb3", 2 },
	{ "a PTWRITE with IP", "\x02\x92\x01\x02\x03\x04", 6 },
	{ "a CFE", "\x02\x13\x81\x20", 4 },
	{ "a TraceStop", "\x02\x83", 2 },
	{ "a trigger", "\xd9\x20\x01", 3 },
	{ "a trigger with a count", "\xd9\x40\x01\x02\x00", 5 },
	{ "a trigger with a place", "\xd9\x80\x01", 3 },
	{ "the beginning of a trigger", "\xd9\xc0", 2 },
	{ "cycles", "\xff\x02", 2 },
	{ "MTC", "\x59\x00", 2 },
	{ "reserved", "\x05", 1 },
	{ "reserved behind 2", "\x02\x2b", 2 },
	{ "the beginning of a TSC", "\x19\x00\x00", 3 },
	{ "EXSTOP with IP", "\x02\xe2", 2 },
};

/* ---- traces ---- */

static void trace_release(struct trace *t)
{
	pt_encode_release(&t->e);
	vec_free(&t->ips);
	vec_free(&t->known);
	vec_free(&t->psbs);
}

static bool proves(const struct insn *insn)
{
	return insn->kind == INSN_COND || insn->kind == INSN_RET || insn->kind == INSN_JUMP_INDIRECT ||
	       insn->kind == INSN_CALL_INDIRECT || insn->kind >= INSN_FAR_CALL;
}

/* Packets with an address prove the instructions before them. */
static void happen(struct trace *t, unsigned what)
{
	size_t places = t->e.places;

	pt_encode_flush(&t->e);
	legal[what].write(t);
	if (t->e.places != places)
		t->proven = t->ips.nr;
}

static void step(struct trace *t)
{
	uint64_t ip = t->w.ip;
	struct insn insn;
	size_t psb_at = t->e.last_psb;

	if (!t->e.enabled)
		pt_encode_enter(&t->e, ip);
	vec_push(&t->ips, ip);
	x86_walk_step(&t->w, &insn);
	if (proves(&insn))
		t->proven = t->ips.nr;
	pt_encode_insn(&t->e, &insn, ip, t->w.ip);
	pt_encode_tick(&t->e);
	if (t->e.enabled)
		pt_encode_sync(&t->e, t->w.ip);
	if (t->e.last_psb != psb_at) {
		t->proven = t->ips.nr;
		vec_push(&t->psbs, (struct known){ t->e.last_psb, t->ips.nr });
	}
	if (!t->e.nr_bits && !t->e.tips.nr)
		vec_push(&t->known, (struct known){ t->e.out.len, t->proven });
}

/*
 * @nr instructions, with legal[what] in front of that of number @where; the trace ends after them. If @where is @nr, it ends
 * with that and no more, as at the end of a buffer.
 */
static void make(struct trace *t, const struct x86_program *p, unsigned walk, size_t nr, unsigned what, size_t where)
{
	static const char *const sets[] = { "psb=100", "psb=64,cyc", "psb=150,long-tnt,no-mtc", "psb=90,no-ret-comp" };
	struct pt_encode_options o;

	*t = (struct trace){0};
	pt_encode_parse(&o, sets[walk % ARRAY_SIZE(sets)]);
	o.seed = walk * 1000 + what * 100 + where + 1;
	pt_encode_start(&t->e, &o);
	x86_walk_begin(&t->w, p, walk + 1);
	for (size_t i = 0; i <= nr; i++) {
		if (!t->e.enabled)
			pt_encode_enter(&t->e, t->w.ip);
		if (i == where)
			happen(t, what);
		if (i < nr)
			step(t);
	}
	pt_encode_flush(&t->e);
	if (where == nr)
		t->ips.nr = t->proven;
	else if (t->e.enabled)
		pt_encode_interrupt(&t->e, t->w.ip);
}

/* ---- checks ---- */

static void put_in_recording(struct totals *all, const uint8_t *data, size_t size)
{
	unsigned tid = FIRST_TID + (unsigned)(all->traces / all->each);
	struct pt_decoded d = {0};

	if (all->traces % all->each)
		return;
	pt_decode(&d, data, size, NULL, PT_WHOLE, x86_program_read, &all->program);
	pt_text_trace(data, size, tid);
	vec_for(ip, &d.ips)
		fprintf(all->truth, "%u %" PRIx64 "\n", tid, *ip);
	pt_decoded_release(&d);
}

static void fail(struct totals *all, const char *what, unsigned walk, size_t where, const char *why,
		 const struct pt_check *c)
{
	if (all->failures++ > 20 && !all->verbose)
		return;
	printf("%s in walk %u at %zu: %s; %zu right, %zu in the hole, %zu right behind it; wrong %zu, %zu, %zu\n", what, walk,
	       where, why, c->before, c->hole, c->behind, c->wrong_before, c->wrong_behind, c->wrong_silent);
}

/* Compares other ways of decoding with @d; in pieces each PSB+ is reported by its own piece. */
static bool is_same(struct totals *all, const struct pt_decoded *d, const uint8_t *data, size_t size)
{
	struct pt_decoded other = {0};
	bool same = true;

	for (unsigned way = PT_WHOLE + 1; way < PT_NR_WAYS && same; way++) {
		pt_decode(&other, data, size, NULL, way, x86_program_read, &all->program);
		same = other.ips.nr == d->ips.nr && !memcmp(other.ips.v, d->ips.v, d->ips.nr * sizeof(*d->ips.v));
	}
	pt_decoded_release(&other);
	return same;
}

static void check_legal(struct totals *all, unsigned walk, unsigned what, size_t where)
{
	struct pt_decoded d = {0};
	const uint8_t *data;
	struct pt_check c;
	struct trace t;

	make(&t, &all->program, walk, LENGTH, what, where);
	data = (const uint8_t *)t.e.out.data;
	if (all->truth) {
		put_in_recording(all, data, t.e.out.len);
	} else {
		pt_decode(&d, data, t.e.out.len, NULL, PT_WHOLE, x86_program_read, &all->program);
		pt_compare(&c, &d, t.ips.v, t.ips.nr);
		if (c.before + c.behind != t.ips.nr || d.ips.nr != t.ips.nr)
			fail(all, legal[what].name, walk, where, "not what ran", &c);
		else if (d.cuts.nr != legal[what].gaps)
			fail(all, legal[what].name, walk, where, "other gaps", &c);
		else if (!is_same(all, &d, data, t.e.out.len))
			fail(all, legal[what].name, walk, where, "decoded otherwise it is not the same", &c);
	}
	all->traces++;
	pt_decoded_release(&d);
	trace_release(&t);
}

/* How many instructions are proven by the packets before @at, and how many ran after the next PSB. */
static void bounds(const struct trace *t, size_t at, size_t *before, size_t *behind)
{
	*before = 0;
	*behind = 0;
	vec_for(k, &t->known)
		if (k->at <= at)
			*before = k->nr;
	for (size_t i = t->psbs.nr; i-- > 0 && t->psbs.v[i].at >= at;)
		*behind = t->ips.nr - t->psbs.v[i].nr;
}

static bool is_part(const uint64_t *ips, const uint64_t *truth, size_t nr)
{
	return !memcmp(ips, truth, nr * sizeof(*ips));
}

static void check_illegal(struct totals *all, const struct trace *t, unsigned walk, unsigned what, size_t at)
{
	struct pt_decoded d = {0};
	const uint8_t *data;
	size_t before, behind;
	struct pt_check c;

	all->scratch.len = 0;
	buf_put(&all->scratch, t->e.out.data, at);
	buf_put(&all->scratch, illegal[what].bytes, illegal[what].nr);
	buf_put(&all->scratch, t->e.out.data + at, t->e.out.len - at);
	data = (const uint8_t *)all->scratch.data;
	if (all->truth) {
		put_in_recording(all, data, all->scratch.len);
	} else {
		bounds(t, at, &before, &behind);
		pt_decode(&d, data, all->scratch.len, NULL, PT_WHOLE, x86_program_read, &all->program);
		pt_compare(&c, &d, t->ips.v, t->ips.nr);
		if (d.ips.nr < before || !is_part(d.ips.v, t->ips.v, before))
			fail(all, illegal[what].name, walk, at, "what was told before it is lost", &c);
		else if (d.ips.nr < behind || !is_part(d.ips.v + d.ips.nr - behind, t->ips.v + t->ips.nr - behind, behind))
			fail(all, illegal[what].name, walk, at, "what is behind the next PSB is lost", &c);
	}
	all->traces++;
	pt_decoded_release(&d);
}

static void check_all_illegal(struct totals *all, unsigned walk)
{
	struct pt_packet p;
	struct trace t;
	size_t at = 0;

	make(&t, &all->program, walk, LONG_LENGTH, 0, 0);
	do {
		for (unsigned what = 0; what < ARRAY_SIZE(illegal); what++)
			check_illegal(all, &t, walk, what, at);
		pt_packet_read(&p, (const uint8_t *)t.e.out.data + at, t.e.out.len - at, 0);
		at += p.size;
	} while (at <= t.e.out.len && p.size);
	trace_release(&t);
}

static int begin_recording(struct totals *all, const char *code, const char *truth)
{
	FILE *f = fopen(code, "w");

	all->truth = fopen(truth, "w");
	if (!f || !all->truth || fwrite(all->program.code, 1, X86_PROGRAM_SIZE, f) != X86_PROGRAM_SIZE || fclose(f)) {
		perror(code);
		return -1;
	}
	pt_text_begin(code, X86_PROGRAM_BASE, X86_PROGRAM_SIZE, 0x80003633);
	return 0;
}

int main(int argc, char **argv)
{
	struct totals all = { .each = 100 };
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
	x86_program_make(&all.program, 1);
	if (code && (optind + 1 != argc || begin_recording(&all, code, argv[optind])))
		return 2;
	for (unsigned walk = 0; walk < WALKS; walk++) {
		for (unsigned what = 0; what < ARRAY_SIZE(legal); what++)
			for (size_t where = 0; where <= LENGTH; where++)
				check_legal(&all, walk, what, where);
		check_all_illegal(&all, walk);
	}
	if (!code)
		printf("%" PRIu64 " traces, %" PRIu64 " wrong\n", all.traces, all.failures);
	buf_release(&all.scratch);
	return (all.truth && fclose(all.truth)) || all.failures ? 1 : 0;
}
