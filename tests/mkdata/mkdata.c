/*
 * Text to perf.data: mkdata FILE.txt OUT.data
 *
 * A line is a directive; '#' begins a comment line, "## ..." ends the input (what follows is expected output).
 *
 *	attr NAME type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN read=ID period=1 FLAG... FLAG=1 ids=1,2
 *	feature hostname=vm | arch=x86_64 | cmdline=a,b | nrcpus=2 | osrelease= version= cpudesc= cpuid= boot= total_mem= |
 *		sockets=0,0,1,1 (of each CPU) | no-event_desc | clockid=RES | sample_time=FIRST-LAST |
 *		auxtrace (the index of the AUXTRACE records) | branch_stack | branches=N (that the processor has room for) |
 *		counters=BITS (of each count in brcntr=; with branches=) |
 *		tracing=SYSTEM:FORMATFILE,...
 *	comm 100/101 "demo" exec t=5 cpu=1          fork 101/101 parent=100/100 t=6        exit 101/101 t=9
 *	mmap 100/100 0x400000+0x1000@0 "/bin/demo" data mode=MODE (as a sample's)
 *	mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/bin/demo" dev=8:1 ino=7 | buildid=HEX
 *	sample 100/101 t=7 ip=0x400123 mode=user period=3 addr= cpu= event=NAME chain=user,0x1,kernel,0x2 raw=HEX
 *		stream= weight= data_src= txn= phys= cgroup= dpage= cpage= branch=FROM:TO:FLAGS,... uregs=A,B iregs=A,B
 *		stack=HEX read=V,V aux=HEX hw_idx=N (of the last branch) brcntr=N,... (a word of counts a branch)
 *	lost id=1 n=3   lost_samples n=3   throttle t= id=   unthrottle   switch in|out|preempt 100/100
 *	switch_cpu_wide out 100/100   aux [100/100] off=0 size=16 flags=1   itrace_start 100/100   cgroup 5 "/a"
 *	ksymbol 0xf000+0x10 "name" type=1   bpf type=1 flags=0 num=3 tag=HEX   namespaces 100/100 4:1,4:2
 *	deferred 100/101 cookie=7 chain=user,0x1
 *	text_poke 0xf000 old=HEX new=HEX   buildid 100 HEX "/bin/demo"   round   init
 *	raw type=200 misc=0 HEX      a record of its own
 *	bytes HEX                    anything, into the data as it is
 *
 *	repeat N ... end             the lines between, N times, themselves with more of the kind; in them {SUM} is a number, of
 *		decimal ones, i (which of the N; j, k of the next ones inside) and + - * / %, from left to right without precedence
 *
 * Whole file: `byteorder big`, `stream`, `unfinished` (a killed recorder's), `index` (as record's have), and last of all, to the
 * finished file: `cut SIZE` (negative: so much less), `damage OFFSET HEX` (negative: from the end), both in that order.
 * Any record takes t=, cpu=, event=NAME, id=N for its trailer and misc=N to be or'ed in.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/tracepoint/tracing_data.h"
#include "tests/lib/swap.h"
#include "tests/mkdata/line.h"
#include "tests/mkdata/repeat.h"

#define MISC_OUT PERF_RECORD_MISC_SWITCH_OUT

struct change { bool cut; long long at; char *hex; };

struct maker {
	struct event_table events;
	struct features features;
	struct buf data;
	bool big_endian, stream, unfinished, index;
	VEC(struct change) changes;
	VEC(char *) lines;		/* owned: changes point into them */
	uint64_t next_id;
};

static uint64_t context(const char *s, size_t n)
{
	static const struct { const char *name; int64_t marker; } names[] = {
		{ "hv", -32 }, { "kernel", -128 }, { "user", -512 }, { "guest", -2048 }, { "guest_kernel", -2176 },
		{ "guest_user", -2560 }, { "user_deferred", -640 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, s, n))
			return (uint64_t)names[i].marker;
	return 0;
}

/* ---- attrs ---- */

static uint64_t bit_of(const struct line *l, const char *const *names, unsigned nr, const char *s, size_t n)
{
	for (unsigned i = 0; i < nr; i++)
		if (names[i] && strlen(names[i]) == n && !memcmp(names[i], s, n))
			return 1ull << i;
	die("line %u: unknown '%.*s'", l->number, (int)n, s);
}

