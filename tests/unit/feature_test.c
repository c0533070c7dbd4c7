/*
 * Sections: a file's worth of features comes back from its bytes, in both byte orders where the assembler knows
 * them; random bytes are refused or accepted, never followed out of their buffer; the printed lines.
 */
#include "core/perfdata/feature.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/wire.h"
#include "core/perfdata/event_table.h"
#include "tests/unit/check.h"

#define ROUNDS	40000
#define ROOM	800

static void random_sections(uint64_t *state)
{
	uint64_t accepted = 0;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned number = (unsigned)random_below(state, FEATURE_MAX + 2);
		size_t n = random_below(state, ROOM);
		uint8_t *p = xmalloc(n + 1), *again = xmalloc(2 * ROOM + 4096);
		struct wire r = wire_reader(p, n), size = { .mode = WIRE_SIZE }, w;
		struct features f = {0};
		struct event_table t = {0};
		struct buf out = {0};

		random_bytes(state, p, n);
		if (number == FEATURE_CACHE || number == FEATURE_MEM_TOPOLOGY || number == FEATURE_CLOCK_DATA)
			memcpy(p, "\1\0\0\0\0\0\0\0", MIN(n, 8));	/* the version, or nothing is reached */
		r.swap = random_below(state, 4) == 0;
		if (!feature_pass(&r, number, &f, &t)) {
			accepted++;
			CHECK((f.has[number] || !n) && feature_name(number), "section %u", number);
			event_table_finish(&t);
			if (f.has[number] && !feature_pass(&size, number, &f, &t) && size.size <= 2 * ROOM + 4096) {
				w = wire_writer(again, size.size);
				CHECK(!feature_pass(&w, number, &f, &t) && w.size == size.size, "section %u", number);
			}
		}
		event_table_finish(&t);
		feature_print(number, &f, &t, true, &out);
		buf_release(&out);
		features_release(&f);
		event_table_release(&t);
		free(p);
		free(again);
	}
	CHECK(accepted > ROUNDS / 10, "%" PRIu64, accepted);
}

