/*
 * Reads the description of the host from uname(2), /proc and sysfs, for the header features of the recording (HOSTNAME, OSRELEASE
 * and others). Sources: perf.data-file-format.txt of the kernel's tree; Documentation/ABI/stable/sysfs-devices-system-cpu.
 */
#include "core/record/host/hostinfo.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/cpus.h"
#include "core/base/file.h"
#include "core/base/sysfs.h"
#include "core/perfdata/feature.h"
#include "core/record/events/pmu.h"
#include "core/native.h"

#define MAX_CACHES_A_CPU	10
#define HEAD_SIZE		4096

/* Returns the number of CPUs that exist, online or not. */
static unsigned nr_cpus(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

/* ---- names and numbers ---- */

/* Returns the value in the line "KEY...: VALUE" of @text, owned by the caller; NULL if there is no such line. */
static char *value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return NULL;
	at++;
	at += strspn(at, " \t");
	return xstrndup(at, strcspn(at, "\n"));
}

/* As value_of(), in the first HEAD_SIZE bytes of the file @path: cpuinfo goes on for every CPU. */
static char *value_in(const char *path, const char *key)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[HEAD_SIZE + 1];
	int64_t n = fd < 0 ? 0 : read_at(fd, text, HEAD_SIZE, 0);

	if (fd >= 0)
		close(fd);
	text[MAX(n, 0)] = '\0';
	return value_of(text, key);
}

static bool fill_nrcpus(struct features *f)
{
	f->nr_cpus_avail = nr_cpus();
	f->nr_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	return true;
}

static bool fill_cpudesc(struct features *f)
{
	f->cpudesc = value_in("/proc/cpuinfo", "model name");
	if (!f->cpudesc)
		f->cpudesc = value_in("/proc/cpuinfo", "Processor");
	return f->cpudesc;
}

static bool fill_cpuid(struct features *f)
{
	f->cpuid = native.cpuid ? native.cpuid() : NULL;
	return f->cpuid;
}

static bool fill_total_mem(struct features *f)
{
	char *kb = value_in("/proc/meminfo", "MemTotal");

	f->total_mem_kb = kb ? strtoull(kb, NULL, 10) : 0;
	free(kb);
	return f->total_mem_kb;
}

/* ---- topology ---- */

#define CPU_DIR "devices/system/cpu/cpu%u"

/* Adds @list unless it is there already. Takes it over. */
#define add_siblings(vec, list) do {				\
	char *line = (list);					\
								\
	if (line && !is_listed((vec)->v, (vec)->nr, line))	\
		vec_push(vec, line);				\
	else							\
		free(line);					\
} while (0)

static bool is_listed(char *const *lists, size_t nr, const char *list)
{
	for (size_t i = 0; i < nr; i++)
		if (str_eq(lists[i], list))
			return true;
	return false;
}

static uint32_t cpu_number(unsigned cpu, const char *what)
{
	char *s = sysfs_line(CPU_DIR "/topology/%s", cpu, what);
	uint32_t v = s ? (uint32_t)strtol(s, NULL, 10) : UINT32_MAX;

	free(s);
	return v;
}

/* Lists the CPUs by number. An offline CPU has numbers of -1, because sysfs does not have its topology. */
static bool fill_cpu_topology(struct features *f)
{
	for (unsigned cpu = 0, nr = nr_cpus(); cpu < nr; cpu++) {
		struct feature_topology_cpu t = {
			.core = cpu_number(cpu, "core_id"), .socket = cpu_number(cpu, "physical_package_id"),
			.die = cpu_number(cpu, "die_id"),
		};

		if (t.die != UINT32_MAX)
			f->has_dies = true;
		else
			t.die = 0;
		vec_push(&f->cpu_topology, t);
		add_siblings(&f->core_siblings, sysfs_line(CPU_DIR "/topology/core_siblings_list", cpu));
		add_siblings(&f->thread_siblings, sysfs_line(CPU_DIR "/topology/thread_siblings_list", cpu));
		if (f->has_dies)
			add_siblings(&f->die_siblings, sysfs_line(CPU_DIR "/topology/die_cpus_list", cpu));
	}
	return f->core_siblings.nr;
}

/* Lists the numbers of the NUMA nodes; none if sysfs has none. */
static void online_nodes(struct cpus *out)
{
	char *online = sysfs_line("devices/system/node/online");

	*out = (struct cpus){0};
	if (online && cpus_parse(out, online, NULL))
		cpus_release(out);
	free(online);
}

