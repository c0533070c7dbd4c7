/*
 * Any bytes as the trace of a device, in a recording that is made around them: opened and decoded to samples with any --itrace,
 * as script and report do it. Every word of every sample is looked at, and several threads must find what one finds.
 * Runs: slow
 *
 *	byte 0	enum device, and << 2 how many threads
 *	byte 1	which letters of --itrace
 *	byte 2	period and depths
 *	byte 3	enum form
 *	byte 4	bytes of trace in an AUX record, times 16
 *	5 - 11	what the device was set to
 *	12	enum more
 *	13 - 15	what an ETMv3 or PTM was set to
 *
 */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "auxtrace/aux.h"
#include "auxtrace/synth.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/read/session.h"
#include "core/perfdata/abi.h"

#define HEADER	16	/* bytes of an input before the trace */
#define TYPE	9	/* of the device's PMU */
#define CODE_AT	0x400000
#define CODE	8192	/* bytes; the same again in the kernel's half for x86 */
#define NR_CPUS	2
#define NO_TID	UINT32_MAX

enum device { CS_ETM, ARM_SPE, INTEL_BTS, INTEL_PT };
enum form { OF_THREAD = 1, NO_TIMES = 2, SWITCHES = 4, CLOCK = 8, SNAPSHOT = 16, OTHERS = 32, SKIP = 64, DETAILS = 128 };

/*
 * Trace units of ARMv7; an address filter; another event's samples are in the trace (PEBS); parts repeat the second half of the
 * part before; parts are in another event's samples.
 */