static void fill(struct features *f)
{
	struct feature_mem_node node = { .node = 0, .nr_bits = 70 };
	struct feature_pmu_caps cpu = { .pmu = xstrdup("cpu") }, atom = { .pmu = xstrdup("cpu_atom") };

	f->hostname = xstrdup("vm");
	f->osrelease = xstrdup("6.18.44");
	f->arch = xstrdup("x86_64");
	f->boot_id = xstrdup("8a1b");
	f->nr_cpus_avail = 4;
	f->nr_cpus_online = 2;
	f->total_mem_kb = 24684084;
	vec_push(&f->cmdline, xstrdup("prec"));
	vec_push(&f->cmdline, xstrdup("it's"));
	vec_push(&f->build_ids, (struct feature_build_id){ 2, -1, { 3, { 1, 2, 3 } }, xstrdup("/bin/demo") });
	vec_push(&f->core_siblings, xstrdup("0-1"));
	vec_push(&f->thread_siblings, xstrdup("0"));
	for (uint32_t i = 0; i < 4; i++)
		vec_push(&f->cpu_topology, (struct feature_topology_cpu){ i, 1, 0 });
	vec_push(&f->numa, (struct feature_node){ 0, 1000, 900, xstrdup("0-1") });
	vec_push(&f->pmus, (struct feature_pmu){ 1, xstrdup("software") });
	vec_push(&f->pmus, (struct feature_pmu){ 8, xstrdup("uprobe") });
	vec_push(&f->auxtrace, (struct feature_auxtrace_entry){ 4096, 64 });
	vec_push(&f->caches, (struct feature_cache){ 1, 64, 64, 8, xstrdup("Data"), xstrdup("48K"), xstrdup("0") });
	f->first_sample = 1745422033000;
	f->last_sample = 1745422952000;
	f->mem_block_size = 0x8000000;
	vec_push(&node.bits, 0xffull);
	vec_push(&node.bits, 0x20ull);
	vec_push(&f->mem_nodes, node);
	f->clockid_res = 1;
	f->comp_type = 1;
	f->comp_level = 1;
	f->comp_ratio = 2;
	vec_push(&cpu.names, xstrdup("branches"));
	vec_push(&cpu.values, xstrdup("32"));
	vec_push(&atom.names, xstrdup("max_precise"));
	vec_push(&atom.values, xstrdup("3"));
	vec_push(&f->pmu_caps, cpu);
	f->has_cpu_caps = true;
	vec_push(&f->pmu_caps, atom);
	vec_push(&f->hybrid, (struct feature_hybrid){ xstrdup("cpu_atom"), xstrdup("4-11") });
	f->tracing_data = xstrdup("tracing");
	f->tracing_data_size = 7;
	f->archive = xstrdup("packed");
	f->archive_size = 6;
	f->data_index = xstrdup("index");
	f->data_index_size = 5;
	f->e_machine = 62;
	f->cache_line_size = 64;
	vec_push(&f->losses.by_event, (struct feature_loss){ .event = 7, .cpu = 3, .tid = -1, .lost = 12 });
	vec_push(&f->losses.gaps, (struct feature_gap){ .cpu = -1, .tid = 99, .from = 1500000000, .to = 1502000000, .lost = 13 });
	f->losses.nr_gaps = 2;
	f->losses.gap_ns = 2500000;
	f->triggers = (struct feature_triggers){ .seen = 7, .dumped = 2, .missed = 5, .after_ns = 1500000 };
	vec_push(&f->triggers.dumps, (struct feature_trigger){ .time = 1500000001, .pid = 9, .tid = 10, .text = xstrdup("u:x:f") });
	vec_push(&f->triggers.dumps, (struct feature_trigger){ .text = xstrdup("load>4") });
	f->off_cpu = OFF_CPU_EVENT;
	f->descriptors_left_out = 3;
	vec_push(&f->descriptors, (struct feature_descriptor){ .pid = 9, .fd = 5, .to = 77, .name = xstrdup("pipe:[8]") });
	vec_push(&f->descriptors, (struct feature_descriptor){ .pid = 9, .fd = 5, .to = 99, .name = xstrdup("") });
	vec_push(&f->found, (struct feature_found){ xstrdup("chains-misfit"), xstrdup(""), 3, 40 });
	vec_push(&f->found, (struct feature_found){ xstrdup("cpu-offline"), xstrdup("CPU 3"), 1, 0 });
	vec_push(&f->jit_maps, (struct feature_jit_map){ 9, 1234, 4, xstrdup("zip") });
	vec_push(&f->jit_maps, (struct feature_jit_map){ 10, 5, 3, xstrdup("zi") });
	f->python = (struct feature_packed){ 77, 3, xstrdup("zp") };
	f->java = (struct feature_packed){ 78, 4, xstrdup("zj!") };
	f->coverage = (struct feature_coverage){
		.source = COVERAGE_RUSAGE, .event = 1, .charged_ns = 10000000000, .period_ns = 250000, .samples = 39000,
		.lost = 600, .unwritten = 80, .throttled_ns = 60000000, .counted_ns = 9990000000,
		.wall_ns = 5000000000, .recorder_ns = 12000000, .bytes = 4096, .wakeups = 7,
		.all_unwritten = 90,
	};
}

static const unsigned filled[] = {
	FEATURE_TRACING_DATA, FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_ARCH, FEATURE_NRCPUS,
	FEATURE_TOTAL_MEM, FEATURE_CMDLINE, FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY, FEATURE_PMU_MAPPINGS,
	FEATURE_AUXTRACE, FEATURE_CACHE, FEATURE_SAMPLE_TIME, FEATURE_MEM_TOPOLOGY, FEATURE_CLOCKID, FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS, FEATURE_HYBRID_TOPOLOGY, FEATURE_PMU_CAPS, FEATURE_E_MACHINE, FEATURE_CLN_SIZE, FEATURE_LOSSES,
	FEATURE_BALANCE, FEATURE_OFF_CPU, FEATURE_BOOT_ID, FEATURE_ARCHIVE, FEATURE_TRIGGERS, FEATURE_DESCRIPTORS,
	FEATURE_FOUND, FEATURE_JIT_MAPS, FEATURE_PYTHON, FEATURE_JAVA, FEATURE_DATA_INDEX,
};

static void print_all(const struct features *f, const struct event_table *t, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(filled); i++)
		feature_print(filled[i], f, t, true, out);
}