static bool fill_numa(struct features *f)
{
	struct cpus nodes;

	online_nodes(&nodes);
	vec_for(node, &nodes.list) {
		char *path = xasprintf("%s/devices/system/node/node%d/meminfo", sysfs_root(), *node);
		struct feature_node n = { .node = (uint32_t)*node };
		struct buf text = {0};
		char *total, *unused;

		read_file(path, &text);
		total = value_of(buf_str(&text), "MemTotal");
		unused = value_of(text.data, "MemFree");
		n.mem_total_kb = total ? strtoull(total, NULL, 10) : 0;
		n.mem_free_kb = unused ? strtoull(unused, NULL, 10) : 0;
		n.cpus = sysfs_line("devices/system/node/node%d/cpulist", *node);
		if (!n.cpus)
			n.cpus = xstrdup("");
		vec_push(&f->numa, n);
		free(total);
		free(unused);
		free(path);
		buf_release(&text);
	}
	cpus_release(&nodes);
	return f->numa.nr;
}

static bool fill_pmus(struct features *f)
{
	char *path = xasprintf("%s/bus/event_source/devices", sysfs_root());
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char *type = d->d_name[0] == '.' ? NULL : sysfs_line("bus/event_source/devices/%s/type", d->d_name);
		struct feature_pmu pmu;

		if (!type)
			continue;
		pmu = (struct feature_pmu){ .type = (uint32_t)strtoul(type, NULL, 10), .name = xstrdup(d->d_name) };
		vec_push(&f->pmus, pmu);
		free(type);
	}
	if (dir)
		closedir(dir);
	free(path);
	return f->pmus.nr;
}

/* ---- caches ---- */

static uint32_t cache_number(unsigned cpu, unsigned i, const char *what)
{
	char *s = sysfs_line(CPU_DIR "/cache/index%u/%s", cpu, i, what);
	uint32_t v = s ? (uint32_t)strtoul(s, NULL, 10) : 0;

	free(s);
	return v;
}

static void release_cache(struct feature_cache *c)
{
	free(c->type);
	free(c->size);
	free(c->map);
}

/* Cache @i of @cpu, unless another CPU that shares it has shown it. False if there is no such cache. */
static bool add_cache(struct features *f, unsigned cpu, unsigned i)
{
	struct feature_cache c = {
		.type = sysfs_line(CPU_DIR "/cache/index%u/type", cpu, i),
		.size = sysfs_line(CPU_DIR "/cache/index%u/size", cpu, i),
		.map = sysfs_line(CPU_DIR "/cache/index%u/shared_cpu_list", cpu, i),
	};
	bool known = false;

	if (!c.type || !c.size || !c.map) {
		release_cache(&c);
		return false;
	}
	c.level = cache_number(cpu, i, "level");
	vec_for(other, &f->caches)
		known = known || (other->level == c.level && str_eq(other->type, c.type) && str_eq(other->map, c.map));
	if (known) {
		release_cache(&c);
		return true;
	}
	c.line_size = cache_number(cpu, i, "coherency_line_size");
	c.sets = cache_number(cpu, i, "number_of_sets");
	c.ways = cache_number(cpu, i, "ways_of_associativity");
	vec_push(&f->caches, c);
	return true;
}

static int by_level(const void *a, const void *b)
{
	const struct feature_cache *x = a, *y = b;

	return (int)x->level - (int)y->level;
}

static bool fill_caches(struct features *f)
{
	for (unsigned cpu = 0, nr = nr_cpus(); cpu < nr; cpu++)
		for (unsigned i = 0; i < MAX_CACHES_A_CPU && add_cache(f, cpu, i); i++)
			;
	vec_sort(&f->caches, by_level);
	return f->caches.nr;
}

/* ---- memory blocks ---- */

static void set_bit(struct feature_mem_node *n, unsigned long bit)
{
	while (n->bits.nr <= bit / 64)
		vec_push(&n->bits, 0);
	n->bits.v[bit / 64] |= 1ull << bit % 64;
	n->nr_bits = MAX(n->nr_bits, bit + 1);
}

/* Adds a NUMA node with its memory blocks. For each block, the node's directory has a link memory<N>. */
static void add_mem_node(struct features *f, int node)
{
	char *path = xasprintf("%s/devices/system/node/node%d", sysfs_root(), node);
	struct feature_mem_node n = { .node = (uint64_t)node };
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (str_starts(d->d_name, "memory") && isdigit((unsigned char)d->d_name[6]))
			set_bit(&n, strtoul(d->d_name + 6, NULL, 10) & 0xffffff);
	if (dir)
		closedir(dir);
	free(path);
	if (n.nr_bits)
		vec_push(&f->mem_nodes, n);
	else
		vec_free(&n.bits);
}

