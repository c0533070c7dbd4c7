/*
 * Completes the perf_event_attr of an Intel PT event for prec record, and writes its AUXTRACE_INFO record in the format of perf
 * 6.1. auxtrace/recording.c saves the trace.
 */
#include "auxtrace/recording_ops.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"

#define MTC_PERIOD 3		/* log2 of the ticks of the core crystal clock between two MTC packets */
#define PSB_PERIOD 3		/* log2 of the bytes between two PSBs, minus 11 */

/* Returns the bits of a term in attr.config; 0: the processor does not have the term. */
static uint64_t bits_of(const struct pmu *pmu, const char *term)
{
	struct pmu_format f;

	return pmu_format_read(pmu, (struct word){ .s = term, .n = strlen(term) }, &f) || f.word ? 0 : f.mask;
}

/* Returns the smallest value in the mask that is not below @want, or else the greatest; -1: the mask is empty. */
static int nearest(uint64_t mask, int want)
{
	if (mask >> want)
		return want + __builtin_ctzll(mask >> want);
	return mask ? 63 - __builtin_clzll(mask) : -1;
}

static void choose_nearest(struct event_request *r, const struct pmu *pmu, const char *term, const char *caps, int want)
{
	int value = nearest(aux_number(pmu, caps, 16), want);

	if (value >= 0)
		aux_choose(r, pmu, term, (uint64_t)value);
}

/*
 * The files in caps/ for a term: .has is not 0 if the processor has the term, and .values has bit n set for each valid value n
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-caps, arch/x86/events/intel/pt.c of Linux 6.18).
 */
static const struct need {
	const char *term, *has, *values;	/* .values is NULL if any value is valid */
} needs[] = {
	{ "mtc", "caps/mtc", NULL }, { "mtc_period", "caps/mtc", "caps/mtc_periods" },
	{ "cyc", "caps/psb_cyc", NULL }, { "cyc_thresh", "caps/psb_cyc", "caps/cycle_thresholds" },
	{ "psb_period", "caps/psb_cyc", "caps/psb_periods" },
	{ "ptw", "caps/ptwrite", NULL }, { "fup_on_ptw", "caps/ptwrite", NULL },
	{ "pwr_evt", "caps/power_event_trace", NULL },
	{ "event", "caps/event_trace", NULL }, { "notnt", "caps/tnt_disable", NULL },
};

static void list_values(struct buf *out, uint64_t values)
{
	for (unsigned i = 0; i < 64; i++)
		if (values >> i & 1)
			buf_printf(out, "%s%u", out->len ? ", " : "", i);
}

static int check_need(const struct event_request *r, const struct pmu *pmu, const struct need *n)
{
	uint64_t bits = bits_of(pmu, n->term), value, values;
	struct buf text = {0};

	if (!(r->attr.config & bits & r->config_given))
		return 0;
	value = (r->attr.config & bits) >> __builtin_ctzll(bits);
	if (!aux_number(pmu, n->has, 10))
		return error("event '%s': this processor's Intel PT does not have '%s'", r->name, n->term);
	if (!n->values)
		return 0;
	values = aux_number(pmu, n->values, 16) | 1;
	if (value < 64 && values >> value & 1)
		return 0;
	list_values(&text, values);
	error("event '%s': this processor's Intel PT cannot do %s=%llu; it has: %s", r->name, n->term,
	      (unsigned long long)value, buf_str(&text));
	buf_release(&text);
	return -1;
}

/*
 * If -e does not set the event's terms, they are chosen such that the trace can be decoded with times: branches, TSC packets and,
 * if the processor has them, MTC packets and a PSB every 16 KiB (Intel SDM vol. 3, "Intel Processor Trace").
 */
static int configure(struct event_request *r, const struct pmu *pmu, const struct aux_requirements *a)
{
	if (a->clock)
		return error("event '%s': Intel PT has the times of perf's own clock, and of no other (-k)", r->name);
	r->attr.sample_period = 1;
	aux_choose(r, pmu, "tsc", 1);
	if (aux_number(pmu, "caps/mtc", 10)) {
		aux_choose(r, pmu, "mtc", 1);
		choose_nearest(r, pmu, "mtc_period", "caps/mtc_periods", MTC_PERIOD);
	}
	/* Decoding of the short trace in a sample must begin at a PSB, so PSBs are as frequent as possible. */
	if (a->sampled)
		aux_choose(r, pmu, "psb_period", 0);
	else if (aux_number(pmu, "caps/psb_cyc", 10))
		choose_nearest(r, pmu, "psb_period", "caps/psb_periods", PSB_PERIOD);
	/* Linux before 4.13 does not know these two, and always has them on. */
	aux_choose(r, pmu, "pt", 1);
	aux_choose(r, pmu, "branch", 1);
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (check_need(r, pmu, &needs[i]))
			return -1;
	return 0;
}

/* Reads the ratio of TSC ticks to ticks of the core crystal clock (CPUID leaf 15H), such as "302:2"; 0 and 0: unknown. */
static void read_ratio(const struct pmu *pmu, uint64_t *n, uint64_t *d)
{
	char *text = pmu_file(pmu, "tsc_art_ratio"), *colon = text ? strchr(text, ':') : NULL;

	*n = colon ? strtoull(text, NULL, 10) : 0;
	*d = colon ? strtoull(colon + 1, NULL, 10) : 0;
	free(text);
}

/* Appends the length of the address filter, and the filter in words, with at least one zero at its end. */
static void put_filter(struct aux_words *out, const char *filter)
{
	size_t n = filter ? strlen(filter) : 0;

	vec_push(&out->list, n);
	for (size_t i = 0; n && i <= n; i += 8) {
		uint64_t word = 0;

		memcpy(&word, filter + i, MIN(n - i, 8));
		vec_push(&out->list, word);
	}
}

/* Returns 0 if no context switches are recorded, 2 if those of the traced tasks are, 3 if those of all tasks are. */
static uint64_t switches(const struct aux_facts *f)
{
	return !f->switches ? 0 : f->system_wide ? 3 : 2;
}

static void describe_tracer(const struct aux_facts *f, struct aux_words *out)
{
	const struct pmu *pmu = f->pmu;
	uint64_t n, d;

	read_ratio(pmu, &n, &d);
	vec_push(&out->list, pmu->type);
	aux_put_time(out, f->time);
	vec_push(&out->list, bits_of(pmu, "tsc"));
	vec_push(&out->list, bits_of(pmu, "noretcomp"));
	vec_push(&out->list, switches(f));
	vec_push(&out->list, f->snapshot);
	vec_push(&out->list, f->per_cpu);
	vec_push(&out->list, bits_of(pmu, "mtc"));
	vec_push(&out->list, bits_of(pmu, "mtc_period"));
	vec_push(&out->list, n);
	vec_push(&out->list, d);
	vec_push(&out->list, bits_of(pmu, "cyc"));
	vec_push(&out->list, aux_number(pmu, "max_nonturbo_ratio", 10));
	put_filter(out, f->request->filter);
	vec_push(&out->list, aux_number(pmu, "caps/event_trace", 10));
}

const struct aux_record_ops intel_pt_record = { .configure = configure, .info = describe_tracer };
