/*
 * Prints the "# ..." lines of --header: the offsets of a perf.data's parts, then its feature sections, with one function for each
 * section.
 */
#include "core/perfdata/feature.h"

#include <inttypes.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/event_table.h"

#define NS	((uint64_t)1000000000)
#define END	"# ========\n#\n"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

#define MAY_IGNORE __attribute__((unused))
#define PRINT(name) \
	static void name(const struct features *f MAY_IGNORE, const struct event_table *events MAY_IGNORE, struct buf *out)

PRINT(hostname) { buf_printf(out, "# hostname : %s\n", or_empty(f->hostname)); }
PRINT(archive)
{
	buf_printf(out, "# archive : names, lines and what else was looked up, %" PRIu64 " bytes\n", f->archive_size);
}

PRINT(boot_id) { buf_printf(out, "# boot id : %s\n", or_empty(f->boot_id)); }
PRINT(osrelease) { buf_printf(out, "# os release : %s\n", or_empty(f->osrelease)); }
PRINT(perf_version) { buf_printf(out, "# perf version : %s\n", or_empty(f->version)); }
PRINT(arch_name) { buf_printf(out, "# arch : %s\n", or_empty(f->arch)); }
PRINT(cpudesc) { buf_printf(out, "# cpudesc : %s\n", or_empty(f->cpudesc)); }
PRINT(cpuid) { buf_printf(out, "# cpuid : %s\n", or_empty(f->cpuid)); }
PRINT(total_mem) { buf_printf(out, "# total memory : %" PRIu64 " kB\n", f->total_mem_kb); }
PRINT(branch_stack) { buf_puts(out, "# contains samples with branch stack\n"); }
PRINT(auxtrace) { buf_puts(out, "# contains AUX area data (e.g. instruction trace)\n"); }
PRINT(stat) { buf_puts(out, "# contains stat data\n"); }
PRINT(clockid) { buf_printf(out, "# clockid frequency: %" PRIu64 " MHz\n", f->clockid_res * 1000); }
PRINT(dir_format) { buf_printf(out, "# directory data version : %" PRIu64 "\n", f->dir_version); }
PRINT(e_machine) { buf_printf(out, "# e_machine : %u\n#   e_flags : %u\n", f->e_machine, f->e_flags); }
PRINT(cache_line) { buf_printf(out, "# cacheline size: %u\n", f->cache_line_size); }
PRINT(bpf_prog_info) { feature_bpf_programs_print(&f->bpf, out); }
PRINT(bpf_btf) { feature_bpf_btf_print(&f->bpf, out); }

static void put_place(int32_t cpu, int32_t tid, struct buf *out)
{
	if (cpu >= 0)
		buf_printf(out, "CPU %d", cpu);
	else
		buf_printf(out, "thread %d", tid);
}

PRINT(losses)
{
	const struct feature_losses *l = &f->losses;

	vec_for(loss, &l->by_event) {
		buf_printf(out, "# lost of %s on ", loss->event < events->events.nr ? events->events.v[loss->event]->name : "?");
		put_place(loss->cpu, loss->tid, out);
		buf_printf(out, " : %" PRIu64 "\n", loss->lost);
	}
	buf_printf(out, "# gaps : %" PRIu64 ", together %.3f ms\n", l->nr_gaps, (double)l->gap_ns / 1e6);
	vec_for(gap, &l->gaps) {
		buf_puts(out, "# gap on ");
		put_place(gap->cpu, gap->tid, out);
		buf_printf(out, " from %.6f to %.6f s : %" PRIu64 " records\n", (double)gap->from / 1e9, (double)gap->to / 1e9,
			   gap->lost);
	}
	if (l->nr_gaps > l->gaps.nr)
		buf_printf(out, "# and %" PRIu64 " gaps more\n", l->nr_gaps - l->gaps.nr);
}