/* The lines perf prints for these values: taken from its output, with our numbers. */
static const char lines[] =
	"# hostname : vm\n# os release : 6.18.44\n# arch : x86_64\n# nrcpus online : 2\n# nrcpus avail : 4\n"
	"# total memory : 24684084 kB\n# cmdline : prec it\\'s \n# sibling sockets : 0-1\n# sibling threads : 0\n"
	"# CPU 0: Core ID 0, Socket ID 1\n# CPU 1: Core ID 1, Socket ID 1\n# CPU 2: Core ID 2, Socket ID 1\n"
	"# CPU 3: Core ID 3, Socket ID 1\n# node0 meminfo  : total = 1000 kB, free = 900 kB\n# node0 cpu list : 0-1\n"
	"# pmu mappings: software = 1, uprobe = 8\n# contains AUX area data (e.g. instruction trace)\n"
	"# CPU cache info:\n#  L1 Data                 48K [0]\n"
	"# time of first sample : 1745.422033\n# time of last sample : 1745.422952\n# sample duration :      0.919 ms\n"
	"# memory nodes (nr 1, block size 0x8000000):\n#    0 [1152M]: 0-7,69\n# clockid frequency: 1000 MHz\n"
	"# compressed : Zstd, level = 1, ratio = 2\n# cpu pmu capabilities: branches=32\n"
	"# hybrid cpu system:\n# cpu_atom cpu list : 4-11\n# cpu_atom pmu capabilities: max_precise=3\n"
	"# e_machine : 62\n#   e_flags : 0\n# cacheline size: 64\n"
	"# lost of ? on CPU 3 : 12\n# gaps : 2, together 2.500 ms\n# gap on thread 99 from 1.500000 to 1.502000 s : 13 records\n"
	"# and 1 gaps more\n"
	"# balance : 97.5 % of 10.00 s CPU is here; 1.5 % lost, 0.6 % throttled, 0.2 % unwritten, "
	"0.1 % missed by the clock, 0.1 % unexplained\n"
	"# recorder : 0.012 s CPU in 5.000 s up to its header, woken up 7 times, 4096 bytes of data\n"
	"# off-CPU time : context switches, software event with call chains\n"
	"# boot id : 8a1b\n# archive : names, lines and what else was looked up, 6 bytes\n"
	"# triggers : 7 seen, 2 dumped, 5 missed until this file ended\n"
	"# dump for : u:x:f of thread 9/10 at 1.500000001 s, and 1.500 ms after it\n"
	"# dump for : load>4, and 1.500 ms after it\n"
	"# descriptors : 1 names, 3 left out\n"
	"# found : chains-misfit, 3 of 40\n# found : cpu-offline, 1, CPU 3\n"
	"# code made at run time : /tmp/perf-9.map, 1234 bytes\n# code made at run time : /tmp/perf-10.map, 5 bytes\n"
	"# code of Python : 77 bytes\n"
	"# code of Java : 78 bytes\n";

static void all_come_back(void)
{
	struct features f = {0}, g = {0};
	struct event_table t = {0};
	struct buf out = {0};

	fill(&f);
	for (size_t i = 0; i < ARRAY_SIZE(filled); i++) {
		struct wire size = { .mode = WIRE_SIZE }, w, r;
		uint8_t *p;

		CHECK(!feature_pass(&size, filled[i], &f, &t), "section %u", filled[i]);
		p = xmalloc(size.size + 1);
		w = wire_writer(p, size.size);
		CHECK(!feature_pass(&w, filled[i], &f, &t) && w.size == size.size, "section %u", filled[i]);
		r = wire_reader(p, size.size);
		CHECK(!feature_pass(&r, filled[i], &g, &t) && !wire_left(&r), "section %u", filled[i]);
		for (size_t cut = 1; cut < size.size; cut += 3) {	/* where it is cut, nothing after is read: ASan */
			struct features h = { .nr_cpus_avail = 4 };
			uint8_t *part = xmalloc(cut);

			memcpy(part, p, cut);
			r = wire_reader(part, cut);
			feature_pass(&r, filled[i], &h, &t);
			features_release(&h);
			free(part);
		}
		free(p);
	}
	print_all(&g, &t, &out);
	CHECK_TEXT(buf_str(&out), lines);
	CHECK(g.build_ids.nr == 1 && g.build_ids.v[0].pid == -1 && g.build_ids.v[0].id.size == 3);
	CHECK_TEXT(g.build_ids.v[0].filename, "/bin/demo");
	CHECK(g.auxtrace.nr == 1 && g.auxtrace.v[0].file_offset == 4096);
	CHECK(g.tracing_data_size == 7 && !memcmp(g.tracing_data, "tracing", 7));
	buf_release(&out);
	features_release(&f);
	features_release(&g);
}

/* An entry of a build ID says its size in 16 bits: names that nearly fill it, and longer ones, are no damage when read again. */
static void long_build_id_names(void)
{
	for (size_t n = 65400; n < 65600; n += n < 65536 ? 1 : 7) {
		struct features f = {0}, g = {0};
		struct event_table t = {0};
		struct wire size = { .mode = WIRE_SIZE }, w, r;
		char *name = xcalloc(n + 1, 1);
		uint8_t *p;

		memset(name, 'a', n);
		vec_push(&f.build_ids, (struct feature_build_id){ 2, -1, { 3, { 1, 2, 3 } }, name });
		CHECK(!feature_pass(&size, FEATURE_BUILD_ID, &f, &t), "%zu", n);
		p = xmalloc(size.size);
		w = wire_writer(p, size.size);
		feature_pass(&w, FEATURE_BUILD_ID, &f, &t);
		r = wire_reader(p, size.size);
		CHECK(!feature_pass(&r, FEATURE_BUILD_ID, &g, &t) && !wire_left(&r) && g.build_ids.nr == 1, "%zu", n);
		CHECK(g.build_ids.nr && strlen(g.build_ids.v[0].filename) == MIN(n, 65535 - 36), "%zu", n);
		free(p);
		features_release(&f);
		features_release(&g);
	}
}

