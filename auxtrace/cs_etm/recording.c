/*
 * Completes the perf_event_attr of a CoreSight ETMv4 or ETE event for prec record, and writes the AUXTRACE_INFO record in version
 * 1 of perf's format. The registers in this record come from sysfs (Documentation/ABI/testing/sysfs-bus-coresight-devices-etm4x).
 */
#include "auxtrace/recording_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/cpus.h"
#include "core/base/log.h"

#define VERSION		1
#define MAGIC_ETM4	0x4040404040404040ull
#define MAGIC_ETE	0x5050505050505050ull

/* Bits of attr.config (linux/coresight-pmu.h), and the bits of TRCCONFIGR that each of them sets (ETMv4, IHI 0064). */
static const struct { unsigned config, trcconfigr; } option_bits[] = {
	{ 12, 1 << 4 },				/* cycle counts */
	{ 14, 1 << 6 },				/* context id */
	{ 15, 1 << 7 | 1 << 15 },		/* context id of the hypervisor's level, traced as virtual context id */
	{ 28, 1 << 11 },			/* timestamps */
	{ 29, 1 << 12 },			/* return stack */
};

/* Stores the number of the sink that the event names, such as "@tmc_etr0". The PMU has a file with the number of each sink. */
static int choose_sink(struct event_request *r, const struct pmu *pmu)
{
	char *path, *text;

	if (!r->terms.sink)
		return 0;
	if (strchr(r->terms.sink, '/'))
		return error("'%s' is no name of a trace sink", r->terms.sink);
	path = xasprintf("sinks/%s", r->terms.sink);
	text = pmu_file(pmu, path);
	free(path);
	if (!text)
		return error("there is no trace sink '%s': sysfs lists them in bus/event_source/devices/%s/sinks",
			     r->terms.sink, pmu->name);
	r->attr.config2 |= strtoull(text, NULL, 16);
	free(text);
	return 0;
}

/* The trace of a CPU is from many threads, so a decoder needs context packets and timestamps. */
static int configure(struct event_request *r, const struct pmu *pmu, const struct aux_requirements *a)
{
	r->attr.sample_period = 1;
	if (a->per_cpu) {
		aux_choose(r, pmu, "contextid", 1);
		aux_choose(r, pmu, "timestamp", 1);
	}
	return choose_sink(r, pmu);
}

static uint64_t config_register(uint64_t config)
{
	uint64_t v = 0;

	for (size_t i = 0; i < ARRAY_SIZE(option_bits); i++)
		if (config >> option_bits[i].config & 1)
			v |= option_bits[i].trcconfigr;
	return v;
}

/* Reads a register of @cpu's trace unit. Returns false if it has no file. */
static bool read_register(const struct pmu *pmu, int cpu, const char *name, uint64_t *out)
{
	char *path = xasprintf("cpu%d/%s", cpu, name), *text = pmu_file(pmu, path);

	*out = text ? strtoull(text, NULL, 16) : 0;
	free(path);
	free(text);
	return text;
}

/*
 * Returns the trace ID of a CPU. Since Linux 6.2 the kernel records it (AUX_OUTPUT_HW_ID), and the word is marked as unused. Before
 * that, it was computed from the CPU's number (linux/coresight-pmu.h).
 */
static uint64_t trace_id(int cpu)
{
	uint64_t id = 0x10 + 2 * (uint64_t)cpu;
	struct utsname u;
	int major, minor;

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return id;
	return major > 6 || (major == 6 && minor >= 2) ? id | 1ull << 31 : id;
}

/* Appends the words of @cpu's trace unit. Returns false if it has none. */
static bool put_cpu(const struct aux_facts *f, int cpu, struct aux_words *out)
{
	static const char *const registers[] = {
		"trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2", "trcidr/trcidr8", "mgmt/trcauthstatus",
	};
	uint64_t arch, v, nr = 2 + ARRAY_SIZE(registers);
	bool ete;

	if (!read_register(f->pmu, cpu, registers[0], &v))
		return false;
	/* TRCDEVARCH: by Arm, and of version 5. */
	ete = read_register(f->pmu, cpu, "mgmt/trcdevarch", &arch) && arch >> 21 == 0x23b && (arch >> 12 & 0xf) == 5;
	vec_push(&out->list, ete ? MAGIC_ETE : MAGIC_ETM4);
	vec_push(&out->list, (uint64_t)cpu);
	vec_push(&out->list, nr + ete);
	vec_push(&out->list, config_register(f->request->attr.config));
	vec_push(&out->list, trace_id(cpu));
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		read_register(f->pmu, cpu, registers[i], &v);
		vec_push(&out->list, v);
	}
	if (ete)
		vec_push(&out->list, arch);
	return true;
}

static void describe_tracer(const struct aux_facts *f, struct aux_words *out)
{
	uint64_t nr = 0;

	vec_push(&out->list, VERSION);
	vec_push(&out->list, 0);
	vec_push(&out->list, f->snapshot);
	vec_for(cpu, &f->cpus->list)
		nr += put_cpu(f, *cpu, out);
	out->list.v[1] = (uint64_t)f->pmu->type << 32 | nr;
}

const struct aux_record_ops cs_etm_record = { .configure = configure, .info = describe_tracer };