PRINT(triggers)
{
	const struct feature_triggers *t = &f->triggers;

	buf_printf(out, "# triggers : %" PRIu64 " seen, %" PRIu64 " dumped, %" PRIu64 " missed until this file ended\n", t->seen,
		   t->dumped, t->missed);
	vec_for(d, &t->dumps) {
		buf_printf(out, "# dump for : %s", d->text ? d->text : "?");
		if (d->time)
			buf_printf(out, " of thread %d/%d at %.9f s", d->pid, d->tid, (double)d->time / 1e9);
		if (t->after_ns)
			buf_printf(out, ", and %.3f ms after it", (double)t->after_ns / 1e6);
		buf_putc(out, '\n');
	}
}

PRINT(descriptors)
{
	size_t nr = 0;

	vec_for(d, &f->descriptors)
		nr += d->name && *d->name;
	buf_printf(out, "# descriptors : %zu names, %" PRIu64 " left out\n", nr, f->descriptors_left_out);
}

PRINT(found)
{
	vec_for(found, &f->found) {
		buf_printf(out, "# found : %s, %" PRIu64, found->name ? found->name : "?", found->count);
		if (found->of)
			buf_printf(out, " of %" PRIu64, found->of);
		if (found->where && *found->where)
			buf_printf(out, ", %s", found->where);
		buf_putc(out, '\n');
	}
}

PRINT(python)
{
	buf_printf(out, "# code of Python : %" PRIu64 " bytes\n", f->python.size);
}

PRINT(java)
{
	buf_printf(out, "# code of Java : %" PRIu64 " bytes\n", f->java.size);
}

PRINT(jit_maps)
{
	vec_for(map, &f->jit_maps)
		buf_printf(out, "# code made at run time : /tmp/perf-%" PRIu64 ".map, %" PRIu64 " bytes\n", map->pid, map->size);
}

/* Prints the figures of the recorder, as if all samples that it wrote were in the file. */
PRINT(balance)
{
	const struct feature_coverage *b = &f->coverage;
	struct coverage shares;

	if (coverage_of(&shares, b, b->samples)) {
		buf_puts(out, "# balance : ");
		coverage_put(&shares, out);
		buf_putc(out, '\n');
	}
	buf_printf(out, "# recorder : %.3f s CPU in %.3f s up to its header, ", (double)b->recorder_ns / 1e9,
		   (double)b->wall_ns / 1e9);
	buf_printf(out, "woken up %" PRIu64 " times, %" PRIu64 " bytes of data\n", b->wakeups, b->bytes);
}

PRINT(nrcpus)
{
	buf_printf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n", f->nr_cpus_online, f->nr_cpus_avail);
}

PRINT(cmdline)
{
	buf_puts(out, "# cmdline : ");
	vec_for(arg, &f->cmdline) {
		for (const char *c = or_empty(*arg); *c; c++) {
			if (*c == '\'')
				buf_putc(out, '\\');
			buf_putc(out, *c);
		}
		buf_putc(out, ' ');
	}
	buf_putc(out, '\n');
}

PRINT(event_desc)
{
	vec_for(i, &events->events) {
		const struct event *ev = *i;

		buf_printf(out, "# event : name = %s, ", or_empty(ev->name));
		for (size_t k = 0; k < ev->ids.nr; k++)
			buf_printf(out, "%s%" PRIu64, k ? ", " : ", id = { ", ev->ids.v[k]);
		buf_puts(out, ev->ids.nr ? " }, " : ", ");
		attr_print(&ev->attr, " = ", out);
		buf_putc(out, '\n');
	}
}

