/*
 * Adds events such as "instructions" and "branches" to the session, for samples that are synthesized from a hardware trace. perf
 * gives these events the same names and attributes.
 */
#ifndef AUXTRACE_SYNTH_H
#define AUXTRACE_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct session;

/* Returns the event of the recording that made the trace: attr.type is @pmu_type. NULL: no event has this type. */
const struct event *synth_origin(const struct session *s, uint32_t pmu_type);

struct synth_base {
	const struct event *origin;	/* the privilege bits, such as exclude_kernel, are taken from it */
	bool timeless;			/* no sample has a time */
	bool per_cpu;			/* samples have a CPU */
	bool chains, last_branches;	/* samples have call chains, have last branches; samples of branches have neither */
	bool targets;			/* samples of instructions that branch have the branch's target as their address */
};

/*
 * Add an event to the session, which owns it. @config: PERF_COUNT_HW_INSTRUCTIONS or _CPU_CYCLES. @more: PERF_SAMPLE_* in addition
 * to those of all events here.
 */
const struct event *synth_counter(struct session *s, const struct synth_base *base, uint64_t config, uint64_t period);
const struct event *synth_branches(struct session *s, const struct synth_base *base);
const struct event *synth_named(struct session *s, const struct synth_base *base, uint32_t type, uint64_t config,
				uint64_t more, const char *name);

#endif
