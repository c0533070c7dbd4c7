/*
 * Traces of ARMv7's trace units: programs of A32 and T32 code are made up, walked through at random, and encoded as an ETMv3 or a
 * PTM would.
 *
 *	v7gen [-s SEED] [-n INSNS] [-o OPTION]... FOLDER
 *
 * writes FOLDER as a snapshot that cs_insn and OpenCSD's trc_pkt_lister read, and FOLDER/expected, one address a line. Options: ptm
 * (else an ETMv3), cc (cycle counts), rs (return stack), cid, wide (timestamps of 64 bits), binary (no Gray code), alt (branch
 * addresses of any length may have exceptions).
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/trace/cs_encode.h"
#include "tests/trace/cs_program.h"

enum option { PTM = 1, CC = 2, RS = 4, CID = 8, WIDE = 16, BINARY = 32, ALT = 64 };

#define TRACE_ID	0x10
#define STACK		8	/* of returns */

struct unit {
	struct cs_unit random;		/* its random numbers only */
	struct buf out;
	unsigned options;
	uint32_t atoms, nr_atoms;	/* not yet written, the oldest in bit 0 */
	uint64_t address;		/* the last, and its instruction set */
	bool thumb;
	uint64_t time, told_time;
	uint32_t cid;
};

struct walker {
	struct unit u;
	struct cs_program p;
	struct buf expected;
	size_t at, block;		/* instruction to come; the first since the last waypoint */
	VEC(size_t) calls;
	size_t returns[STACK];
	unsigned nr_returns;
	uint64_t nr, most;
};

static uint64_t below(struct unit *u, uint64_t n)
{
	return cs_unit_random(&u->random, n);
}

static void byte(struct unit *u, unsigned b)
{
	buf_putc(&u->out, (char)b);
}

static void fixed(struct unit *u, uint64_t v, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		byte(u, v >> 8 * i & 0xff);
}

/* ---- packets ---- */

static void ptm_cycles(struct unit *u, unsigned flags)
{
	uint32_t v = (uint32_t)below(u, below(u, 3) ? 16 : 100000), rest = v >> 4;

	byte(u, flags | (v & 15) << 2 | (rest ? 0x40 : 0));
	for (; rest; rest >>= 7)
		byte(u, (rest & 0x7f) | (rest >> 7 ? 0x80 : 0));
}

static void ptm_atoms(struct unit *u)
{
	static const uint8_t forms[] = { 0, 0x80, 0x88, 0x90, 0xa0, 0xc0 };

	while (u->nr_atoms) {
		unsigned most = 1 + (unsigned)below(u, 5), nr = u->options & CC ? 1 : MIN(u->nr_atoms, most), b = forms[nr];

		for (unsigned i = 0; i < nr; i++)
			b |= (u->atoms >> i & 1 ? 0u : 1u) << (nr - i);
		if (u->options & CC)
			ptm_cycles(u, 0x80 | (b & 2));
		else
			byte(u, b);
		u->atoms >>= nr;
		u->nr_atoms -= nr;
	}
}

/* Some E, and perhaps an N; or two of any kind. */
static void v3_atoms(struct unit *u)
{
	unsigned most = u->options & CC ? 7 : 15;

	while (u->nr_atoms) {
		unsigned e = (unsigned)__builtin_ctz(~u->atoms), n;

		e = MIN(MIN(e, u->nr_atoms), most);
		n = e < u->nr_atoms && !(u->atoms >> e & 1);
		if (u->nr_atoms >= 2 && e + n <= 2 && below(u, 2)) {
			byte(u, 0x82 | (u->atoms & 1 ? 0 : 8) | (u->atoms & 2 ? 0 : 4));
			e = 2, n = 0;
		} else {
			byte(u, 0x80 | e << 2 | n << 6);
		}
		u->atoms >>= e + n;
		u->nr_atoms -= e + n;
	}
}

static void flush(struct unit *u)
{
	(u->options & PTM ? ptm_atoms : v3_atoms)(u);
}

static void atom(struct unit *u, bool taken)
{
	u->atoms |= (uint32_t)taken << u->nr_atoms++;
	if (u->nr_atoms == 24)
		flush(u);
}

/* How many low bits of the address @nr bytes have; exceptions need room in the last of some. */
static unsigned bits_of(const struct unit *u, unsigned nr, bool thumb)
{
	bool six = u->options & (PTM | ALT) && nr > 1;

	return 7 * nr - six + !thumb;
}