PRINT(cpu_topology)
{
	vec_for(s, &f->core_siblings)
		buf_printf(out, "# sibling sockets : %s\n", or_empty(*s));
	vec_for(s, &f->die_siblings)
		buf_printf(out, "# sibling dies    : %s\n", or_empty(*s));
	vec_for(s, &f->thread_siblings)
		buf_printf(out, "# sibling threads : %s\n", or_empty(*s));
	if (!f->cpu_topology.nr)
		buf_puts(out, "# Core ID and Socket ID information is not available\n");
	for (size_t i = 0; i < f->cpu_topology.nr; i++) {
		const struct feature_topology_cpu *c = &f->cpu_topology.v[i];

		buf_printf(out, "# CPU %zu: Core ID %d, ", i, (int)c->core);
		if (f->has_dies)
			buf_printf(out, "Die ID %d, ", (int)c->die);
		buf_printf(out, "Socket ID %d\n", (int)c->socket);
	}
}

PRINT(numa_topology)
{
	vec_for(n, &f->numa)
		buf_printf(out, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n# node%u cpu list : %s\n",
			   n->node, n->mem_total_kb, n->mem_free_kb, n->node, or_empty(n->cpus));
}

PRINT(pmu_mappings)
{
	if (!f->pmus.nr) {
		buf_puts(out, "# pmu mappings: not available\n");
		return;
	}
	vec_for(p, &f->pmus)
		buf_printf(out, "%s%s = %u", p == f->pmus.v ? "# pmu mappings: " : ", ", or_empty(p->name), p->type);
	buf_putc(out, '\n');
}

static void group_line(const struct event_table *events, uint32_t leader, uint32_t nr, const char *name, struct buf *out)
{
	buf_printf(out, "# group: %s{", name && !str_eq(name, "{anon_group}") ? name : "");
	for (uint32_t i = 0; i < nr && leader + i < events->events.nr; i++)
		buf_printf(out, "%s%s", i ? "," : "", or_empty(events->events.v[leader + i]->name));
	buf_puts(out, "}\n");
}

PRINT(group_desc)
{
	vec_for(g, &f->groups)
		if (g->leader < events->events.nr)
			group_line(events, g->leader, g->nr_members, g->name, out);
}

PRINT(cache)
{
	buf_puts(out, "# CPU cache info:\n");
	vec_for(c, &f->caches)
		buf_printf(out, "#  L%u %-15s %8s [%s]\n", c->level, or_empty(c->type), or_empty(c->size), or_empty(c->map));
}