static uint64_t bits(const struct line *l, const char *key, const char *const *names, unsigned nr)
{
	const char *s = line_value(l, key);
	uint64_t v = 0;

	while (s && *s) {
		size_t n = strcspn(s, ",");

		v |= bit_of(l, names, nr, s, n);
		s += n + (s[n] != 0);
	}
	return v;
}

static const char *const sample_bits[] = {
	"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW", "BRANCH_STACK",
	"REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER", "TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX",
	"CGROUP", "DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "WEIGHT_STRUCT",
};
static const char *const read_bits[] = { "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST" };

static uint32_t type_of(const struct line *l)
{
	static const char *const types[] = { "hardware", "software", "tracepoint", "hw_cache", "raw", "breakpoint" };
	const char *s = line_value(l, "type");

	for (unsigned i = 0; s && i < ARRAY_SIZE(types); i++)
		if (str_eq(s, types[i]))
			return i;
	return s ? (uint32_t)strtoul(s, NULL, 0) : PERF_TYPE_SOFTWARE;
}

static void attr_flags(const struct line *l, struct event_attr *a)
{
#define FLAG(name) if (line_has(l, #name) || line_number(l, #name, 0)) a->name = 1
	FLAG(disabled); FLAG(inherit); FLAG(exclude_user); FLAG(exclude_kernel); FLAG(exclude_hv); FLAG(exclude_guest);
	FLAG(exclude_host); FLAG(mmap); FLAG(comm); FLAG(enable_on_exec); FLAG(task); FLAG(watermark); FLAG(mmap_data);
	FLAG(sample_id_all); FLAG(mmap2); FLAG(comm_exec); FLAG(context_switch); FLAG(write_backward); FLAG(namespaces);
	FLAG(ksymbol); FLAG(bpf_event); FLAG(aux_output); FLAG(cgroup); FLAG(text_poke); FLAG(build_id); FLAG(use_clockid);
	FLAG(defer_callchain); FLAG(defer_output);
#undef FLAG
}

static void attr_line(struct maker *m, const struct line *l)
{
	struct event_attr a = {
		.type = type_of(l), .size = ATTR_SIZE_VER7, .config = line_number(l, "config", 0),
		.sample_type = bits(l, "sample", sample_bits, ARRAY_SIZE(sample_bits)),
		.read_format = bits(l, "read", read_bits, ARRAY_SIZE(read_bits)),
		.sample_period = line_number(l, "period", 1), .bp_type = (uint32_t)line_number(l, "bp_type", 0),
		.bp_addr = line_number(l, "bp_addr", 0), .bp_len = line_number(l, "bp_len", 0),
		.branch_sample_type = line_number(l, "branch_type", 0), .sample_regs_user = line_number(l, "uregs", 0),
		.sample_regs_intr = line_number(l, "iregs", 0), .sample_stack_user = (uint32_t)line_number(l, "stack", 0),
		.clockid = (int32_t)line_number(l, "clockid", 0), .precise_ip = line_number(l, "precise", 0) & 3,
	};
	struct buf ids = {0};
	struct words w;
	struct event *ev;

	if (line_value(l, "freq")) {
		a.freq = 1;
		a.sample_freq = line_number(l, "freq", 0);
	}
	attr_flags(l, &a);
	ev = event_table_add(&m->events, &a);
	ev->name = xstrdup(line_word(l, 1));
	w = line_list(&ids, line_value(l, "ids"), NULL);
	for (uint64_t i = 0; i < w.nr; i++)
		event_table_add_id(&m->events, ev, words_at(&w, i));
	if (!w.nr)
		event_table_add_id(&m->events, ev, ++m->next_id);
	buf_release(&ids);
}

/* ---- features ---- */

static void text_feature(struct maker *m, const char *s, unsigned number_of, char **field)
{
	free(*field);
	*field = xstrdup(s);
	m->features.has[number_of] = true;
}