/* The bytes of an address; @more: an exception follows. */
static void address(struct unit *u, uint64_t ip, bool thumb, bool more, bool waypoint)
{
	uint64_t v = thumb ? ip : ip >> 1;
	unsigned nr = 1 + more;

	while (nr < 5 && (thumb != u->thumb || (ip ^ u->address) >> bits_of(u, nr, thumb)))
		nr++;
	if (more && !(u->options & (PTM | ALT)))
		nr = 5;
	byte(u, (waypoint ? 0 : 1) | (v & 0x7e) | (nr > 1 ? 0x80 : 0));
	for (unsigned i = 1; i < MIN(nr, 4); i++)
		byte(u, i + 1 < nr ? (v >> 7 * i & 0x7f) | 0x80 :
		     u->options & (PTM | ALT) ? (v >> 7 * i & 0x3f) | (more ? 0x40u : 0) : v >> 7 * i & 0x7f);
	if (nr == 5)
		byte(u, (thumb ? 0x10 | (v >> 28 & 15) : 8 | (v >> 28 & 7)) | (more ? 0x40u : 0));
	u->address = ip;
	u->thumb = thumb;
}

static void branch(struct unit *u, const struct cs_code_insn *to)
{
	flush(u);
	address(u, to->ip, to->mode == 16, false, false);
	if (u->options & PTM && u->options & CC)
		ptm_cycles(u, 0);
}

static void exception(struct unit *u, const struct cs_code_insn *to, unsigned number, bool cancel)
{
	flush(u);
	address(u, to->ip, to->mode == 16, true, false);
	byte(u, 1 | number << 1 | (cancel ? 0x20 : 0));
	if (u->options & PTM && u->options & CC)
		ptm_cycles(u, 0);
}

static void isync(struct unit *u, const struct cs_code_insn *to, unsigned reason)
{
	bool ptm = u->options & PTM, cycles = !ptm && u->options & CC;

	flush(u);
	fixed(u, 0, 5);
	byte(u, 0x80);
	byte(u, cycles ? 0x70 : 8);
	if (cycles)
		byte(u, (unsigned)below(u, 128));
	if (!ptm && u->options & CID)
		fixed(u, u->cid, 4);
	if (ptm)
		fixed(u, to->ip | (to->mode == 16), 4);
	byte(u, 8 | reason << 5 | (ptm ? 1 : 0));
	if (!ptm)
		fixed(u, to->ip | (to->mode == 16), 4);
	if (ptm && reason && u->options & CC)
		ptm_cycles(u, 0);
	if (ptm && u->options & CID)
		fixed(u, u->cid, 4);
	u->address = to->ip;
	u->thumb = to->mode == 16;
}

static void timestamp(struct unit *u)
{
	unsigned most = u->options & WIDE ? 9 : 7, nr = 1;
	bool gray = u->options & PTM && !(u->options & BINARY);
	uint64_t before = gray ? u->told_time ^ u->told_time >> 1 : u->told_time;
	uint64_t v = gray ? u->time ^ u->time >> 1 : u->time, change = v ^ before;

	flush(u);
	byte(u, 0x42);
	while (nr < most && change >> 7 * nr)
		nr++;
	for (unsigned i = 0; i < nr; i++)
		byte(u, i + 1 < nr ? (v >> 7 * i & 0x7f) | 0x80 :
		     v >> 7 * i & (nr < most ? 0x7f : u->options & WIDE ? 0xff : 0x3f));
	if (u->options & PTM && u->options & CC)
		ptm_cycles(u, 0);
	u->told_time = u->time;
}

/* Packets without effect. */
static void nothing(struct unit *u)
{
	flush(u);
	switch (below(u, 4)) {
	case 0:
		byte(u, 0x0c);
		break;
	case 1:
		byte(u, 0x66);
		break;
	case 2:
		if (u->options & PTM || !(u->options & CC))
			byte(u, 0x76);
		else
			byte(u, 4), byte(u, (unsigned)below(u, 128));
		break;
	case 3:
		byte(u, 0x3c), byte(u, 7);
	}
}

/* ---- walking ---- */

static void executed(struct walker *w, size_t from, size_t to)
{
	for (; from < to; from++) {
		buf_hex(&w->expected, w->p.insns.v[from].ip, 0);
		buf_putc(&w->expected, '\n');
	}
}

static const struct cs_code_insn *here(const struct walker *w)
{
	return &w->p.insns.v[w->at];
}

