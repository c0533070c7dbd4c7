/*
 * Programs that never were, and their traces: code full of branches of all kinds is made up, walked through at
 * random, and encoded as an ETMv4 or ETE would, with the addresses of all instructions beside it.
 *
 *	csgen [-s SEED] [-n INSNS] [-t CONTEXT] [-o OPTION]... [-l LOG -c CODE] FOLDER
 *
 * writes FOLDER as a snapshot that cs_insn and OpenCSD's trc_pkt_lister read, FOLDER/expected, one address a
 * line, and FOLDER/sums, for each source the sum of its cycle counts and its last timestamp. With -l, what was
 * executed is read from LOG (addresses, one a line, of A64 code) and the code from CODE, a file of what is in
 * memory at 0x400000. Options: rs (return stack), cc (cycle counts), ccommit (which commit), cid, vmid, spec
 * (speculation), ete, raw (no frames), syncs (in the frames), two (sources), arm (A32 and T32 code), high
 * (addresses above 4 GB), user (all at EL0, in one context, though exceptions come), calm (no exceptions), late
 * (after a synchronisation the address may come only after some branches), texit (some branches are TEXIT, which other
 * decoders do not know), dense (at each second branch something happens that may happen there: synchronisations, exceptions,
 * overflows, discarded trace, tracing that stops, packets that mean nothing), steady (no overflows).
 * Layer: test
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arm64/insn.h"
#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/trace/cs_encode.h"
#include "tests/trace/cs_program.h"

enum option { RS = 1, CC = 2, CCOMMIT = 4, CID = 8, VMID = 16, SPEC = 32, ETE = 64, RAW = 128, SYNCS = 256, TWO = 512,
	ARM = 1024, HIGH = 2048, USER = 4096, CALM = 8192, LATE = 16384, TEXIT = 32768,
	DENSE = 65536, STEADY = 131072 };

struct walker {
	struct cs_unit u;
	const struct cs_program *p;
	struct buf expected;
	uint64_t nr_insns, most;
	size_t at, block;		/* instruction to come; first of the block since the last element */
	VEC(size_t) calls;		/* where to return to */
	bool target_told;		/* the decoder knows where .block is */
	bool tracing, user, calm, late, dense, steady;
	bool lost;			/* by an overflow: what was told before counts no more */
};

/* --- Walking -------------------------------------------------------------------------- */

static unsigned is_of(const struct cs_code_insn *i)
{
	return i->mode == 16;
}

/* All since the last element is known to have been executed. */
static void executed(struct walker *w, size_t from, size_t to)
{
	for (size_t i = from; i < to && w->tracing; i++) {
		buf_hex(&w->expected, w->p->insns.v[i].ip, 0);
		buf_putc(&w->expected, '\n');
	}
}

static void tell_address(struct walker *w, bool context)
{
	const struct cs_code_insn *i = &w->p->insns.v[w->at];

	if (w->tracing)
		cs_unit_address(&w->u, i->ip, is_of(i), context || w->u.synced);
	w->target_told = true;
}

static void indirect(struct walker *w, const struct cs_code_insn *in)
{
	const struct cs_code_insn *to;

	if (in->kind == INSN_RET && w->calls.nr) {
		w->at = w->calls.v[--w->calls.nr];
	} else if (w->p->switch_at == w->p->insns.nr || cs_unit_random(&w->u, 2)) {
		w->at = cs_unit_random(&w->u, w->p->insns.nr);
	}
	to = &w->p->insns.v[w->at];
	w->target_told = w->tracing && w->u.c.return_stack && cs_unit_return(&w->u, to->ip, is_of(to));
}

/* A branch, a barrier: an element, and what may come after one. */
static void element(struct walker *w, const struct cs_code_insn *in, bool taken)
{
	size_t next = w->at;
	bool direct = in->kind == INSN_COND || in->kind == INSN_JUMP || in->kind == INSN_CALL || in->kind == INSN_FAR_JUMP;
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_INDIRECT || in->kind == INSN_FAR_JUMP;

	executed(w, w->block, next);
	if (w->tracing && !(taken && in->kind != INSN_ISB && cs_unit_source(&w->u, in->ip, is_of(in))))
		cs_unit_atom(&w->u, taken);
	if (taken && call) {
		if (w->calls.nr < 1000)
			vec_push(&w->calls, next);
		if (w->tracing)
			cs_unit_call(&w->u, in->ip + in->size, is_of(in));
	}
	w->target_told = true;
	if (taken && direct)
		w->at = in->to;
	else if (taken && in->kind != INSN_ISB)
		indirect(w, in);
	w->block = w->at;
}