/* The descriptions of tracepoints: SYSTEM:FORMATFILE,... */
static void tracing_feature(struct maker *m, const struct line *l, const char *s)
{
	struct features *f = &m->features;
	VEC(struct trace_text) formats = {0};
	struct buf section = {0};

	for (const char *at = s; *at; at += *at == ',') {
		char *word = xstrndup(at, strcspn(at, ",")), *colon = strchr(word, ':');
		struct buf text = {0};

		if (!colon || read_file(colon + 1, &text))
			die("line %u: '%s' is no SYSTEM:FORMATFILE", l->number, word);
		*colon = '\0';
		vec_push(&formats, ((struct trace_text){ word, text.data, text.len }));
		at += strcspn(at, ",");
	}
	tracing_data_write(&(struct tracing_source){
		.formats = formats.v, .nr_formats = formats.nr, .header_page = "",
		.header_event = "", .printk_formats = "", .saved_cmdlines = "", .page_size = 4096 }, &section);
	f->tracing_data = section.data;
	f->tracing_data_size = section.len;
	f->has[FEATURE_TRACING_DATA] = true;
	vec_for(t, &formats) {
		free((char *)t->system);
		free((char *)t->text);
	}
	vec_free(&formats);
}

static void feature_line(struct maker *m, const struct line *l)
{
	struct features *f = &m->features;
	const struct { const char *key; unsigned number; char **field; } texts[] = {
		{ "hostname", FEATURE_HOSTNAME, &f->hostname }, { "osrelease", FEATURE_OSRELEASE, &f->osrelease },
		{ "version", FEATURE_VERSION, &f->version }, { "arch", FEATURE_ARCH, &f->arch },
		{ "cpudesc", FEATURE_CPUDESC, &f->cpudesc }, { "cpuid", FEATURE_CPUID, &f->cpuid },
		{ "boot", FEATURE_BOOT_ID, &f->boot_id },
	};
	const char *s;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if ((s = line_value(l, texts[i].key)))
			text_feature(m, s, texts[i].number, texts[i].field);
	if (line_value(l, "tracing"))
		tracing_feature(m, l, line_value(l, "tracing"));
	if (line_has(l, "no-event_desc"))
		f->has[FEATURE_EVENT_DESC] = false;
	if (line_has(l, "auxtrace"))
		f->has[FEATURE_AUXTRACE] = true;
	if (line_has(l, "branch_stack"))
		f->has[FEATURE_BRANCH_STACK] = true;
	if (line_value(l, "nrcpus")) {
		f->nr_cpus_avail = f->nr_cpus_online = (uint32_t)line_number(l, "nrcpus", 0);
		f->has[FEATURE_NRCPUS] = true;
	}
	for (s = line_value(l, "sockets"); s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		vec_push(&f->cpu_topology, ((struct feature_topology_cpu){ .socket = (uint32_t)strtoul(s, NULL, 0) }));
		f->nr_cpus_avail = f->nr_cpus_online = (uint32_t)f->cpu_topology.nr;
		f->has[FEATURE_NRCPUS] = f->has[FEATURE_CPU_TOPOLOGY] = true;
	}
	if (line_value(l, "branches")) {
		struct feature_pmu_caps caps = { .pmu = xstrdup("cpu") };

		vec_push(&caps.names, xstrdup("branches"));
		vec_push(&caps.values, xstrdup(line_value(l, "branches")));
		if (line_value(l, "counters")) {
			vec_push(&caps.names, xstrdup("branch_counter_width"));
			vec_push(&caps.values, xstrdup(line_value(l, "counters")));
		}
		vec_push(&f->pmu_caps, caps);
		f->has_cpu_caps = f->has[FEATURE_CPU_PMU_CAPS] = true;
	}
	if (line_value(l, "total_mem")) {
		f->total_mem_kb = line_number(l, "total_mem", 0);
		f->has[FEATURE_TOTAL_MEM] = true;
	}
	if (line_value(l, "clockid")) {
		f->clockid_res = line_number(l, "clockid", 0);
		f->has[FEATURE_CLOCKID] = true;
	}
	if ((s = line_value(l, "sample_time"))) {
		f->first_sample = strtoull(s, NULL, 0);
		f->last_sample = strtoull(strchr(s, '-') ? strchr(s, '-') + 1 : s, NULL, 0);
		f->has[FEATURE_SAMPLE_TIME] = true;
	}
	for (s = line_value(l, "cmdline"); s && *s; s += strcspn(s, ","), s += *s == ',') {
		vec_push(&f->cmdline, xstrndup(s, strcspn(s, ",")));
		f->has[FEATURE_CMDLINE] = true;
	}
}

