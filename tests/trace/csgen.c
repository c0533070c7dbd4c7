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
 *
 *	csgen -u CPUS -l LOG [-l LOG]... -c CODE [-s SEED] [-t CONTEXT] [-o OPTION]... FOLDER
 *
 * makes traces of so many CPUs, user space alone: threads, of contexts CONTEXT, CONTEXT + 1..., which run what their LOGs say in
 * slices of about 300 instructions, each time on the CPU before. It writes FOLDER/cpu_N.bin (from 0), the registers of its unit,
 * and FOLDER/thread_N.times, the time of each instruction that the thread ran; where its log ends it stops.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arm64/insn.h"
#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/trace/cs_walk.h"

/* --- A log --------------------------------------------------------------------------------- */

#define LOG_BASE	0x400000

struct log {
	const char *path;
	FILE *file;
	uint64_t size;		/* of the code */
	bool bad;
};

/* Returns false at the end, or after a reported error. */
static bool next_ip(struct log *l, uint64_t *ip)
{
	char line[32];

	if (l->bad || !fgets(line, sizeof(line), l->file))
		return false;
	*ip = strtoull(line, NULL, 16);
	l->bad = *ip < LOG_BASE || *ip - LOG_BASE + 4 > l->size;
	return !l->bad || (error("no code at %.*s of '%s'", (int)strcspn(line, "\n"), line, l->path), false);
}

/* Replays the instructions since the last element. */
static void replay_block(struct cs_walk *w, const uint64_t *ips, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_push(&w->ips, ips[i]);
}

/* An interrupt, whose handler is not traced: it returns to @to, where tracing begins again. */
static void replay_interrupt(struct cs_walk *w, uint64_t to)
{
	cs_unit_exception(&w->u, 14, to, 0, false);
	cs_unit_trace_on(&w->u);
	cs_unit_address(&w->u, to, 0, true);
}