static void seconds(const char *what, uint64_t ns, struct buf *out)
{
	buf_printf(out, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n", what, ns / NS, ns % NS / 1000);
}

PRINT(sample_time)
{
	double ms = (double)(int64_t)(f->last_sample - f->first_sample) / 1e6;

	seconds("first", f->first_sample, out);
	seconds("last", f->last_sample, out);
	buf_printf(out, "# sample duration : %10.3f ms\n", ms);
}

static bool bit(const struct feature_mem_node *n, uint64_t i)
{
	return i < n->nr_bits && n->bits.v[i / 64] >> i % 64 & 1;
}

/* Prints the numbers of the bits that are set, as ranges. */
static void bit_ranges(const struct feature_mem_node *n, struct buf *out)
{
	const char *separator = "";

	for (uint64_t i = 0, end; i < n->nr_bits; i++) {
		if (!bit(n, i))
			continue;
		for (end = i; bit(n, end + 1); end++)
			;
		buf_printf(out, "%s%" PRIu64, separator, i);
		if (end > i)
			buf_printf(out, "-%" PRIu64, end);
		separator = ",";
		i = end;
	}
}

/* Prints a size in whole units of one letter, at least 2 of them: "1536M", "2G". */
static void rounded_size(uint64_t bytes, struct buf *out)
{
	const char *unit = "BKMG";

	for (; bytes / 1024 > 1 && unit[1]; unit++)
		bytes /= 1024;
	buf_printf(out, "%" PRIu64 "%c", bytes, *unit);
}

PRINT(mem_topology)
{
	buf_printf(out, "# memory nodes (nr %zu, block size 0x%" PRIx64 "):\n", f->mem_nodes.nr, f->mem_block_size);
	vec_for(n, &f->mem_nodes) {
		uint64_t blocks = 0;

		vec_for(word, &n->bits)
			blocks += (uint64_t)__builtin_popcountll(*word);
		buf_printf(out, "#  %3" PRIu64 " [", n->node);
		rounded_size(blocks * f->mem_block_size, out);
		buf_puts(out, "]: ");
		bit_ranges(n, out);
		buf_putc(out, '\n');
	}
}

PRINT(compressed)
{
	buf_printf(out, "# compressed : %s, level = %u, ratio = %u\n", f->comp_type == 1 ? "Zstd" : "Unknown", f->comp_level,
		   f->comp_ratio);
}

static void caps_line(const struct feature_pmu_caps *c, struct buf *out)
{
	if (!c->names.nr) {
		buf_printf(out, "# %s pmu capabilities: not available\n", or_empty(c->pmu));
		return;
	}
	buf_printf(out, "# %s pmu capabilities: ", or_empty(c->pmu));
	for (size_t i = 0; i < c->names.nr; i++)
		buf_printf(out, "%s%s=%s", i ? ", " : "", or_empty(c->names.v[i]), or_empty(c->values.v[i]));
	buf_putc(out, '\n');
}

PRINT(cpu_pmu_caps)
{
	if (f->has_cpu_caps)
		caps_line(&f->pmu_caps.v[0], out);
}

PRINT(pmu_caps)
{
	for (size_t i = f->has_cpu_caps; i < f->pmu_caps.nr; i++)
		caps_line(&f->pmu_caps.v[i], out);
}

/* The CLOCK_* numbers of linux/time.h. */
static const char *clock_name(uint32_t id)
{
	switch (id) {
	case 0: return "realtime";
	case 1: return "monotonic";
	case 4: return "monotonic_raw";
	case 7: return "boottime";
	case 11: return "tai";
	}
	return "unknown";
}

PRINT(clock_data)
{
	time_t wall = (time_t)(f->clock_wall_ns / NS);
	const char *name = clock_name(f->clock_id);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&wall, &tm))
		strftime(text, sizeof(text), "%F %H:%M:%S", &tm);
	buf_printf(out, "# clockid: %s (%u)\n# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
		   ".%09" PRIu64 " (%s)\n", name, f->clock_id, text, f->clock_wall_ns % NS / 1000, f->clock_wall_ns / NS,
		   f->clock_wall_ns % NS / 1000, f->clockid_time_ns / NS, f->clockid_time_ns % NS, name);
}

PRINT(off_cpu)
{
	static const char *const ways[] = {
		[OFF_CPU_TRACEPOINTS] = "context switches and wake-ups, tracepoints with call chains",
		[OFF_CPU_EVENT] = "context switches, software event with call chains",
		[OFF_CPU_RECORDS] = "context switches, records without call chains",
	};

	buf_printf(out, "# off-CPU time : %s\n", f->off_cpu && f->off_cpu < ARRAY_SIZE(ways) ? ways[f->off_cpu] : "unknown way");
}

PRINT(hybrid_topology)
{
	buf_puts(out, "# hybrid cpu system:\n");
	vec_for(h, &f->hybrid)
		buf_printf(out, "# %s cpu list : %s\n", or_empty(h->pmu), or_empty(h->cpus));
}