/* ---- records ---- */

static struct event *event_of_line(struct maker *m, const struct line *l)
{
	const char *name = line_value(l, "event");

	if (!m->events.events.nr)
		die("line %u: a record before any attr", l->number);
	vec_for(ev, &m->events.events)
		if (!name || str_eq((*ev)->name, name))
			return *ev;
	die("line %u: no attr '%s'", l->number, name);
}

static void append(struct maker *m, const struct line *l, struct record *r)
{
	struct event *ev = m->events.events.nr || r->header.type < RECORD_HEADER_ATTR ? event_of_line(m, l) : NULL;

	r->header.misc |= (uint16_t)line_number(l, "misc", 0);
	r->id.time = line_number(l, "t", 0);
	r->id.cpu = (uint32_t)line_number(l, "cpu", 0);
	r->id.id = line_number(l, "id", ev && ev->ids.nr ? ev->ids.v[0] : 0);
	if (record_append(&m->data, ev ? &ev->layout : NULL, r))
		die("line %u: cannot write this record", l->number);
}

static void comm_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_COMM };

	line_task(l, 1, &r.comm.pid, &r.comm.tid);
	r.comm.comm = line_word(l, 2);
	r.header.misc = line_has(l, "exec") ? PERF_RECORD_MISC_COMM_EXEC : 0;
	r.id.pid = r.comm.pid;
	r.id.tid = r.comm.tid;
	append(m, l, &r);
}

static void task_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = str_eq(l->words[0], "fork") ? PERF_RECORD_FORK : PERF_RECORD_EXIT };
	const char *parent = line_value(l, "parent");

	line_task(l, 1, &r.task.pid, &r.task.tid);
	r.task.ppid = r.task.pid;
	r.task.ptid = r.task.pid;
	if (parent && sscanf(parent, "%u/%u", &r.task.ppid, &r.task.ptid) != 2)
		die("line %u: parent is a PID/TID", l->number);
	r.task.time = line_number(l, "t", 0);
	r.id.pid = r.task.pid;
	r.id.tid = r.task.tid;
	append(m, l, &r);
}

/* Of mode=; @other without it. */
static uint16_t cpumode(const struct line *l, uint16_t other)
{
	static const char *const modes[] = { "unknown", "kernel", "user", "hypervisor", "guest_kernel", "guest_user" };
	const char *s = line_value(l, "mode");

	for (uint16_t i = 0; s && i < ARRAY_SIZE(modes); i++)
		if (str_eq(modes[i], s))
			return i;
	return other;
}

static void mmap_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_MMAP };

	line_task(l, 1, &r.mmap.pid, &r.mmap.tid);
	line_range(l, 2, &r.mmap.addr, &r.mmap.len, &r.mmap.pgoff);
	r.mmap.filename = line_word(l, 3);
	r.header.misc = cpumode(l, r.mmap.pid == UINT32_MAX ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	if (line_has(l, "data"))
		r.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	r.id.pid = r.mmap.pid;
	r.id.tid = r.mmap.tid;
	append(m, l, &r);
}

static void build_id_of_line(const struct line *l, const char *hex, uint8_t *size, uint8_t bytes[BUILD_ID_MAX])
{
	struct buf b = {0};

	line_hex(l, &b, hex);
	*size = (uint8_t)MIN(b.len, BUILD_ID_MAX);
	memcpy(bytes, b.data, *size);
	buf_release(&b);
}

