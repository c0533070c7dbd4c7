/* Prints a perf_event_attr as perf does: attr_name() as the name of an event, attr_print() as a list of the fields that are set. */
#include "core/perfdata/attr.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>

#include "core/base/buf.h"

#define CACHE_IDS	7
#define CACHE_OPS	3
#define CACHE_RESULTS	2

const struct event_symbol event_symbols[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", "cpu-cycles" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, "bpf-output", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches", NULL },
};
const size_t nr_event_symbols = ARRAY_SIZE(event_symbols);

/* On machines with several kinds of CPU the upper half says which PMU counts (perf_event.h, PERF_PMU_TYPE_SHIFT). */
static uint64_t generic_config(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ? attr->config & UINT32_MAX : attr->config;
}

static const char *symbol_name(const struct event_attr *attr)
{
	for (size_t i = 0; i < nr_event_symbols; i++)
		if (event_symbols[i].type == attr->type && event_symbols[i].config == generic_config(attr))
			return event_symbols[i].name;
	return attr->type == PERF_TYPE_HARDWARE ? "unknown-hardware" : "unknown-software";
}

/* config = id | op << 8 | result << 16, perf_event_open(2). The name is that of an access ("loads") or miss ("load-misses"). */
static void cache_name(uint64_t config, struct buf *out)
{
	static const char *const ids[CACHE_IDS] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
	static const char *const ops[CACHE_OPS] = { "load", "store", "prefetch" };
	static const char *const accesses[CACHE_OPS] = { "loads", "stores", "prefetches" };
	uint8_t id = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (id >= CACHE_IDS)
		buf_puts(out, "unknown-ext-hardware-cache-type");
	else if (op >= CACHE_OPS)
		buf_puts(out, "unknown-ext-hardware-cache-op");
	else if (result >= CACHE_RESULTS)
		buf_puts(out, "unknown-ext-hardware-cache-result");
	else if (result)
		buf_printf(out, "%s-%s-misses", ids[id], ops[op]);
	else
		buf_printf(out, "%s-%s", ids[id], accesses[op]);
}

static void breakpoint_name(const struct event_attr *attr, struct buf *out)
{
	buf_printf(out, "mem:0x%" PRIx64 ":", attr->bp_addr);
	if (attr->bp_type & HW_BREAKPOINT_R)
		buf_putc(out, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		buf_putc(out, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		buf_putc(out, 'x');
}

/* Appends the levels, the precision, and host or guest. Levels, and host or guest, are only named if the event excludes others. */
static void modifiers(const struct event_attr *attr, struct buf *out)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	char text[16];
	size_t n = 0;

	if (levels && !attr->exclude_kernel)
		text[n++] = 'k';
	if (levels && !attr->exclude_user)
		text[n++] = 'u';
	if (levels && !attr->exclude_hv)
		text[n++] = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		text[n++] = 'p';
	if (attr->exclude_guest && !attr->exclude_host)
		text[n++] = 'H';
	if (attr->exclude_host && !attr->exclude_guest)
		text[n++] = 'G';
	if (n)
		buf_putc(out, ':');
	buf_put(out, text, n);
}

void attr_name(const struct event_attr *attr, struct buf *out)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_SOFTWARE:
		buf_puts(out, symbol_name(attr));
		break;
	case PERF_TYPE_HW_CACHE:
		cache_name(attr->config, out);
		break;
	case PERF_TYPE_RAW:
		buf_printf(out, "raw 0x%" PRIx64, attr->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(attr, out);
		break;
	case PERF_TYPE_TRACEPOINT:
		buf_puts(out, "unknown tracepoint");
		return;
	default:
		buf_printf(out, "unknown event PMU=%u config=%#" PRIx64, attr->type, attr->config);
		return;
	}
	modifiers(attr, out);
}

/* ---- the fields that are set ---- */

struct printer {
	struct buf *out;
	const char *separator;	/* between name and value */
	bool any;
};

static void begin(struct printer *p, const char *name)
{
	if (p->any)
		buf_puts(p->out, ", ");
	p->any = true;
	buf_puts(p->out, name);
	buf_puts(p->out, p->separator);
}

static void number(struct printer *p, const char *name, uint64_t v)
{
	if (!v)
		return;
	begin(p, name);
	buf_dec(p->out, v, 0);
}

static void hexadecimal(struct printer *p, const char *name, uint64_t v)
{
	if (!v)
		return;
	begin(p, name);
	buf_printf(p->out, "%#" PRIx64, v);
}

struct bit_name { uint64_t bit; const char *name; };

static void bits(struct printer *p, const char *name, uint64_t v, const struct bit_name *names, size_t nr)
{
	bool first = true;

	if (!v)
		return;
	begin(p, name);
	for (size_t i = 0; i < nr; i++) {
		if (!(v & names[i].bit))
			continue;
		if (!first)
			buf_putc(p->out, '|');
		first = false;
		buf_puts(p->out, names[i].name);
	}
}