/* An instruction at @ip made an element; @to came next. */
static void replay_branch(struct cs_walk *w, const struct insn *in, uint64_t ip, uint64_t to)
{
	/* A branch to the next instruction counts as taken if it can only be so. */
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

static bool is_branch(struct insn *in, const struct cs_walk *w, uint64_t ip)
{
	arm_insn_read(in, (const uint8_t *)w->p->image.data + (ip - LOG_BASE), 4, 64);
	return in->kind != INSN_OTHER && in->kind != INSN_FAR_CALL && !(in->detail & ARM_WAIT);
}

/* A trace ends with the last element: instructions after it have no successor and are left out. */
static void replay(struct cs_walk *w, struct log *l, uint64_t ip)
{
	VEC(uint64_t) block = { 0 };	/* instructions that are in no element yet */
	uint64_t to;

	cs_unit_sync(&w->u);
	cs_unit_trace_on(&w->u);
	cs_unit_address(&w->u, ip, 0, true);
	for (; next_ip(l, &to); ip = to) {
		bool interrupt = !w->calm && !cs_unit_random(&w->u, 2000), branches;
		struct insn in;

		vec_push(&block, ip);
		branches = is_branch(&in, w, ip);
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

/* --- Threads on several CPUs ----------------------------------------------------------------- */

#define SLICE	300u			/* instructions, about */
#define AWAY	2000u			/* ns in the kernel between two slices */
#define MOST_CPUS 8u

struct runner {				/* a thread */
	struct log log;
	uint64_t ip;			/* comes next */
	uint32_t cid;
	bool done;
	struct buf times;
};

static void run_slice(struct cs_walk *w, struct runner *t)
{
	uint64_t most = SLICE / 2 + cs_unit_random(&w->u, SLICE), to;
	struct insn in;

	w->u.time += AWAY;
	w->u.cid = t->cid;
	cs_unit_sync(&w->u);
	cs_unit_time(&w->u);
	cs_unit_trace_on(&w->u);
	cs_unit_address(&w->u, t->ip, 0, true);
	while (most-- && !(t->done = !next_ip(&t->log, &to))) {
		buf_dec(&t->times, w->u.time, 0);
		buf_putc(&t->times, '\n');
		if (is_branch(&in, w, t->ip))
			replay_branch(w, &in, t->ip, to);
		t->ip = to;
	}
	cs_unit_exception(&w->u, 14, t->ip, 0, false);
	cs_unit_time(&w->u);
	cs_unit_flush(&w->u);
}

/* Each CPU runs one thread; then all clocks are the same. Returns false when all threads are done. */
static bool run_round(struct cs_walk *cpus, unsigned nr_cpus, struct runner *threads, size_t nr, size_t round)
{
	uint64_t latest = 0;
	bool more = false;

	for (size_t cpu = 0; cpu < nr_cpus && cpu < nr; cpu++) {
		struct runner *t = &threads[(cpu + round * (nr - 1)) % nr];

		if (!t->done)
			run_slice(&cpus[cpu], t);
		latest = MAX(latest, cpus[cpu].u.time);
	}
	for (size_t cpu = 0; cpu < nr_cpus; cpu++)
		cpus[cpu].u.time = latest;
	for (size_t i = 0; i < nr; i++)
		more |= !threads[i].done;
	return more;
}

static int replay_log(struct cs_walk *w, const char *path)
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
	bool two = options & CS_TWO;
	struct buf b = { 0 };
	int ret;

	buf_printf(&b, "[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n\n[regs]\nPC(size:64)=0\nSP(size:64)=0\n"
		   "SCTLR_EL1=0\nCPSR=0\n\n[dump1]\nfile=code.bin\naddress=%#llx\nlength=%#zx\n",
		   (unsigned long long)p->insns.v[0].ip, p->image.len);
	ret = save(dir, "cpu_0.ini", &b);
	b.len = 0;
	buf_printf(&b, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=%s\n\n"
		   "[source_buffers]\nETM_0=ETB_0\n%s\n[core_trace_sources]\ncpu_0=ETM_0\n%s",
		   options & CS_RAW ? "source_data" : "coresight", two ? "ETM_1=ETB_0\n" : "", two ? "cpu_0=ETM_1\n" : "");
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
	VEC(const char *) logs;		/* all of them */
	unsigned cpus;			/* 0: the first log alone, as one unit's trace */
	uint64_t seed, most;
	unsigned options;
	uint32_t cid;			/* of context */
};

static void walk(struct cs_walk *w, uint64_t most)
{
	cs_walk_begin(w);
	while (w->nr_insns < most)
		cs_walk_step(w);
	cs_unit_flush(&w->u);
}

static int generate(const char *dir, const struct request *req)
{
	struct cs_walk w[2] = { 0 };
	struct cs_framed framed[2];
	struct buf trace = { 0 }, expected = { 0 }, sums = { 0 };
	unsigned options = req->options;
	uint64_t seed = req->seed;
	struct cs_registers r;
	struct cs_program p;
	unsigned nr = options & CS_TWO ? 2 : 1;
	int ret = 0;

	w[0].u.seed = seed * 0x9e3779b97f4a7c15ull | 1;
	if (req->log)
		ret = load_program(&p, req->code);
	else
		cs_program_make(&p, &w[0].u, &(struct cs_program_form){ options & CS_ARM, options & CS_HIGH, options & CS_TEXIT },
				300 + cs_unit_random(&w[0].u, 3000));
	for (unsigned i = 0; i < nr; i++) {
		unsigned id = 0x10 + 2 * i;

		cs_options_registers(&r, options, id);
		ret = ret || save_source(dir, i, &r);
		cs_walk_init(&w[i], &p, options, id, (seed + i) * 0xd6e8feb86659fd93ull, req->cid);
		if (!req->log)
			walk(&w[i], req->most);
		else if (!ret)
			ret = replay_log(&w[i], req->log);
		vec_for(ip, &w[i].ips) {
			buf_hex(&expected, *ip, 0);
			buf_putc(&expected, '\n');
		}
		buf_printf(&sums, "%llu %llu\n", (unsigned long long)w[i].u.cycles, (unsigned long long)w[i].u.told_time);
		framed[i] = (struct cs_framed){ (uint8_t)id, &w[i].u.out };
	}
	if (options & CS_RAW)
		buf_put(&trace, w[0].u.out.data, w[0].u.out.len);
	else
		cs_frames(&trace, framed, nr, seed | 1, options & CS_SYNCS);
	ret = ret || save_snapshot(dir, &p, &trace, options) || save(dir, "expected", &expected) ||
	      save(dir, "sums", &sums);
	for (unsigned i = 0; i < nr; i++)
		cs_walk_release(&w[i]);
	buf_release(&trace);
	buf_release(&expected);
	buf_release(&sums);
	buf_release(&p.image);
	vec_free(&p.insns);
	return ret;
}

static int open_thread(struct runner *t, const char *path, uint32_t cid, uint64_t size)
{
	*t = (struct runner){ .log = { .path = path, .file = fopen(path, "r"), .size = size }, .cid = cid };
	if (!t->log.file)
		return error("cannot read '%s'", path);
	t->done = !next_ip(&t->log, &t->ip);
	return t->log.bad ? -1 : 0;
}

static int save_cpu(const char *dir, unsigned n, const struct cs_walk *w, const struct request *req)
{
	unsigned id = 0x10 + 2 * n;
	struct cs_framed framed = { (uint8_t)id, &w->u.out };
	struct cs_registers r;
	struct buf trace = { 0 };
	char name[32];
	int ret;

	cs_options_registers(&r, req->options, id);
	cs_frames(&trace, &framed, 1, (req->seed + n) | 1, false);
	snprintf(name, sizeof(name), "cpu_%u.bin", n);
	ret = save(dir, name, &trace) || save_source(dir, n, &r);
	buf_release(&trace);
	return ret;
}

static int close_thread(const char *dir, size_t n, struct runner *t)
{
	char name[48];
	int ret;

	snprintf(name, sizeof(name), "thread_%zu.times", n);
	ret = t->log.bad ? -1 : save(dir, name, &t->times);
	if (t->log.file)
		fclose(t->log.file);
	buf_release(&t->times);
	return ret;
}

static int generate_cpus(const char *dir, const struct request *req)
{
	struct runner *threads = xcalloc(req->logs.nr, sizeof(*threads));
	struct cs_walk cpus[MOST_CPUS] = { 0 };
	struct cs_program p;
	int ret = load_program(&p, req->code);

	for (size_t i = 0; i < req->logs.nr; i++)
		ret = ret || open_thread(&threads[i], req->logs.v[i], req->cid + (uint32_t)i, p.image.len);
	for (unsigned i = 0; i < req->cpus; i++)
		cs_walk_init(&cpus[i], &p, req->options, 0x10 + 2 * i, (req->seed + i) * 0xd6e8feb86659fd93ull, 0);
	for (size_t round = 0; !ret && run_round(cpus, req->cpus, threads, req->logs.nr, round);)
		round++;
	for (unsigned i = 0; i < req->cpus; i++) {
		/* Somebody else would come next. */
		cs_unit_trace_on(&cpus[i].u);
		ret = ret || save_cpu(dir, i, &cpus[i], req);
		cs_walk_release(&cpus[i]);
	}
	for (size_t i = 0; i < req->logs.nr; i++)
		ret |= close_thread(dir, i, &threads[i]);
	free(threads);
	buf_release(&p.image);
	vec_free(&p.insns);
	return ret;
}

int main(int argc, char **argv)
{
	struct request r = { .seed = 1, .most = 20000, .cid = 4242 };
	int o;

	while ((o = getopt(argc, argv, "s:n:o:l:c:t:u:")) > 0) {
		switch (o) {
		case 's':
			r.seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			r.most = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			if (!cs_option(optarg))
				return error("unknown option '%s'", optarg), 2;
			r.options |= cs_option(optarg);
			break;
		case 'l':
			r.log = optarg;
			vec_push(&r.logs, optarg);
			break;
		case 'c':
			r.code = optarg;
			break;
		case 't':
			r.cid = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'u':
			r.cpus = (unsigned)strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 1 || !r.log != !r.code || r.cpus > MOST_CPUS || (r.cpus ? !r.log : r.logs.nr > 1))
		return 2;
	mkdir(argv[optind], 0777);
	o = r.cpus ? generate_cpus(argv[optind], &r) : generate(argv[optind], &r);
	vec_free(&r.logs);
	return o ? 1 : 0;
}