static void mmap2_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_MMAP2, .header.misc = PERF_RECORD_MISC_USER };
	const char *prot = line_word(l, 3), *dev = line_value(l, "dev"), *id = line_value(l, "buildid");

	line_task(l, 1, &r.mmap.pid, &r.mmap.tid);
	line_range(l, 2, &r.mmap.addr, &r.mmap.len, &r.mmap.pgoff);
	r.mmap.prot = (strchr(prot, 'r') ? PROT_READ : 0) | (strchr(prot, 'w') ? PROT_WRITE : 0) |
		      (strchr(prot, 'x') ? PROT_EXEC : 0);
	r.mmap.flags = strchr(prot, 's') ? MAP_SHARED : MAP_PRIVATE;
	r.mmap.filename = line_word(l, 4);
	r.mmap.ino = line_number(l, "ino", 0);
	if (dev && sscanf(dev, "%u:%u", &r.mmap.maj, &r.mmap.min) != 2)
		die("line %u: dev is a MAJOR:MINOR", l->number);
	if (id) {
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		build_id_of_line(l, id, &r.mmap.build_id_size, r.mmap.build_id);
	}
	r.id.pid = r.mmap.pid;
	r.id.tid = r.mmap.tid;
	append(m, l, &r);
}

static void sample_numbers(const struct line *l, const struct event *ev, struct sample *s)
{
	s->id = line_number(l, "id", ev->ids.nr ? ev->ids.v[0] : 0);
	s->ip = line_number(l, "ip", 0);
	s->time = line_number(l, "t", 0);
	s->addr = line_number(l, "addr", 0);
	s->stream_id = line_number(l, "stream", s->id);
	s->cpu = (uint32_t)line_number(l, "cpu", 0);
	s->period = line_number(l, "period", 1);
	s->weight = line_number(l, "weight", 0);
	s->data_src = line_number(l, "data_src", 0);
	s->transaction = line_number(l, "txn", 0);
	s->phys_addr = line_number(l, "phys", 0);
	s->cgroup = line_number(l, "cgroup", 0);
	s->data_page_size = line_number(l, "dpage", 0);
	s->code_page_size = line_number(l, "cpage", 0);
}

/* raw_size is such that the words after it are aligned, as the kernel has it. */
static void sample_bytes(const struct line *l, struct sample *s, struct buf *raw, struct buf *stack, struct buf *aux)
{
	line_hex(l, raw, line_value(l, "raw"));
	buf_fill(raw, '\0', round_up(raw->len + 4, 8) - 4 - raw->len);
	s->raw = raw->data;
	s->raw_size = (uint32_t)raw->len;
	line_hex(l, stack, line_value(l, "stack"));
	s->stack_dyn_size = stack->len;
	buf_fill(stack, '\0', round_up(stack->len, 8) - stack->len);
	s->stack = stack->data;
	s->stack_size = stack->len;
	line_hex(l, aux, line_value(l, "aux"));
	buf_fill(aux, '\0', round_up(aux->len, 8) - aux->len);
	s->aux = aux->data;
	s->aux_size = aux->len;
}

static void sample_line(struct maker *m, const struct line *l)
{
	struct event *ev = event_of_line(m, l);
	struct record r = { .header.type = PERF_RECORD_SAMPLE };
	struct buf bufs[9] = {0};
	struct sample *s = &r.sample;

	r.header.misc = cpumode(l, line_number(l, "ip", 0) >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	line_task(l, 1, &s->pid, &s->tid);
	sample_numbers(l, ev, s);
	s->chain = line_list(&bufs[0], line_value(l, "chain"), context);
	s->branches = line_list(&bufs[1], line_value(l, "branch"), NULL);
	s->branch_nr = s->branches.nr / 3;
	s->branch_counters = line_list(&bufs[8], line_value(l, "brcntr"), NULL);
	s->branch_hw_idx = line_number(l, "hw_idx", 0);
	s->user_regs = line_list(&bufs[2], line_value(l, "uregs"), NULL);
	s->user_abi = s->user_regs.nr ? line_number(l, "abi", PERF_SAMPLE_REGS_ABI_64) : 0;
	s->intr_regs = line_list(&bufs[3], line_value(l, "iregs"), NULL);
	s->intr_abi = s->intr_regs.nr ? line_number(l, "abi", PERF_SAMPLE_REGS_ABI_64) : 0;
	s->read = line_list(&bufs[4], line_value(l, "read"), NULL);
	s->read_nr = line_number(l, "nr", 1);
	sample_bytes(l, s, &bufs[5], &bufs[6], &bufs[7]);
	append(m, l, &r);
	for (size_t i = 0; i < ARRAY_SIZE(bufs); i++)
		buf_release(&bufs[i]);
}

static void lost_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_LOST };

	r.lost.id = line_number(l, "id", 0);
	r.lost.lost = line_number(l, "n", 1);
	append(m, l, &r);
}