/* Instructions since the last waypoint are known to have been executed by what comes. */
static void told(struct walker *w)
{
	if (w->u.options & PTM)
		executed(w, w->block, w->at);
	w->block = w->at;
}

static void interrupt(struct walker *w)
{
	bool ptm = w->u.options & PTM, cancel = !ptm && !below(&w->u, 4);
	static const uint8_t numbers[] = { 1, 2, 4, 9, 10, 11, 12, 13, 14, 15 };

	if (ptm && w->block != w->at) {
		const struct cs_code_insn *last = here(w) - 1;

		flush(&w->u);
		byte(&w->u, 0x72);
		address(&w->u, last->ip, last->mode == 16, false, true);
	}
	if (cancel)
		atom(&w->u, true);
	told(w);
	w->at = w->block = below(&w->u, w->p.insns.nr);
	exception(&w->u, here(w), numbers[below(&w->u, sizeof(numbers))], cancel);
}

/* Stops tracing for a while; a PTM does not trace instructions after the last waypoint. */
static void stop(struct walker *w)
{
	w->at = w->block = below(&w->u, w->p.insns.nr);
	w->nr_returns = 0;
	isync(&w->u, here(w), below(&w->u, 3) ? 1 : 2);
}

static void between(struct walker *w)
{
	bool ptm = w->u.options & PTM, at_waypoint = w->block == w->at;

	w->u.time += 1 + below(&w->u, 300);
	switch (below(&w->u, 150)) {
	case 0:
		timestamp(&w->u);
		break;
	case 1:
		nothing(&w->u);
		break;
	case 2:
	case 3:
		interrupt(w);
		break;
	case 4:
		if (!ptm || at_waypoint)
			isync(&w->u, here(w), 0);
		break;
	case 5:
		flush(&w->u);
		if (!ptm || at_waypoint)
			stop(w);
		break;
	case 6:
		if (w->u.options & CID) {
			flush(&w->u);
			w->u.cid += 256;
			byte(&w->u, 0x6e);
			fixed(&w->u, w->u.cid, 4);
		}
	}
}

static size_t target(struct walker *w, const struct cs_code_insn *in)
{
	size_t cut = w->p.switch_at, nr = w->p.insns.nr;

	if (in->kind == INSN_RET && w->calls.nr)
		return w->calls.v[--w->calls.nr];
	return below(&w->u, 2) ? below(&w->u, nr) : in->mode == 32 ? below(&w->u, cut) : cut + below(&w->u, nr - cut);
}

static void push(struct walker *w, size_t next)
{
	if (w->calls.nr < 1000)
		vec_push(&w->calls, next);
	if (!(w->u.options & RS))
		return;
	if (w->nr_returns == STACK)
		memmove(w->returns, w->returns + 1, --w->nr_returns * sizeof(*w->returns));
	w->returns[w->nr_returns++] = next;
}

/* To where the program cannot tell from its code. */
static void go_indirect(struct walker *w, const struct cs_code_insn *in)
{
	bool ptm = w->u.options & PTM;
	size_t next = w->at;

	w->at = target(w, in);
	if (in->kind == INSN_CALL_INDIRECT)
		push(w, next);
	if (w->nr_returns && w->returns[w->nr_returns - 1] == w->at) {
		w->nr_returns--;
		atom(&w->u, true);
		return;
	}
	if (!ptm)
		atom(&w->u, true);
	branch(&w->u, here(w));
}

static void go_direct(struct walker *w, const struct cs_code_insn *in)
{
	bool taken = in->kind != INSN_COND || below(&w->u, 3);

	atom(&w->u, taken);
	if (taken && (in->kind == INSN_CALL || in->kind == INSN_FAR_JUMP))
		push(w, w->at);
	if (taken && in->kind != INSN_ISB)
		w->at = in->to;
}

static void step(struct walker *w)
{
	const struct cs_code_insn *in = here(w);
	bool ptm = w->u.options & PTM;

	w->nr++;
	if (!ptm)
		executed(w, w->at, w->at + 1);
	w->at++;
	switch (in->kind) {
	case INSN_OTHER:
		if (!ptm)
			atom(&w->u, true);
		between(w);
		return;
	case INSN_RET: case INSN_JUMP_INDIRECT: case INSN_CALL_INDIRECT:
		told(w);
		go_indirect(w, in);
		break;
	default:
		told(w);
		go_direct(w, in);
	}
	w->block = w->at;
	between(w);
}

