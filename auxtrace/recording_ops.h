/*
 * Declares the functions that a trace device implements for recording. configure() completes the perf_event_attr of the device's
 * event, and info() writes the words of the device's AUXTRACE_INFO record.
 */
#ifndef AUXTRACE_RECORDING_OPS_H
#define AUXTRACE_RECORDING_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/perfdata/record.h"
#include "core/record/events/event_request.h"
#include "core/record/events/pmu.h"

struct cpus;

/* The input of info(), from which a device makes the words of AUXTRACE_INFO. */
struct aux_facts {
	const struct pmu *pmu;		/* the PMU of the first event; borrowed, like all pointers here */
	const struct event_request *request;
	const struct cpus *cpus;	/* the traced CPUs */
	const struct record_time_conv *time;	/* .cap_zero is 0: the kernel does not give it */
	bool snapshot, per_cpu;
	bool switches;			/* context switches are recorded */
	bool system_wide;
};

/* The settings of the recording, from which configure() completes an event. */
struct aux_requirements {
	bool per_cpu;			/* each CPU has an area; otherwise each thread */
	bool sampled;			/* the trace is in samples */
	bool clock;			/* times are of a clock other than perf's own (-k) */
	uint64_t period;		/* -c, period=; 0: not given */
};

/* The words of AUXTRACE_INFO. */
struct aux_words {
	VEC(uint64_t) list;
};

/* Appends Intel's words for the clock: shift, multiplier, zero, and whether they are known. */
static inline void aux_put_time(struct aux_words *out, const struct record_time_conv *t)
{
	vec_push(&out->list, t->cap_zero ? t->shift : 0);
	vec_push(&out->list, t->cap_zero ? t->mult : 0);
	vec_push(&out->list, t->cap_zero ? t->zero : 0);
	vec_push(&out->list, t->cap_zero);
}

/* Returns the number in a file of the PMU; 0: there is no such file. @base is that of strtoull(3). */
static inline uint64_t aux_number(const struct pmu *pmu, const char *path, int base)
{
	char *text = pmu_file(pmu, path);
	uint64_t v = text ? strtoull(text, NULL, base) : 0;

	free(text);
	return v;
}

/* Sets a term of the event's config, unless the user has set the term or the whole config. */
static inline void aux_choose(struct event_request *r, const struct pmu *pmu, const char *term, uint64_t value)
{
	struct pmu_format f;

	if (!pmu_format_read(pmu, (struct word){ .s = term, .n = strlen(term) }, &f) && !f.word && !(f.mask & r->config_given))
		pmu_format_store(&f, &r->attr, value);
}

/* The functions that a device implements for recording. */
struct aux_record_ops {
	unsigned record_bytes;			/* as struct aux_area.record_bytes */
	/* Sets the parts of the attr that -e has not set. Prints errors; returns 0 or -1. */
	int (*configure)(struct event_request *r, const struct pmu *pmu, const struct aux_requirements *a);
	/* Appends the words of AUXTRACE_INFO. */
	void (*info)(const struct aux_facts *f, struct aux_words *out);
};

#endif