/* Blocks are only entered where the decoder knows them: tell the target, if that is not yet known. */
static void enter(struct walker *w)
{
	if (!w->target_told)
		tell_address(w, false);
}

/* A user program's are those that have names. */
static unsigned exception_type(struct walker *w)
{
	static const uint8_t named[] = { 1, 2, 3, 4, 6, 7, 10, 11, 12, 14, 15 };

	return w->user ? named[cs_unit_random(&w->u, sizeof(named))] : 1 + (unsigned)cs_unit_random(&w->u, 15);
}

static void exception(struct walker *w)
{
	const struct cs_code_insn *ret = &w->p->insns.v[w->at];
	bool was_target = !w->target_told;

	if (w->calm || (was_target && w->at != w->block))
		return;
	executed(w, w->block, w->at);
	if (w->tracing)
		cs_unit_exception(&w->u, exception_type(w), ret->ip, is_of(ret), was_target);
	w->at = w->block = cs_unit_random(&w->u, w->p->insns.nr);
	w->u.el = w->user ? 0 : (uint8_t)cs_unit_random(&w->u, 3);
	if (w->u.c.cid_bytes && w->u.cid && !w->user)
		w->u.cid = 1 + (uint32_t)cs_unit_random(&w->u, 100000);
	tell_address(w, true);
}

/* Off for a while, or on again. */
static void toggle(struct walker *w)
{
	if (w->tracing) {
		w->tracing = false;
		return;
	}
	w->tracing = true;
	if (w->lost)
		cs_unit_sync(&w->u);
	w->lost = false;
	cs_unit_trace_on(&w->u);
	w->block = w->at;
	tell_address(w, true);
}

/* While tracing goes on: where the address follows later, the decoder still knows where the branches before it are. */
static void synchronise(struct walker *w)
{
	bool late = w->late && cs_unit_random(&w->u, 2);

	if (late)
		enter(w);
	cs_unit_sync(&w->u);
	if (!late)
		tell_address(w, true);
}

/* The trace unit loses some of what follows. */
static void lose(struct walker *w)
{
	if (cs_unit_random(&w->u, 2))
		cs_unit_overflow(&w->u);
	else
		cs_unit_discard(&w->u);
	w->tracing = false;
	w->lost = true;
}

static void crowd(struct walker *w)
{
	switch (cs_unit_random(&w->u, w->tracing ? 14 : 5)) {
	case 0:
		enter(w);
		toggle(w);
		break;
	case 1:
		exception(w);
		break;
	case 2:
	case 3:
		if (w->tracing)
			synchronise(w);
		break;
	case 4:
		if (w->tracing && w->u.synced)
			tell_address(w, true);
		break;
	case 5:
		lose(w);
		break;
	case 6:
	case 7:
		cs_unit_nothing(&w->u);
		break;
	}
}

static void between(struct walker *w)
{
	if (w->tracing)
		cs_unit_tick(&w->u);
	if (w->dense) {
		crowd(w);
		return;
	}
	if (!cs_unit_random(&w->u, w->tracing ? 400 : 20)) {
		enter(w);
		toggle(w);
	} else if (w->tracing && !cs_unit_random(&w->u, 300)) {
		synchronise(w);
	} else if (w->tracing && w->u.synced && !cs_unit_random(&w->u, 3)) {
		tell_address(w, true);
	} else if (w->tracing && !w->steady && !cs_unit_random(&w->u, 1000)) {
		cs_unit_overflow(&w->u);
		cs_unit_sync(&w->u);
		cs_unit_trace_on(&w->u);
		tell_address(w, true);
	} else if (!cs_unit_random(&w->u, 150)) {
		exception(w);
	}
}