static const struct {
	void (*print)(const struct features *f, const struct event_table *events, struct buf *out);
	bool only_full;
} printers[] = {
	[FEATURE_HOSTNAME]		= { hostname, false },
	[FEATURE_OSRELEASE]		= { osrelease, false },
	[FEATURE_VERSION]		= { perf_version, false },
	[FEATURE_ARCH]			= { arch_name, false },
	[FEATURE_NRCPUS]		= { nrcpus, false },
	[FEATURE_CPUDESC]		= { cpudesc, false },
	[FEATURE_CPUID]			= { cpuid, false },
	[FEATURE_TOTAL_MEM]		= { total_mem, false },
	[FEATURE_CMDLINE]		= { cmdline, false },
	[FEATURE_EVENT_DESC]		= { event_desc, false },
	[FEATURE_CPU_TOPOLOGY]		= { cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY]		= { numa_topology, true },
	[FEATURE_BRANCH_STACK]		= { branch_stack, false },
	[FEATURE_PMU_MAPPINGS]		= { pmu_mappings, false },
	[FEATURE_GROUP_DESC]		= { group_desc, false },
	[FEATURE_AUXTRACE]		= { auxtrace, false },
	[FEATURE_STAT]			= { stat, false },
	[FEATURE_CACHE]			= { cache, true },
	[FEATURE_SAMPLE_TIME]		= { sample_time, false },
	[FEATURE_MEM_TOPOLOGY]		= { mem_topology, true },
	[FEATURE_CLOCKID]		= { clockid, false },
	[FEATURE_DIR_FORMAT]		= { dir_format, false },
	[FEATURE_BPF_PROG_INFO]		= { bpf_prog_info, false },
	[FEATURE_BPF_BTF]		= { bpf_btf, false },
	[FEATURE_COMPRESSED]		= { compressed, false },
	[FEATURE_CPU_PMU_CAPS]		= { cpu_pmu_caps, false },
	[FEATURE_CLOCK_DATA]		= { clock_data, false },
	[FEATURE_HYBRID_TOPOLOGY]	= { hybrid_topology, true },
	[FEATURE_PMU_CAPS]		= { pmu_caps, false },
	[FEATURE_E_MACHINE]		= { e_machine, false },
	[FEATURE_CLN_SIZE]		= { cache_line, false },
	[FEATURE_LOSSES]		= { losses, false },
	[FEATURE_BALANCE]		= { balance, false },
	[FEATURE_OFF_CPU]		= { off_cpu, false },
	[FEATURE_BOOT_ID]		= { boot_id, false },
	[FEATURE_ARCHIVE]		= { archive, false },
	[FEATURE_TRIGGERS]		= { triggers, false },
	[FEATURE_DESCRIPTORS]		= { descriptors, false },
	[FEATURE_FOUND]			= { found, false },
	[FEATURE_JIT_MAPS]		= { jit_maps, false },
	[FEATURE_PYTHON]		= { python, false },
	[FEATURE_JAVA]			= { java, false },
};

void feature_print(unsigned number, const struct features *f, const struct event_table *events, bool full, struct buf *out)
{
	if (number >= ARRAY_SIZE(printers) || !printers[number].print)
		return;
	if (printers[number].only_full && !full)
		buf_printf(out, "# %s info available, use -I to display\n", feature_name(number));
	else
		printers[number].print(f, events, out);
}

static void print_missing(const struct features *f, struct buf *out)
{
	buf_puts(out, "# missing features: ");
	for (unsigned i = FEATURE_TRACING_DATA; i < FEATURE_MAX; i++)
		if (feature_name(i) && !f->has[i])
			buf_printf(out, "%s ", feature_name(i));
	buf_putc(out, '\n');
}

void data_file_print_header(const struct data_file *df, const struct event_table *events, const struct features *f,
			    bool full, struct buf *out)
{
	time_t recorded = df->mtime;
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&recorded, &tm))
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	buf_printf(out, "# ========\n# captured on    : %s\n# header version : %d\n# data offset    : %" PRIu64 "\n"
		   "# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n", text, df->v1 ? 0 : 1,
		   df->stream ? 0 : df->data_offset, df->stream ? 0 : df->promised_size,
		   df->stream ? 0 : df->data_offset + df->promised_size);
	if (df->stream)		/* the sections of a stream are records, which perf prints later, when it reads them */
		buf_puts(out, END);
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		if (f->has[i])
			feature_print(i, f, events, full, out);
	if (!df->stream) {
		print_missing(f, out);
		buf_puts(out, END);
	}
}