enum more { V7 = 1, FILTER = 2, OUTPUT = 4, OVERLAP = 8, IN_SAMPLES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct recording {
	struct buf data;	/* the data section */
	const uint8_t *in;	/* HEADER bytes, and the trace */
	size_t size;
	uint64_t now;
};

/* ---- writing ---- */

static void u64(struct buf *b, uint64_t v)
{
	v = htole64(v);
	buf_put(b, (const char *)&v, 8);
}

static void u32(struct buf *b, uint32_t v)
{
	v = htole32(v);
	buf_put(b, (const char *)&v, 4);
}

static bool has(const struct recording *r, enum form form)
{
	return r->in[3] & form;
}

static bool has_more(const struct recording *r, enum more more)
{
	return r->in[12] & more;
}

static uint64_t sample_type(const struct recording *r)
{
	uint64_t time = has(r, NO_TIMES) ? 0 : PERF_SAMPLE_TIME;

	return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER | time;
}

/* A record of the kernel's, with who wrote it, when and where. */
static void kernel_record(struct recording *r, uint32_t type, uint16_t misc, const struct buf *body, uint32_t tid, uint32_t cpu)
{
	size_t trailer = 24 + (has(r, NO_TIMES) ? 0 : 8);
	uint16_t size = (uint16_t)(8 + body->len + trailer);

	u32(&r->data, type);
	buf_put(&r->data, (const char *)&misc, 2);
	buf_put(&r->data, (const char *)&size, 2);
	buf_put(&r->data, body->data, body->len);
	u32(&r->data, 100);
	u32(&r->data, tid);
	if (!has(r, NO_TIMES))
		u64(&r->data, r->now);
	u64(&r->data, cpu);
	u64(&r->data, 1);
	r->now += 100;
}

static void user_record(struct recording *r, uint32_t type, const struct buf *body)
{
	u32(&r->data, type);
	u32(&r->data, (uint32_t)(8 + body->len) << 16);
	buf_put(&r->data, body->data, body->len);
}

/* ---- the devices ---- */

/* ETMCR, ETMTRACEIDR, ETMCCER, ETMIDR of an ETMv3 or, by bit 7 of byte 15, a PTM. */
static void v7_words(struct buf *b, const struct recording *r, unsigned cpu)
{
	const uint8_t *set = r->in + 13;
	const uint64_t words[] = { 0x3030303030303030, cpu, 4, set[0] << 8 | (uint64_t)set[1] << 24, 0x10 + 2 * cpu,
		(uint64_t)(set[2] & 0x7f) << 22, set[2] & 0x80 ? 0x411cf312 : 0x4100f250 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		u64(b, words[i]);
}

static void cs_words(struct buf *b, const struct recording *r)
{
	const uint8_t *set = r->in + 5;
	bool ete = set[0] & 1, spec = set[0] & 2;

	u64(b, 1);
	u64(b, (uint64_t)TYPE << 32 | NR_CPUS);
	u64(b, has(r, SNAPSHOT));
	for (unsigned cpu = 0; cpu < NR_CPUS; cpu++) {
		if (has_more(r, V7)) {
			v7_words(b, r, cpu);
			continue;
		}
		u64(b, ete ? 0x5050505050505050 : 0x4040404040404040);
		u64(b, cpu);
		u64(b, (ete ? 8u : 7u) + has(r, CLOCK));
		u64(b, set[1] | (uint64_t)set[2] << 8);			/* TRCCONFIGR */
		u64(b, 0x10 + 2 * cpu);
		u64(b, 0x28000ea1 ^ ((uint64_t)set[3] << 24 | (set[4] & 0xf8)));	/* TRCIDR0 */
		u64(b, 0x4100f403 | (uint64_t)(set[5] & 15) << 4);
		u64(b, 0x1088);
		u64(b, spec ? set[6] : 0);
		u64(b, 0xcc);
		if (ete)
			u64(b, 0x47705a13 | (uint64_t)(set[5] & 3) << 16);
		if (has(r, CLOCK))
			u64(b, 1);
	}
}

static void pt_words(struct buf *b, const struct recording *r)
{
	/* The half of the code, as a filter: with a zero after it, in whole words. */
	static const char filter[24] = "filter 0x400000/0x1000";
	bool filters = has_more(r, FILTER);
	const uint64_t words[] = { TYPE, 10, 1024, 0, has(r, CLOCK), 1 << 10, 1 << 11, has(r, SWITCHES), has(r, SNAPSHOT),
		!has(r, OF_THREAD), 1 << 9, 0xf << 14, 168, 2, 1 << 1, 30, filters ? strlen(filter) : 0 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		u64(b, words[i]);
	if (filters)
		buf_put(b, filter, sizeof(filter));
	u64(b, r->in[5] & 1);
}

static void bts_words(struct buf *b, const struct recording *r)
{
	const uint64_t words[] = { TYPE, 10, 1024, 0, 1, has(r, SNAPSHOT) };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		u64(b, words[i]);
}

static void spe_words(struct buf *b, const struct recording *r)
{
	(void)r;
	u64(b, TYPE);
	u64(b, 1);
}

/* Numbers of the auxtrace types, and what describes the device (perf 6.1, util/auxtrace.h). */
static const struct { uint32_t type; void (*words)(struct buf *b, const struct recording *r); } devices[] = {
	[INTEL_PT] = { 1, pt_words }, [INTEL_BTS] = { 2, bts_words }, [CS_ETM] = { 3, cs_words }, [ARM_SPE] = { 4, spe_words },
};

static enum device device_of(const struct recording *r)
{
	return r->in[0] & 3;
}

/* ---- the records ---- */

static void add_info(struct recording *r)
{
	struct buf b = {0};

	if (has(r, CLOCK)) {
		for (int i = 0; i < 6; i++)
			u64(&b, i == 1);	/* shift 0, mult 1 and so on: ns are ticks */
		user_record(r, RECORD_TIME_CONV, &b);
		b.len = 0;
	}
	u32(&b, devices[device_of(r)].type);
	u32(&b, 0);
	devices[device_of(r)].words(&b, r);
	user_record(r, RECORD_AUXTRACE_INFO, &b);
	buf_release(&b);
}

static void add_map(struct recording *r, uint64_t at, uint16_t misc, const char *path)
{
	struct buf b = {0};

	u32(&b, 100);
	u32(&b, 101);
	u64(&b, at);
	u64(&b, CODE);
	u64(&b, 0);
	u64(&b, 0);
	u64(&b, 0);
	u64(&b, 0);
	u32(&b, 5);
	u32(&b, 2);
	buf_puts(&b, path);
	do
		buf_putc(&b, 0);
	while (b.len % 8);
	kernel_record(r, PERF_RECORD_MMAP2, misc, &b, 101, 0);
	buf_release(&b);
}

/* A thread comes or goes. */
static void add_switch(struct recording *r, uint32_t tid, uint32_t cpu, bool out)
{
	struct buf b = {0};

	kernel_record(r, PERF_RECORD_SWITCH, out ? PERF_RECORD_MISC_SWITCH_OUT : 0, &b, tid, cpu);
}

static void add_start(struct recording *r, uint32_t tid, uint32_t cpu)
{
	struct buf b = {0};

	u32(&b, 100);
	u32(&b, tid);
	kernel_record(r, PERF_RECORD_ITRACE_START, 0, &b, tid, cpu);
	buf_release(&b);
}

/* A part of the trace: what was written, who ran, and the bytes. */
static void add_part(struct recording *r, uint64_t offset, const uint8_t *p, size_t n, uint32_t tid, uint32_t cpu)
{
	struct buf b = {0};

	if (has(r, SWITCHES))
		add_switch(r, tid, cpu, false);
	u64(&b, offset);
	u64(&b, n);
	u64(&b, r->in[5] & 4 ? 0x100 : 0);	/* CoreSight without frames */
	kernel_record(r, PERF_RECORD_AUX, 0, &b, tid, cpu);
	if (has(r, SWITCHES))
		add_switch(r, tid, cpu, true);
	b.len = 0;
	u64(&b, n);
	u64(&b, offset);
	u64(&b, r->now);
	u32(&b, 0);
	u32(&b, has(r, OF_THREAD) ? tid : NO_TID);
	u32(&b, has(r, OF_THREAD) ? NO_TID : cpu);
	u32(&b, 0);
	user_record(r, RECORD_AUXTRACE, &b);
	buf_put(&r->data, (const char *)p, n);
	buf_release(&b);
}

/* A sample of another event, while the trace runs; @p: the trace in it. */
static void add_other(struct recording *r, uint32_t tid, uint32_t cpu, const uint8_t *p, size_t n)
{
	size_t padding = (8 - n % 8) % 8, more = (has(r, NO_TIMES) ? 0u : 8u) + (has_more(r, IN_SAMPLES) ? 8 + n + padding : 0);
	uint64_t time = r->now;

	u32(&r->data, PERF_RECORD_SAMPLE);
	u32(&r->data, PERF_RECORD_MISC_USER | (uint32_t)(8 + 32 + more) << 16);
	u64(&r->data, 2);
	u64(&r->data, CODE_AT + 16);
	u32(&r->data, 100);
	u32(&r->data, tid);
	if (!has(r, NO_TIMES))
		u64(&r->data, time);
	u64(&r->data, cpu);
	if (!has_more(r, IN_SAMPLES))
		return;
	u64(&r->data, n + padding);
	buf_put(&r->data, (const char *)p, n);
	buf_put(&r->data, "\0\0\0\0\0\0\0", padding);
	r->now += 100;
}

/* Parts go to two CPUs, or two threads, by turns of their own sizes. */
static void add_parts(struct recording *r)
{
	const uint8_t *p = r->in + HEADER, *end = r->in + r->size;
	size_t part = (r->in[4] ? r->in[4] : 256) * 16u;
	uint64_t offset[NR_CPUS] = {0};

	for (unsigned nr = 0; p < end; nr++) {
		unsigned which = device_of(r) != INTEL_BTS && r->in[5] & 8 ? nr % NR_CPUS : 0;
		size_t n = MIN(part, (size_t)(end - p));

		if (has_more(r, IN_SAMPLES))
			add_other(r, 101 + which, which, p, n);
		else
			add_part(r, offset[which], p, n, 101 + which, which);
		if (has(r, OTHERS))
			add_other(r, 101 + which, which, NULL, 0);
		if (has_more(r, OVERLAP) && p + n < end)
			n -= n / 2;
		offset[which] += n;
		p += n;
	}
}

static void add_attr(struct buf *out, const struct recording *r, uint32_t type)
{
	struct buf b = {0};

	u32(&b, type);
	u32(&b, 128);
	u64(&b, type == TYPE ? 0x2000u | 1u << 10 | (uint64_t)r->in[6] << 4 : 0);
	u64(&b, 1);
	u64(&b, sample_type(r) | (type != TYPE && has_more(r, IN_SAMPLES) ? PERF_SAMPLE_AUX : 0));
	u64(&b, 0);
	u64(&b, 1ull << 18 | (type != TYPE && has_more(r, OUTPUT) ? 1ull << 31 : 0));	/* sample_id_all, aux_output */
	while (b.len < 128)
		buf_putc(&b, 0);
	buf_put(out, b.data, b.len);
	buf_release(&b);
}

/* The file: a header, two attrs and their ids, the records. */
static void write_file(struct buf *out, const struct recording *r)
{
	const uint64_t header[] = { 104, 144, 104, 2 * 144, 104 + 2 * 144 + 16, r->data.len, 0, 0, 0, 0, 0, 0 };

	buf_puts(out, "PERFILE2");
	for (size_t i = 0; i < ARRAY_SIZE(header); i++)
		u64(out, header[i]);
	for (unsigned i = 0; i < 2; i++) {
		add_attr(out, r, i ? PERF_TYPE_SOFTWARE : TYPE);
		u64(out, 104 + 2 * 144 + 8 * i);
		u64(out, 8);
	}
	u64(out, 1);
	u64(out, 2);
	buf_put(out, r->data.data, r->data.len);
}

static void make(struct buf *out, const uint8_t *in, size_t size, const char *code)
{
	struct recording r = { .in = in, .size = size, .now = 1000 };

	add_info(&r);
	add_map(&r, CODE_AT, PERF_RECORD_MISC_USER, code);
	add_start(&r, 101, 0);
	add_parts(&r);
	write_file(out, &r);
	buf_release(&r.data);
}

/* ---- the code ---- */

/* Much that branches, of the device's machine. */
static void write_code(uint8_t *code, bool x86)
{
	static const uint32_t arm[] = { 0x14000004, 0x54000061, 0x94000010, 0xd65f03c0, 0xd61f0200, 0xd503201f, 0x17fffff0,
		0xd5033fdf, 0xd4000001, 0xd69f03e0 };
	static const char *const intel[] = { "\xe8\x10\0\0\0\x90", "\x74\x09\x90\x90\x90\x90", "\xc3\x90\x90\x90\x90\x90",
		"\xeb\xf0\x90\x90\x90\x90", "\xff\xe0\x90\x90\x90\x90", "\xff\xd0\x90\x90\x90\x90", "\x0f\x05\x90\x90\x90\x90",
		"\xe8\xf5\xff\xff\xff\x90", "\xf3\x0f\xae\xe0\x90\x90", "\x48\x89\xc0\x90\x90\x90" };

	for (size_t i = 0; i + 6 <= CODE; i += x86 ? 6 : 4) {
		uint64_t which = hash_u64(i) % 10;
		uint32_t word = htole32(arm[which]);

		memcpy(code + i, x86 ? (const void *)intel[which] : &word, x86 ? 6 : 4);
	}
}

/* Two files that live as long as the program: mapped by each recording. Returns its path. */
static const char *code_file(bool x86, char *path, size_t size)
{
	static int fds[2] = { -1, -1 };

	if (fds[x86] < 0) {
		uint8_t code[CODE] = {0};

		write_code(code, x86);
		fds[x86] = memfd_create("code", MFD_CLOEXEC);
		if (fds[x86] < 0 || write_all(fds[x86], code, sizeof(code)))
			abort();
	}
	snprintf(path, size, "/proc/self/fd/%d", fds[x86]);
	return path;
}

/* ---- decoding ---- */

static uint64_t mix(uint64_t hash, const struct words *words)
{
	for (uint64_t i = 0; i < words->nr; i++)
		hash = hash_pair(hash, words_at(words, i));
	return hash;
}

/* A line a sample: what there is of it. */
static void print(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct sample *s = item->sample;

	(void)worker;
	(void)ctx;
	if (item->record->header.type == RECORD_AUXTRACE_ERROR)
		buf_printf(&out->buf, "%s\n", item->record->auxtrace_error.msg);
	if (!s || !item->event)
		return;
	buf_printf(&out->buf, "%llx %llx %u %u %llu %llu ", (unsigned long long)s->ip, (unsigned long long)s->addr, s->pid, s->tid,
		   (unsigned long long)s->time, (unsigned long long)s->period);
	buf_printf(&out->buf, "%x %u %u %llx %llx\n", s->flags, s->insn_size, item->cpumode,
		   (unsigned long long)mix(mix(0, &s->chain), &s->branches),
		   (unsigned long long)(s->insn_cnt ^ s->cyc_cnt << 20));
}

struct sums { uint64_t nr; };

static void add_sample(void *worker, void *ctx, const struct item *item)
{
	struct sums *sums = worker;

	(void)ctx;
	sums->nr += 1 + (mix(0, &item->sample->chain) & mix(0, &item->sample->branches) & 1);
}

static void merge(void *worker, void *ctx)
{
	((struct sums *)ctx)->nr += ((struct sums *)worker)->nr;
}

static void parse_letters(struct itrace_opts *o, const uint8_t *in)
{
	static const char *const letters[8] = { "b", "cr", "e", "g", "l", "xwpoI", "GL", "q" };
	static const char *const periods[8] = { "i1i", "i7i", "i100i", "i0ns", "i100ns", "y100i", "i3ty", "" };
	static const char *const more[8] = { "", "Z", "A", "T", "fmMta", "e+o", "qq", "ZT" };
	char text[64];
	int n;

	n = snprintf(text, sizeof(text), "%s%s", periods[in[2] & 7], more[in[2] >> 3 & 7]);
	for (int i = 0; i < 8; i++)
		if (in[1] >> i & 1)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", letters[i]);
	if (in[2] >> 6)
		snprintf(text + n, sizeof(text) - (size_t)n, "g%ul%u", 2u * (in[2] >> 6), in[2] >> 6);
	itrace_parse(o, n ? text : NULL);
	/* Options that these would refuse altogether. */
	if ((in[0] & 3) == ARM_SPE || (in[0] & 3) == INTEL_BTS)
		o->chain = o->add_chain = false;
	if ((in[0] & 3) == INTEL_BTS)
		o->last_branch = o->add_last_branch = false;
	o->skip = in[3] & SKIP ? 5 : 0;
	o->depth = o->flags = o->ipc = in[3] & DETAILS;
}

/* @fd: for output. A failed open is fine. */
static void decode(const char *path, const struct itrace_opts *o, unsigned jobs, int fd)
{
	static const struct sample_pass sum = { .worker_size = sizeof(struct sums), .sample = add_sample, .merge = merge };
	static const struct ordered_pass lines = { .item = print };
	const struct aux_window all = {0};
	struct findings found = {0};
	struct sums sums = {0};
	struct session *s;

	if (session_open(&s, path, &(struct session_opts){ .jobs = jobs }))
		return;
	if (!aux_attach(NULL, s, o, !o->given, &all)) {
		session_ordered(s, &lines, NULL, fd);
		session_samples(s, &sum, &sums);
		session_findings(s, &found);
	}
	findings_release(&found);
	session_close(s);
}

static int new_file(char *path, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

static void same_text(int a, int b)
{
	struct buf x = {0}, y = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", a);
	read_file(path, &x);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", b);
	read_file(path, &y);
	if (x.len != y.len || (x.len && memcmp(x.data, y.data, x.len)))
		abort();
	buf_release(&x);
	buf_release(&y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct itrace_opts opts = {0};
	struct buf file = {0};
	char path[32], code[32], ignored[32];
	int fd, one, many;

	if (n < HEADER || n > 1 << 14)
		return 0;
	log_set_level(-1);
	parse_letters(&opts, data);
	make(&file, data, n, code_file((data[0] & 3) >= INTEL_BTS, code, sizeof(code)));
	fd = new_file(path, sizeof(path));
	if (write_all(fd, file.data, file.len))
		abort();
	one = new_file(ignored, sizeof(ignored));
	many = new_file(ignored, sizeof(ignored));
	decode(path, &opts, 1, one);
	decode(path, &opts, 2 + (data[0] >> 2 & 7), many);
	same_text(one, many);
	buf_release(&file);
	close(fd);
	close(one);
	close(many);
	return 0;
}