static void step(struct walker *w)
{
	const struct cs_code_insn *in = &w->p->insns.v[w->at];

	if (w->at == w->block)
		enter(w);
	w->nr_insns++;
	w->at++;
	if (in->kind != INSN_OTHER) {
		element(w, in, in->kind != INSN_COND || cs_unit_random(&w->u, 3));
		between(w);
	} else if (!cs_unit_random(&w->u, 1000)) {
		exception(w);
	}
}

static void walk(struct walker *w, unsigned options)
{
	w->tracing = true;
	w->user = options & USER;
	w->late = options & (LATE | DENSE);
	w->dense = options & DENSE;
	w->steady = options & STEADY;
	w->u.sf = !(options & ARM);
	cs_unit_sync(&w->u);
	cs_unit_trace_on(&w->u);
	tell_address(w, true);
	while (w->nr_insns < w->most)
		step(w);
	cs_unit_flush(&w->u);
}

/* --- A log --------------------------------------------------------------------------------- */

#define LOG_BASE	0x400000

struct log {
	const char *path;
	FILE *file;
	uint64_t size;		/* of the code */
	bool bad;
};

/* Returns false at the end, or after an error that is told. */
static bool next_ip(struct log *l, uint64_t *ip)
{
	char line[32];

	if (l->bad || !fgets(line, sizeof(line), l->file))
		return false;
	*ip = strtoull(line, NULL, 16);
	l->bad = *ip < LOG_BASE || *ip - LOG_BASE + 4 > l->size;
	return !l->bad || (error("no code at %.*s of '%s'", (int)strcspn(line, "\n"), line, l->path), false);
}

/* What was executed since the last element. */
static void replay_block(struct walker *w, const uint64_t *ips, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		buf_hex(&w->expected, ips[i], 0);
		buf_putc(&w->expected, '\n');
	}
}

/* An interrupt, whose handler is not traced: it returns to @to, where tracing begins again. */
static void replay_interrupt(struct walker *w, uint64_t to)
{
	cs_unit_exception(&w->u, 14, to, 0, false);
	cs_unit_trace_on(&w->u);
	cs_unit_address(&w->u, to, 0, true);
}

/* An instruction at @ip made an element; @to came next. */
static void replay_branch(struct walker *w, const struct insn *in, uint64_t ip, uint64_t to)
{
	/* A branch to the next instruction was taken all the same, where it cannot be otherwise. */
	cs_unit_atom(&w->u, to != ip + 4 || in->kind != INSN_COND);
	if (in->kind == INSN_CALL || in->kind == INSN_CALL_INDIRECT)
		cs_unit_call(&w->u, ip + 4, 0);
	if (in->kind == INSN_RET || in->kind == INSN_JUMP_INDIRECT || in->kind == INSN_CALL_INDIRECT)
		if (!w->u.c.return_stack || !cs_unit_return(&w->u, to, 0))
			cs_unit_address(&w->u, to, 0, false);
	cs_unit_tick(&w->u);
	if (!cs_unit_random(&w->u, 300)) {
		cs_unit_sync(&w->u);
		cs_unit_address(&w->u, to, 0, true);
	}
}

/* A trace ends with the last element: what follows it has no successor and is not told. */
static void replay(struct walker *w, struct log *l, uint64_t ip)
{
	VEC(uint64_t) block = { 0 };	/* what no element tells of yet */
	uint64_t to;

	w->u.sf = true;
	cs_unit_sync(&w->u);
	cs_unit_trace_on(&w->u);
	cs_unit_address(&w->u, ip, 0, true);
	for (; next_ip(l, &to); ip = to) {
		bool interrupt = !w->calm && !cs_unit_random(&w->u, 2000), branches;
		struct insn in;

		vec_push(&block, ip);
		arm_insn_read(&in, (const uint8_t *)w->p->image.data + (ip - LOG_BASE), 4, 64);
		branches = in.kind != INSN_OTHER && in.kind != INSN_FAR_CALL && !(in.detail & ARM_WAIT);
		if (branches || interrupt) {
			replay_block(w, block.v, block.nr);
			block.nr = 0;
		}
		if (branches)
			replay_branch(w, &in, ip, to);
		if (interrupt)
			replay_interrupt(w, to);
	}
	cs_unit_flush(&w->u);
	vec_free(&block);
}