static void lost_samples_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_LOST_SAMPLES };

	r.lost.lost = line_number(l, "n", 1);
	append(m, l, &r);
}

static void throttle_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = l->words[0][0] == 't' ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE };

	r.throttle.time = line_number(l, "t", 0);
	r.throttle.id = r.throttle.stream_id = line_number(l, "id", 1);
	append(m, l, &r);
}

static void switch_line(struct maker *m, const struct line *l)
{
	bool wide = str_eq(l->words[0], "switch_cpu_wide");
	struct record r = { .header.type = wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH };

	if (!str_eq(line_word(l, 1), "in"))
		r.header.misc = MISC_OUT | (str_eq(line_word(l, 1), "preempt") ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0);
	line_task(l, 2, &r.id.pid, &r.id.tid);
	if (wide)
		line_task(l, 3, &r.sw.next_prev_pid, &r.sw.next_prev_tid);
	append(m, l, &r);
}

static void aux_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_AUX };

	r.aux.offset = line_number(l, "off", 0);
	r.aux.size = line_number(l, "size", 0);
	r.aux.flags = line_number(l, "flags", 0);
	if (strchr(line_word(l, 1), '/'))
		line_task(l, 1, &r.id.pid, &r.id.tid);
	append(m, l, &r);
}

static void itrace_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_ITRACE_START };

	line_task(l, 1, &r.itrace.pid, &r.itrace.tid);
	r.id.pid = r.itrace.pid;
	r.id.tid = r.itrace.tid;
	append(m, l, &r);
}

static void cgroup_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_CGROUP };

	r.cgroup.id = strtoull(line_word(l, 1), NULL, 0);
	r.cgroup.path = line_word(l, 2);
	append(m, l, &r);
}

static void ksymbol_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_KSYMBOL };
	uint64_t len, offset;

	line_range(l, 1, &r.ksymbol.addr, &len, &offset);
	r.ksymbol.len = (uint32_t)len;
	r.ksymbol.name = line_word(l, 2);
	r.ksymbol.ksym_type = (uint16_t)line_number(l, "type", 1);
	r.ksymbol.flags = (uint16_t)line_number(l, "flags", 0);
	append(m, l, &r);
}

static void bpf_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_BPF_EVENT };
	struct buf tag = {0};

	r.bpf.bpf_type = (uint16_t)line_number(l, "type", 1);
	r.bpf.flags = (uint16_t)line_number(l, "flags", 0);
	r.bpf.id = (uint32_t)line_number(l, "num", 0);
	line_hex(l, &tag, line_value(l, "tag"));
	memcpy(r.bpf.tag, tag.data, MIN(tag.len, sizeof(r.bpf.tag)));
	buf_release(&tag);
	append(m, l, &r);
}

static void namespaces_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_NAMESPACES };
	struct buf b = {0};

	line_task(l, 1, &r.namespaces.pid, &r.namespaces.tid);
	r.namespaces.links = line_list(&b, line_word(l, 2), NULL);
	r.namespaces.nr = r.namespaces.links.nr / 2;
	r.id.pid = r.namespaces.pid;
	r.id.tid = r.namespaces.tid;
	append(m, l, &r);
	buf_release(&b);
}

static void deferred_line(struct maker *m, const struct line *l)
{
	struct record r = { .header = { .type = RECORD_CALLCHAIN_DEFERRED, .misc = PERF_RECORD_MISC_USER } };
	struct buf b = {0};

	line_task(l, 1, &r.id.pid, &r.id.tid);
	r.deferred.cookie = line_number(l, "cookie", 0);
	r.deferred.chain = line_list(&b, line_value(l, "chain"), context);
	append(m, l, &r);
	buf_release(&b);
}