/* The index of AUXTRACE records as simpleperf writes it, and one whose number is too large. */
static void auxtrace_without_number(void)
{
	uint64_t words[] = { 4096, 48, 9000, 48, 7 };
	struct event_table t = {0};
	struct features f = {0};
	struct wire r = wire_reader(words, 4 * sizeof(words[0]));

	CHECK(!feature_pass(&r, FEATURE_AUXTRACE, &f, &t) && !wire_left(&r));
	CHECK(f.auxtrace.nr == 2 && f.auxtrace.v[1].file_offset == 9000 && f.auxtrace.v[1].size == 48);
	features_release(&f);
	f = (struct features){0};
	r = wire_reader(words, sizeof(words));
	CHECK(feature_pass(&r, FEATURE_AUXTRACE, &f, &t));
	features_release(&f);
}

/* Names, ids and groups travel through EVENT_DESC and GROUP_DESC. */
static void events_come_back(void)
{
	struct event_attr attr = { .type = 1, .size = 128, .sample_type = PERF_SAMPLE_IP };
	const unsigned numbers[] = { FEATURE_EVENT_DESC, FEATURE_GROUP_DESC };
	struct event_table t = {0}, back = {0};
	struct features f = {0}, g = {0};
	struct buf out = {0};

	for (uint64_t i = 0; i < 3; i++) {
		struct event *ev = event_table_add(&t, &attr);

		ev->name = xasprintf("event-%" PRIu64, i);
		event_table_add_id(&t, ev, 10 + i);
		event_table_add_id(&t, ev, 20 + i);
	}
	t.events.v[1]->nr_members = 2;
	t.events.v[2]->leader = 1;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct wire size = { .mode = WIRE_SIZE }, w;
		uint8_t *p;

		CHECK(!feature_pass(&size, numbers[i], &f, &t));
		p = xmalloc(size.size);
		w = wire_writer(p, size.size);
		CHECK(!feature_pass(&w, numbers[i], &f, &t));
		w = wire_reader(p, size.size);
		CHECK(!feature_pass(&w, numbers[i], &g, &back));
		free(p);
	}
	CHECK(back.events.nr == 3 && back.events.v[2]->leader == 1 && back.events.v[1]->nr_members == 2);
	CHECK_TEXT(back.events.v[2]->name, "event-2");
	CHECK(event_by_id(&back, 21) == back.events.v[1]);
	feature_print(FEATURE_GROUP_DESC, &g, &back, false, &out);
	CHECK_TEXT(buf_str(&out), "# group: {event-1,event-2}\n");
	buf_release(&out);
	event_table_release(&t);
	event_table_release(&back);
	features_release(&f);
	features_release(&g);
}

/* In a stream the bytes after the last CPU are padding; arm64 has no dies. */
static void topology_without_dies(void)
{
	static const uint32_t words[] = { 0, 0, 7, 1, 8, 2, 0 };
	struct features f = { .nr_cpus_avail = 2 };
	struct event_table t = {0};
	struct wire w = wire_reader(words, sizeof(words));

	CHECK(!feature_pass(&w, FEATURE_CPU_TOPOLOGY, &f, &t));
	CHECK(f.cpu_topology.nr == 2 && f.cpu_topology.v[1].core == 8 && f.cpu_topology.v[1].socket == 2 && !f.has_dies);
	features_release(&f);
}

static void unknown_sections(void)
{
	struct features f = {0};
	struct event_table t = {0};
	struct wire w = wire_reader("", 0);

	CHECK(feature_pass(&w, 0, &f, &t) == -ENOTSUP && feature_pass(&w, 250, &f, &t) == -ENOTSUP);
	CHECK(feature_pass(&w, 255, &f, &t) == -ENOTSUP && !feature_name(256) && !feature_name(0));
	CHECK_TEXT(feature_name(FEATURE_HOSTNAME), "HOSTNAME");
}

int main(void)
{
	uint64_t state = 11;

	random_sections(&state);
	all_come_back();
	long_build_id_names();
	auxtrace_without_number();
	events_come_back();
	topology_without_dies();
	unknown_sections();
	return checks_done();
}
