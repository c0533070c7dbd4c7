/*
 * Measures how much CPU time the kernel charged to the recorded tasks or CPUs. The summary compares the charged time with the
 * time that the samples cover (core/perfdata/coverage.h).
 */
#ifndef CORE_RECORD_LOOP_CPU_ACCOUNTING_H
#define CORE_RECORD_LOOP_CPU_ACCOUNTING_H

#include "core/perfdata/coverage.h"

struct cpus;
struct event_set;
struct recorder_opts;
struct stats;
struct workload;

struct cpu_accounting {
	enum coverage_source source;	/* COVERAGE_UNKNOWN: no clock is sampled, or what was charged cannot be known */
	uint32_t event;			/* the clock */
	const struct cpus *cpus;	/* the recorded CPUs, for COVERAGE_PROC_STAT; borrowed */
	uint64_t begun_ns, idle_ns;	/* for COVERAGE_PROC_STAT. .begun_ns: when recording began; .idle_ns: the CPUs' idle time
					 * until then */
	uint64_t all_ns, busy_ns;	/* for COVERAGE_PROC_STAT, from .begun_ns to the end. .all_ns: the CPUs' time; .busy_ns: the
					 * part of it that was not idle */
};

/* Chooses the clock event, and the source of the charged time. @cpus: the recorded CPUs. */
void cpu_accounting_plan(struct cpu_accounting *c, const struct recorder_opts *o, const struct event_set *set,
			 const struct cpus *cpus);
/* Call cpu_accounting_begin() when the events are enabled, and cpu_accounting_end() when they are disabled. */
void cpu_accounting_begin(struct cpu_accounting *c);
void cpu_accounting_end(struct cpu_accounting *c);
/* Fills all members of *out but the cost of the recording, after statistics and counts were collected (losses_append()). */
void cpu_accounting_coverage(struct feature_coverage *out, const struct cpu_accounting *c, const struct event_set *set,
			     const struct stats *t, const struct workload *w);

#endif