static bool fill_mem_topology(struct features *f)
{
	char *size = sysfs_line("devices/system/memory/block_size_bytes");
	struct cpus nodes;

	online_nodes(&nodes);
	if (size && nodes.list.nr) {
		f->mem_block_size = strtoull(size, NULL, 16);
		vec_for(node, &nodes.list)
			add_mem_node(f, *node);
	}
	free(size);
	cpus_release(&nodes);
	return f->mem_nodes.nr;
}

/* ---- what the PMUs of the processors can do ---- */

/* Adds the names and contents of the files in caps/ of a PMU's directory, such as "branches", its number of branches. */
static bool add_pmu_caps(struct features *f, const char *pmu)
{
	struct feature_pmu_caps caps = {0};
	struct names names = {0};

	pmu_names(&(struct pmu){ .name = (char *)(uintptr_t)pmu }, "caps", &names);
	vec_for(name, &names.list) {
		char *value = sysfs_line("bus/event_source/devices/%s/caps/%s", pmu, *name);

		vec_push(&caps.names, xstrdup(*name));
		vec_push(&caps.values, value ? value : xstrdup(""));
	}
	names_release(&names);
	if (!caps.names.nr)
		return false;
	caps.pmu = xstrdup(pmu);
	vec_push(&f->pmu_caps, caps);
	return true;
}

static bool fill_cpu_pmu_caps(struct features *f)
{
	f->has_cpu_caps = add_pmu_caps(f, "cpu");
	return f->has_cpu_caps;
}

/* For processors with two kinds of cores. */
static bool fill_pmu_caps(struct features *f)
{
	bool core = add_pmu_caps(f, "cpu_core");

	return add_pmu_caps(f, "cpu_atom") || core;
}

/* ---- the kernel's build id ---- */

static bool fill_build_ids(struct features *f)
{
	struct feature_build_id b = { .misc = PERF_RECORD_MISC_KERNEL, .pid = -1 };

	if (build_id_of_kernel(&b.id))
		return false;
	b.filename = xstrdup("[kernel.kallsyms]");
	vec_push(&f->build_ids, b);
	return true;
}

/* ---- all ---- */

static const struct {
	unsigned feature;
	bool (*fill)(struct features *f);	/* returns false if this machine does not have the data */
} sections[] = {
	{ FEATURE_BUILD_ID, fill_build_ids },
	{ FEATURE_NRCPUS, fill_nrcpus },
	{ FEATURE_CPUDESC, fill_cpudesc },
	{ FEATURE_CPUID, fill_cpuid },
	{ FEATURE_TOTAL_MEM, fill_total_mem },
	{ FEATURE_CPU_TOPOLOGY, fill_cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, fill_numa },
	{ FEATURE_PMU_MAPPINGS, fill_pmus },
	{ FEATURE_CACHE, fill_caches },
	{ FEATURE_MEM_TOPOLOGY, fill_mem_topology },
	{ FEATURE_CPU_PMU_CAPS, fill_cpu_pmu_caps },
	{ FEATURE_PMU_CAPS, fill_pmu_caps },
};

void hostinfo_read(struct features *out, const char *version, char *const argv[])
{
	hostinfo_read_names(out, version, argv);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (sections[i].fill(out))
			out->has[sections[i].feature] = true;
}

void hostinfo_read_names(struct features *out, const char *version, char *const argv[])
{
	char *self = realpath("/proc/self/exe", NULL);
	struct utsname uts;

	uname(&uts);
	out->hostname = xstrdup(uts.nodename);
	out->osrelease = xstrdup(uts.release);
	out->boot_id = read_line_of("/proc/sys/kernel/random/boot_id");	/* a UUID that the kernel makes at each start: random(4) */
	out->version = xstrdup(version);
	out->arch = xstrdup(uts.machine);
	vec_push(&out->cmdline, self ? self : xstrdup("prec"));
	for (char *const *arg = argv; *arg; arg++)
		vec_push(&out->cmdline, xstrdup(*arg));
	out->has[FEATURE_HOSTNAME] = out->has[FEATURE_OSRELEASE] = out->has[FEATURE_VERSION] = true;
	out->has[FEATURE_ARCH] = out->has[FEATURE_CMDLINE] = true;
	out->has[FEATURE_BOOT_ID] = out->boot_id;
}
