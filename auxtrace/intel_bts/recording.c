/*
 * Completes the perf_event_attr of an Intel BTS (Branch Trace Store) event for prec record, and writes its AUXTRACE_INFO record
 * in the format of perf 6.1. auxtrace/recording.c saves the trace.
 */
#include "auxtrace/recording_ops.h"

#include "auxtrace/intel_bts/record.h"
#include "core/base/log.h"

/* BTS writes 24 bytes for each taken branch, without a thread or a time, so each thread gets an AUX area of its own. */
static int configure(struct event_request *r, const struct pmu *pmu, const struct aux_requirements *a)
{
	if (a->per_cpu)
		return error("event '%s': branch trace does not tell threads apart; record each by itself (--per-thread)", r->name);
	if (a->sampled)
		return error("event '%s': branch trace cannot be a part of samples", r->name);
	r->attr.sample_period = 1;
	return 0;
}

static void describe_tracer(const struct aux_facts *f, struct aux_words *out)
{
	vec_push(&out->list, f->pmu->type);
	aux_put_time(out, f->time);
	vec_push(&out->list, f->snapshot);
}

const struct aux_record_ops intel_bts_record = {
	.record_bytes = BTS_RECORD_BYTES, .configure = configure, .info = describe_tracer,
};