static int replay_log(struct walker *w, const char *path)
{
	struct log l = { .path = path, .file = fopen(path, "r"), .size = w->p->image.len };
	uint64_t first;

	if (!l.file)
		return error("cannot read '%s'", path);
	if (next_ip(&l, &first))
		replay(w, &l, first);
	else if (!l.bad)
		l.bad = true, error("nothing in '%s'", path);
	fclose(l.file);
	return l.bad ? -1 : 0;
}

/* --- Files ------------------------------------------------------------------------------- */

static struct cs_registers registers(unsigned options, unsigned id)
{
	struct cs_registers r = {
		.traceidr = id, .configr = 1, .idr0 = 0x28000ea1, .idr1 = 0x4100f450, .idr2 = 0x1088,
		.idr8 = options & SPEC ? 31 : 0,
	};

	r.configr |= (options & CC ? 0x10 : 0) | (options & RS ? 0x1000 : 0) | (options & CID ? 0x40 : 0) |
		     (options & VMID ? 0x80 : 0) | 0x800;
	if (options & CCOMMIT)
		r.idr0 &= ~(1u << 29);
	if (options & ETE) {
		r.devarch = 0x47715a13;
		r.idr1 = 0x4100fff0;
	}
	return r;
}

static int save(const char *dir, const char *name, const struct buf *b)
{
	char path[4096];
	FILE *f;
	bool bad;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		return error("cannot write '%s'", path);
	bad = fwrite(b->data, 1, b->len, f) != b->len;
	return fclose(f) || bad ? error("cannot write '%s'", path) : 0;
}

static int save_text(const char *dir, const char *name, const char *text)
{
	struct buf b = { 0 };
	int ret;

	buf_puts(&b, text);
	ret = save(dir, name, &b);
	buf_release(&b);
	return ret;
}

static int save_source(const char *dir, unsigned nr, const struct cs_registers *r)
{
	struct buf b = { 0 };
	char name[32];
	int ret;

	buf_printf(&b, "[device]\nname=ETM_%u\nclass=trace_source\ntype=%s\n\n[regs]\nTRCCONFIGR=%#x\nTRCTRACEIDR=%#x\n"
		   "TRCIDR0=%#x\nTRCIDR1=%#x\nTRCIDR2=%#x\nTRCIDR8=%#x\nTRCAUTHSTATUS=0xcc\n", nr,
		   r->devarch ? "ETE" : "ETM4", r->configr, r->traceidr, r->idr0, r->idr1, r->idr2, r->idr8);
	if (r->devarch)
		buf_printf(&b, "TRCDEVARCH=%#x\n", r->devarch);
	snprintf(name, sizeof(name), "etm_%u.ini", nr);
	ret = save(dir, name, &b);
	buf_release(&b);
	return ret;
}

static int save_snapshot(const char *dir, const struct cs_program *p, const struct buf *trace, unsigned options)
{
	bool two = options & TWO;
	struct buf b = { 0 };
	int ret;

	buf_printf(&b, "[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n\n[regs]\nPC(size:64)=0\nSP(size:64)=0\n"
		   "SCTLR_EL1=0\nCPSR=0\n\n[dump1]\nfile=code.bin\naddress=%#llx\nlength=%#zx\n",
		   (unsigned long long)p->insns.v[0].ip, p->image.len);
	ret = save(dir, "cpu_0.ini", &b);
	b.len = 0;
	buf_printf(&b, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=%s\n\n"
		   "[source_buffers]\nETM_0=ETB_0\n%s\n[core_trace_sources]\ncpu_0=ETM_0\n%s",
		   options & RAW ? "source_data" : "coresight", two ? "ETM_1=ETB_0\n" : "", two ? "cpu_0=ETM_1\n" : "");
	ret = ret || save(dir, "trace.ini", &b);
	buf_release(&b);
	return ret || save(dir, "code.bin", &p->image) || save(dir, "trace.bin", trace) ||
	       save_text(dir, "snapshot.ini", two ? "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\n"
			 "device1=etm_0.ini\ndevice2=etm_1.ini\n\n[trace]\nmetadata=trace.ini\n" :
			 "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n\n"
			 "[trace]\nmetadata=trace.ini\n");
}

