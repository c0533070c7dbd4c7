/*
 * Completes the perf_event_attr of an SPE event for prec record, and writes the AUXTRACE_INFO record in version 2 of perf's
 * format. The record has an entry for each CPU, because processors number their data sources differently.
 */
#include "auxtrace/recording_ops.h"
#include "auxtrace/backend.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/cpus.h"
#include "core/base/sysfs.h"
#include "core/base/util.h"

#define VERSION		2
#define HEADER_WORDS	4
#define CPU_WORDS	4		/* words of a CPU after the magic, the CPU's number and this number */
#define MAGIC		0x1010101010101010ull
#define MIN_INTERVAL	1024		/* if the PMU's caps do not have it */

static uint64_t min_interval(const struct pmu *pmu)
{
	uint64_t v = aux_number(pmu, "caps/min_interval", 0);

	return v ? v : MIN_INTERVAL;
}

static int configure(struct event_request *r, const struct pmu *pmu, const struct aux_requirements *a)
{
	r->attr.sample_period = a->period ? a->period : min_interval(pmu);
	aux_choose(r, pmu, "ts_enable", 1);
	return 0;
}

static bool is_of(const struct pmu *pmu, int cpu)
{
	struct cpus cpus = {0};
	bool is = !pmu_cpus(pmu, &cpus) || cpus_has(&cpus, cpu);

	cpus_release(&cpus);
	return is;
}

/* Returns the SPE PMU of @cpu; NULL: it has none. Each kind of processor has a PMU of its own, or none. */
static const struct pmu *pmu_of_cpu(const struct pmus *pmus, int cpu)
{
	vec_for(pmu, &pmus->list)
		if (str_starts(pmu->name, "arm_spe_") && is_of(pmu, cpu))
			return pmu;
	return NULL;
}

static void put_cpu(const struct pmus *pmus, int cpu, struct aux_words *out)
{
	char *midr = sysfs_line("devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
	const struct pmu *pmu = pmu_of_cpu(pmus, cpu);

	vec_push(&out->list, MAGIC);
	vec_push(&out->list, (uint64_t)cpu);
	vec_push(&out->list, CPU_WORDS);
	vec_push(&out->list, midr ? strtoull(midr, NULL, 16) : 0);
	vec_push(&out->list, pmu ? pmu->type : UINT64_MAX);
	vec_push(&out->list, pmu ? min_interval(pmu) : 0);
	vec_push(&out->list, pmu ? aux_number(pmu, "caps/event_filter", 0) : 0);
	free(midr);
}

static void describe_tracer(const struct aux_facts *f, struct aux_words *out)
{
	struct pmus pmus;

	pmus_read(&pmus);
	vec_push(&out->list, VERSION);
	vec_push(&out->list, HEADER_WORDS);
	vec_push(&out->list, f->pmu->type);
	vec_push(&out->list, f->cpus->list.nr);
	vec_for(cpu, &f->cpus->list)
		put_cpu(&pmus, *cpu, out);
	pmus_release(&pmus);
}

const struct aux_record_ops arm_spe_record = { .configure = configure, .info = describe_tracer };