static void text_poke_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = PERF_RECORD_TEXT_POKE };
	struct buf b = {0};

	r.text_poke.addr = strtoull(line_word(l, 1), NULL, 0);
	line_hex(l, &b, line_value(l, "old"));
	r.text_poke.old_len = (uint16_t)b.len;
	line_hex(l, &b, line_value(l, "new"));
	r.text_poke.new_len = (uint16_t)(b.len - r.text_poke.old_len);
	r.text_poke.bytes = b.data;
	append(m, l, &r);
	buf_release(&b);
}

static void buildid_line(struct maker *m, const struct line *l)
{
	struct record r = { .header = { .type = RECORD_BUILD_ID, .misc = RECORD_MISC_BUILD_ID_SIZE | PERF_RECORD_MISC_USER } };

	r.build_id.pid = (uint32_t)strtol(line_word(l, 1), NULL, 0);
	build_id_of_line(l, line_word(l, 2), &r.build_id.size, r.build_id.build_id);
	r.build_id.filename = line_word(l, 3);
	append(m, l, &r);
}

static void empty_line(struct maker *m, const struct line *l)
{
	struct record r = { .header.type = str_eq(l->words[0], "round") ? RECORD_FINISHED_ROUND : RECORD_FINISHED_INIT };

	append(m, l, &r);
}

static void raw_line(struct maker *m, const struct line *l)
{
	struct record_header h = { .type = (uint32_t)line_number(l, "type", 0), .misc = (uint16_t)line_number(l, "misc", 0) };
	struct buf body = {0};

	if (!strchr(line_word(l, l->nr - 1), '='))
		line_hex(l, &body, line_word(l, l->nr - 1));
	h.size = (uint16_t)(sizeof(h) + body.len);
	buf_put(&m->data, &h, sizeof(h));
	buf_put(&m->data, body.data, body.len);
	buf_release(&body);
}

/* ---- the whole file ---- */

static void bytes_line(struct maker *m, const struct line *l)
{
	line_hex(l, &m->data, line_word(l, 1));
}

static void byteorder_line(struct maker *m, const struct line *l)
{
	m->big_endian = str_eq(line_word(l, 1), "big");
}

static void stream_line(struct maker *m, const struct line *l)
{
	(void)l;
	m->stream = true;
}

static void unfinished_line(struct maker *m, const struct line *l)
{
	(void)l;
	m->unfinished = true;
}

static void index_line(struct maker *m, const struct line *l)
{
	(void)l;
	m->index = true;
}

static void cut_line(struct maker *m, const struct line *l)
{
	vec_push(&m->changes, (struct change){ .cut = true, .at = strtoll(line_word(l, 1), NULL, 0) });
}

static void damage_line(struct maker *m, const struct line *l)
{
	vec_push(&m->changes, (struct change){ .at = strtoll(line_word(l, 1), NULL, 0), .hex = l->words[line_word(l, 2) ? 2 : 0] });
}

static const struct {
	const char *name;
	void (*make)(struct maker *m, const struct line *l);
} directives[] = {
	{ "attr", attr_line }, { "feature", feature_line }, { "comm", comm_line }, { "fork", task_line },
	{ "exit", task_line }, { "mmap", mmap_line }, { "mmap2", mmap2_line }, { "sample", sample_line },
	{ "lost", lost_line }, { "lost_samples", lost_samples_line }, { "throttle", throttle_line },
	{ "unthrottle", throttle_line }, { "switch", switch_line }, { "switch_cpu_wide", switch_line },
	{ "aux", aux_line }, { "itrace_start", itrace_line }, { "cgroup", cgroup_line }, { "ksymbol", ksymbol_line },
	{ "bpf", bpf_line }, { "namespaces", namespaces_line }, { "text_poke", text_poke_line }, { "deferred", deferred_line },
	{ "buildid", buildid_line }, { "round", empty_line }, { "init", empty_line }, { "raw", raw_line },
	{ "bytes", bytes_line }, { "byteorder", byteorder_line }, { "stream", stream_line },
	{ "unfinished", unfinished_line }, { "index", index_line }, { "cut", cut_line }, { "damage", damage_line },
};

static void make_line(void *maker, const struct line *l)
{
	struct maker *m = maker;

	for (size_t i = 0; i < ARRAY_SIZE(directives); i++)
		if (str_eq(directives[i].name, l->words[0])) {
			directives[i].make(m, l);
			return;
		}
	die("line %u: unknown directive '%s'", l->number, l->words[0]);
}