/* ---- files ---- */

static int save(const char *dir, const char *name, const char *data, size_t n)
{
	char path[4096];
	FILE *f;
	bool bad;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		return error("cannot write '%s'", path);
	bad = fwrite(data, 1, n, f) != n;
	return fclose(f) || bad ? error("cannot write '%s'", path) : 0;
}

static int save_text(const char *dir, const char *name, struct buf *b)
{
	int ret = save(dir, name, b->data, b->len);

	b->len = 0;
	return ret;
}

static int save_snapshot(const struct walker *w, const char *dir)
{
	unsigned o = w->u.options;
	struct buf b = {0};
	int ret;

	buf_printf(&b, "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n\n[trace]\n"
		   "metadata=trace.ini\n");
	ret = save_text(dir, "snapshot.ini", &b);
	buf_printf(&b, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n\n"
		   "[source_buffers]\nETM_0=ETB_0\n\n[core_trace_sources]\ncpu_0=ETM_0\n");
	ret = ret || save_text(dir, "trace.ini", &b);
	buf_printf(&b, "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A9\n\n[regs]\nR15=0\nR13=0\nCPSR=0\n\n[dump1]\n"
		   "file=code.bin\naddress=%#llx\nlength=%#zx\n", (unsigned long long)w->p.insns.v[0].ip, w->p.image.len);
	ret = ret || save_text(dir, "cpu_0.ini", &b);
	buf_printf(&b, "[device]\nname=ETM_0\nclass=trace_source\ntype=%s\n\n[regs]\nETMCR=%#x\nETMTRACEIDR=%#x\nETMCCER=%#x\n"
		   "ETMIDR=%#x\n", o & PTM ? "PTM1.1" : "ETM3.5",
		   (o & CC ? 1u << 12 : 0) | (o & RS ? 1u << 29 : 0) | (o & CID ? 3u << 14 : 0) | 1u << 28, TRACE_ID,
		   1u << 22 | 1u << 23 | 1u << 26 | (o & BINARY ? 1u << 28 : 0) | (o & WIDE ? 1u << 29 : 0),
		   o & PTM ? 0x411cf312 : 0x4100f250 | (o & ALT ? 1u << 20 : 0));
	ret = ret || save_text(dir, "etm_0.ini", &b);
	buf_release(&b);
	return ret;
}

static int generate(struct walker *w, const char *dir)
{
	struct cs_framed framed = { TRACE_ID, &w->u.out };
	struct buf trace = {0};
	int ret;

	cs_program_make(&w->p, &w->u.random, &(struct cs_program_form){ .arm = true }, 300 + below(&w->u, 2000));
	w->u.time = 1000000000000ull;
	w->u.cid = 4242 << 8 | 1;
	w->at = w->block = below(&w->u, w->p.insns.nr);
	isync(&w->u, here(w), 1);
	timestamp(&w->u);
	while (w->nr < w->most)
		step(w);
	flush(&w->u);
	cs_frames(&trace, &framed, 1, w->u.random.seed | 1, false);
	ret = save_snapshot(w, dir) || save(dir, "code.bin", w->p.image.data, w->p.image.len) ||
	      save(dir, "trace.bin", trace.data, trace.len) || save(dir, "expected", w->expected.data, w->expected.len);
	buf_release(&trace);
	return ret;
}

static unsigned option_of(const char *name)
{
	static const char *const names[] = { "ptm", "cc", "rs", "cid", "wide", "binary", "alt" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return 1u << i;
	return 0;
}

int main(int argc, char **argv)
{
	struct walker w = { .most = 20000 };
	uint64_t seed = 1;
	int o, ret;

	while ((o = getopt(argc, argv, "s:n:o:")) > 0) {
		switch (o) {
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': w.most = strtoull(optarg, NULL, 0); break;
		case 'o':
			if (!option_of(optarg))
				return error("unknown option '%s'", optarg), 2;
			w.u.options |= option_of(optarg);
			break;
		default: return 2;
		}
	}
	if (argc - optind != 1)
		return 2;
	w.u.random.seed = seed * 0x9e3779b97f4a7c15ull | 1;
	mkdir(argv[optind], 0777);
	ret = generate(&w, argv[optind]);
	buf_release(&w.u.out);
	buf_release(&w.expected);
	buf_release(&w.p.image);
	vec_free(&w.p.insns);
	vec_free(&w.calls);
	return ret ? 1 : 0;
}