/* The bits that perf prints, so that the lines are equal: TRANSACTION is not among them. */
static const struct bit_name sample_bits[] = {
	{ PERF_SAMPLE_IP, "IP" }, { PERF_SAMPLE_TID, "TID" }, { PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" }, { PERF_SAMPLE_READ, "READ" }, { PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" }, { PERF_SAMPLE_CPU, "CPU" }, { PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" }, { PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" }, { PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" }, { PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" }, { PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" }, { PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" }, { PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" }, { PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" }, { PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct bit_name read_bits[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" }, { PERF_FORMAT_GROUP, "GROUP" }, { PERF_FORMAT_LOST, "LOST" },
};

static const struct bit_name branch_bits[] = {
	{ 1 << 0, "USER" }, { 1 << 1, "KERNEL" }, { 1 << 2, "HV" }, { 1 << 3, "ANY" }, { 1 << 4, "ANY_CALL" },
	{ 1 << 5, "ANY_RETURN" }, { 1 << 6, "IND_CALL" }, { 1 << 7, "ABORT_TX" }, { 1 << 8, "IN_TX" },
	{ 1 << 9, "NO_TX" }, { 1 << 10, "COND" }, { 1 << 11, "CALL_STACK" }, { 1 << 12, "IND_JUMP" },
	{ 1 << 13, "CALL" }, { 1 << 14, "NO_FLAGS" }, { 1 << 15, "NO_CYCLES" }, { 1 << 16, "TYPE_SAVE" },
	{ 1 << 17, "HW_INDEX" }, { 1 << 18, "PRIV_SAVE" }, { 1 << 19, "COUNTERS" },
};

static void type_field(struct printer *p, uint32_t type)
{
	static const char *const names[] = { "HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW", "BREAKPOINT" };

	begin(p, "type");
	buf_dec(p->out, type, 0);
	if (type < ARRAY_SIZE(names))
		buf_printf(p->out, " (PERF_TYPE_%s)", names[type]);
}

static void cache_config(struct printer *p, uint64_t config)
{
	static const char *const ids[CACHE_IDS] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
	static const char *const ops[CACHE_OPS] = { "READ", "WRITE", "PREFETCH" };
	static const char *const results[CACHE_RESULTS] = { "ACCESS", "MISS" };
	uint8_t id = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (id < CACHE_IDS && op < CACHE_OPS && result < CACHE_RESULTS)
		buf_printf(p->out, " (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
			   results[result], ops[op], ids[id]);
}

static void config_field(struct printer *p, const struct event_attr *attr)
{
	static const char *const hw[] = {
		"CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES", "BRANCH_INSTRUCTIONS", "BRANCH_MISSES",
		"BUS_CYCLES", "STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES",
	};
	static const char *const sw[] = {
		"CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES", "CPU_MIGRATIONS", "PAGE_FAULTS_MIN",
		"PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY", "BPF_OUTPUT", "CGROUP_SWITCHES",
	};

	begin(p, "config");
	buf_printf(p->out, "%#" PRIx64, attr->config);
	if (attr->type == PERF_TYPE_HARDWARE && generic_config(attr) < ARRAY_SIZE(hw))
		buf_printf(p->out, " (PERF_COUNT_HW_%s)", hw[generic_config(attr)]);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < ARRAY_SIZE(sw))
		buf_printf(p->out, " (PERF_COUNT_SW_%s)", sw[attr->config]);
	if (attr->type == PERF_TYPE_HW_CACHE)
		cache_config(p, attr->config);
}

static void flag_fields(struct printer *p, const struct event_attr *a)
{
#define FLAG(name) number(p, #name, a->name)
	FLAG(disabled); FLAG(inherit); FLAG(pinned); FLAG(exclusive);
	FLAG(exclude_user); FLAG(exclude_kernel); FLAG(exclude_hv); FLAG(exclude_idle);
	FLAG(mmap); FLAG(comm); FLAG(freq); FLAG(inherit_stat); FLAG(enable_on_exec); FLAG(task); FLAG(watermark);
	FLAG(precise_ip); FLAG(mmap_data); FLAG(sample_id_all); FLAG(exclude_host); FLAG(exclude_guest);
	FLAG(exclude_callchain_kernel); FLAG(exclude_callchain_user); FLAG(mmap2); FLAG(comm_exec);
	FLAG(use_clockid); FLAG(context_switch); FLAG(write_backward); FLAG(namespaces); FLAG(ksymbol);
	FLAG(bpf_event); FLAG(aux_output); FLAG(cgroup); FLAG(text_poke); FLAG(build_id); FLAG(inherit_thread);
	FLAG(remove_on_exec); FLAG(sigtrap); FLAG(defer_callchain); FLAG(defer_output);
#undef FLAG
}

void attr_print(const struct event_attr *a, const char *separator, struct buf *out)
{
	struct printer p = { .out = out, .separator = separator };

	type_field(&p, a->type);
	number(&p, "size", a->size);
	config_field(&p, a);
	number(&p, "{ sample_period, sample_freq }", a->sample_period);
	bits(&p, "sample_type", a->sample_type, sample_bits, ARRAY_SIZE(sample_bits));
	bits(&p, "read_format", a->read_format, read_bits, ARRAY_SIZE(read_bits));
	flag_fields(&p, a);
	number(&p, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	number(&p, "bp_type", a->bp_type);
	hexadecimal(&p, "{ bp_addr, config1 }", a->bp_addr);
	hexadecimal(&p, "{ bp_len, config2 }", a->bp_len);
	bits(&p, "branch_sample_type", a->branch_sample_type, branch_bits, ARRAY_SIZE(branch_bits));
	hexadecimal(&p, "sample_regs_user", a->sample_regs_user);
	number(&p, "sample_stack_user", a->sample_stack_user);
	if (a->clockid) {
		begin(&p, "clockid");
		buf_int(out, a->clockid, 0);
	}
	hexadecimal(&p, "sample_regs_intr", a->sample_regs_intr);
	number(&p, "aux_watermark", a->aux_watermark);
	number(&p, "sample_max_stack", a->sample_max_stack);
	number(&p, "aux_sample_size", a->aux_sample_size);
	number(&p, "sig_data", a->sig_data);
	number(&p, "aux_start_paused", a->aux_action & AUX_ACTION_START_PAUSED);
	number(&p, "aux_pause", !!(a->aux_action & AUX_ACTION_PAUSE));
	number(&p, "aux_resume", !!(a->aux_action & AUX_ACTION_RESUME));
}