static void read_text(struct maker *m, const char *path)
{
	FILE *f = fopen(path, "r");
	struct line l = {0};
	char *s = NULL;
	size_t cap = 0;

	if (!f)
		die("cannot open '%s': %s", path, strerror(errno));
	while (getline(&s, &cap, f) >= 0 && strncmp(s, "##", 2)) {
		char *copy = xstrdup(s);

		l.number++;
		copy[strcspn(copy, "\n")] = '\0';
		vec_push(&m->lines, copy);
		if (copy[0] == '#')
			continue;
		if (repeat_begins(copy)) {
			l.number += repeat_block(f, copy, l.number, make_line, m);
			continue;
		}
		line_split(&l, copy);
		if (l.nr)
			make_line(m, &l);
	}
	free(s);
	fclose(f);
}

/* @offset: of the data in the file. */
static void list_auxtrace(struct maker *m, uint64_t offset)
{
	struct record_header header;
	uint64_t payload;

	for (size_t at = 0; at + sizeof(header) <= m->data.len; at += header.size) {
		memcpy(&header, m->data.data + at, sizeof(header));
		if (header.size < sizeof(header))
			break;
		if (header.type != RECORD_AUXTRACE)
			continue;
		vec_push(&m->features.auxtrace, (struct feature_auxtrace_entry){ offset + at, header.size });
		memcpy(&payload, m->data.data + at + sizeof(header), sizeof(payload));
		at += payload;
	}
}

static void write_data(struct maker *m, const char *path)
{
	struct data_writer_opts opts = { .path = m->stream ? "-" : path, .index = m->index };
	struct data_writer *w;

	if (m->stream && (!freopen(path, "w", stdout)))
		die("cannot create '%s': %s", path, strerror(errno));
	opts.fd = m->stream ? 0 : open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (opts.fd < 0)
		die("cannot create '%s': %s", path, strerror(errno));
	if (data_writer_open(&w, &opts, &m->events) || data_writer_write_header(w, &m->features, &m->events))
		exit(1);
	if (m->features.has[FEATURE_AUXTRACE])
		list_auxtrace(m, data_writer_offset(w));
	if (data_writer_append(w, m->data.data, m->data.len))
		die("cannot write '%s'", path);
	if (!m->unfinished && data_writer_finish(w, &m->features, &m->events))
		exit(1);
	data_writer_close(w);
}

static void change(struct buf *b, const struct change *c)
{
	uint64_t at = (uint64_t)(c->at < 0 ? (long long)b->len + c->at : c->at);
	struct line l = {0};
	struct buf bytes = {0};

	if (at > b->len)
		die("offset %lld is behind the file's %zu bytes", c->at, b->len);
	if (c->cut)
		b->len = at;
	line_hex(&l, &bytes, c->hex);
	if (bytes.len > b->len - at)
		die("damage at %lld runs past the end", c->at);
	if (bytes.len)
		memcpy(b->data + at, bytes.data, bytes.len);
	buf_release(&bytes);
}

/* Changes the finished bytes. */
static void rework(struct maker *m, const char *path)
{
	struct buf b = {0};
	int fd;

	if (read_file(path, &b))
		die("cannot read '%s' back", path);
	if (m->big_endian)
		foreign_file((uint8_t *)b.data, b.len);
	vec_for(c, &m->changes)
		change(&b, c);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write_buf(fd, &b) || close(fd))
		die("cannot write '%s'", path);
	buf_release(&b);
}

int main(int argc, char **argv)
{
	struct maker m = {0};

	if (argc != 3)
		die("usage: mkdata FILE.txt OUT.data");
	m.features.has[FEATURE_EVENT_DESC] = true;
	read_text(&m, argv[1]);
	event_table_finish(&m.events);
	write_data(&m, argv[2]);
	rework(&m, argv[2]);
	vec_for(line, &m.lines)
		free(*line);
	vec_free(&m.lines);
	vec_free(&m.changes);
	buf_release(&m.data);
	features_release(&m.features);
	event_table_release(&m.events);
	return 0;
}