static int load_program(struct cs_program *p, const char *code)
{
	*p = (struct cs_program){ 0 };
	vec_push(&p->insns, (struct cs_code_insn){ .ip = LOG_BASE, .size = 4 });
	return read_file(code, &p->image) ? error("cannot read '%s'", code) : 0;
}

struct request {
	const char *log, *code;		/* NULL: made up */
	uint64_t seed, most;
	unsigned options;
	uint32_t cid;			/* of context */
};

static int generate(const char *dir, const struct request *req)
{
	struct walker w[2] = { 0 };
	struct cs_framed framed[2];
	struct buf trace = { 0 }, expected = { 0 }, sums = { 0 };
	unsigned options = req->options;
	uint64_t seed = req->seed;
	struct cs_registers r;
	struct cs_program p;
	unsigned nr = options & TWO ? 2 : 1;
	int ret = 0;

	w[0].u.seed = seed * 0x9e3779b97f4a7c15ull | 1;
	if (req->log)
		ret = load_program(&p, req->code);
	else
		cs_program_make(&p, &w[0].u, &(struct cs_program_form){ options & ARM, options & HIGH, options & TEXIT },
				300 + cs_unit_random(&w[0].u, 3000));
	for (unsigned i = 0; i < nr; i++) {
		r = registers(options, 0x10 + 2 * i);
		cs_config_init(&w[i].u.c, &r);
		ret = ret || save_source(dir, i, &r);
		w[i].u.seed = (seed + i) * 0xd6e8feb86659fd93ull | 1;
		w[i].u.time = 1000000000000ull;
		w[i].u.threshold = 4;
		w[i].u.cid = options & CID ? req->cid : 0;
		w[i].u.vmid = options & VMID ? 7 : 0;
		w[i].p = &p;
		w[i].most = req->most;
		w[i].calm = options & CALM;
		if (!req->log)
			walk(&w[i], options);
		else if (!ret)
			ret = replay_log(&w[i], req->log);
		buf_put(&expected, w[i].expected.data, w[i].expected.len);
		buf_printf(&sums, "%llu %llu\n", (unsigned long long)w[i].u.cycles, (unsigned long long)w[i].u.told_time);
		framed[i] = (struct cs_framed){ (uint8_t)r.traceidr, &w[i].u.out };
	}
	if (options & RAW)
		buf_put(&trace, w[0].u.out.data, w[0].u.out.len);
	else
		cs_frames(&trace, framed, nr, seed | 1, options & SYNCS);
	ret = ret || save_snapshot(dir, &p, &trace, options) || save(dir, "expected", &expected) ||
	      save(dir, "sums", &sums);
	for (unsigned i = 0; i < nr; i++) {
		buf_release(&w[i].u.out);
		buf_release(&w[i].expected);
		vec_free(&w[i].calls);
	}
	buf_release(&trace);
	buf_release(&expected);
	buf_release(&sums);
	buf_release(&p.image);
	vec_free(&p.insns);
	return ret;
}

/* 0: there is none of that name. */
static unsigned option_of(const char *name)
{
	static const char *const names[] = { "rs", "cc", "ccommit", "cid", "vmid", "spec", "ete", "raw", "syncs", "two", "arm",
		"high", "user", "calm", "late", "texit", "dense", "steady" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return 1u << i;
	return 0;
}

int main(int argc, char **argv)
{
	struct request r = { .seed = 1, .most = 20000, .cid = 4242 };
	int o;

	while ((o = getopt(argc, argv, "s:n:o:l:c:t:")) > 0) {
		switch (o) {
		case 's':
			r.seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			r.most = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			if (!option_of(optarg))
				return error("unknown option '%s'", optarg), 2;
			r.options |= option_of(optarg);
			break;
		case 'l':
			r.log = optarg;
			break;
		case 'c':
			r.code = optarg;
			break;
		case 't':
			r.cid = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 1 || !r.log != !r.code)
		return 2;
	mkdir(argv[optind], 0777);
	return generate(argv[optind], &r) ? 1 : 0;
}
