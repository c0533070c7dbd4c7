/*
 * Finds and checks AUX events: events of prec record whose PMU is a hardware trace device, such as intel_pt//. aux_group.c adds
 * other events to an AUX event's group, and recording.c saves the trace.
 */
#include "auxtrace/aux_events.h"

#include <stdlib.h>
#include <string.h>

#include "auxtrace/area.h"
#include "auxtrace/aux_group.h"
#include "auxtrace/backend.h"
#include "auxtrace/recording_ops.h"
#include "core/base/log.h"
#include "core/record/events/addr_filter.h"
#include "core/record/events/permissions.h"
#include "core/record/loop/recorder_opts.h"

#define AREA_PRIVILEGED	(4u << 20)	/* of users who may lock more memory; both sizes are perf's */
#define AREA_DEFAULT	(128u << 10)

bool aux_is_per_cpu(const struct recorder_opts *rec)
{
	return !rec->target.per_thread || rec->target.has_cpus || rec->target.all_cpus;
}

bool aux_traces(const char *pmu)
{
	return aux_backend_of_pmu(pmu);
}

static const struct pmu *pmu_of(const struct pmus *pmus, const struct event_request *r)
{
	vec_for(pmu, &pmus->list)
		if (pmu->type == r->attr.type && aux_backend_of_pmu(pmu->name))
			return pmu;
	return NULL;
}

/* True if an event uses the PMU of @by already. Only one can on each CPU (PERF_PMU_CAP_EXCLUSIVE). */
static bool is_traced(const struct event_requests *events, const struct event_request *by)
{
	vec_for(r, &events->list)
		if (r->aux && r->attr.type == by->attr.type)
			return true;
	return false;
}

/* Marks the events that fill areas, and finds their device. *first: the number of the first such event. */
static int mark(struct aux_events *e, struct event_requests *events, size_t *first)
{
	vec_for(r, &events->list) {
		const struct pmu *pmu = pmu_of(&e->pmus, r);

		if (!pmu)
			continue;
		if (e->device && e->device != aux_backend_of_pmu(pmu->name))
			return error("events '%s' and '%s' are of different devices, and a recording has the trace of one",
				     e->pmu.name, r->name);
		if (is_traced(events, r))
			return error("event '%s': '%s' is traced by another event already, and it is one trace", r->name,
				     pmu->name);
		if (!e->device) {
			e->device = aux_backend_of_pmu(pmu->name);
			e->pmu = *pmu;
			*first = (size_t)(r - events->list.v);
		}
		if (event_filters_samples(r))
			return error("event '%s': --filter of a trace takes address filters, not '%s'", r->name, r->filter);
		r->aux = true;
	}
	return 0;
}

static bool in_group(const struct event_request *r, const struct event_request *of)
{
	return r == of || (r->group && r->group == of->group);
}

/* Moves event @first to the front with its group, because the event that fills the area must open the ring. */
static void move_to_front(struct event_requests *events, size_t first)
{
	const struct event_request *lead = &events->list.v[first];
	VEC(struct event_request) ordered = {0};

	while (first && in_group(&events->list.v[first - 1], lead))
		first--;
	lead = &events->list.v[first];
	vec_for(r, &events->list)
		if (in_group(r, lead))
			vec_push(&ordered, *r);
	vec_for(r, &events->list)
		if (!in_group(r, lead))
			vec_push(&ordered, *r);
	memcpy(events->list.v, ordered.v, ordered.nr * sizeof(*ordered.v));
	vec_free(&ordered);
}

/* Rejects filters that no traced code passes; the kernel accepts them. @filter: in the kernel's form, separated by commas. */
static int check_levels(const struct event_request *r, const char *filter, const struct sampling_opts *s)
{
	bool of_file = false, of_kernel = false;

	for (; *filter; filter += strcspn(filter, ",") + !!strchr(filter, ',')) {
		bool file = memchr(filter, '@', strcspn(filter, ","));

		of_file |= file;
		of_kernel |= !file;
	}
	if (of_kernel && (r->attr.exclude_kernel || s->all_user))
		return error("event '%s' traces user space only: an address filter for it is of a file's code (@FILE)", r->name);
	if (of_file && (r->attr.exclude_user || s->all_kernel))
		return error("event '%s' traces the kernel only: an address filter for it is not of a file's code", r->name);
	return 0;
}

/* Converts the filter from the user's form to the kernel's. */
static int resolve_filter(struct event_request *r, const struct pmu *pmu, const struct sampling_opts *s)
{
	uint64_t max;
	char *resolved;

	if (!r->filter)
		return 0;
	max = aux_number(pmu, "nr_addr_filters", 10);
	if (!max)
		return error("event '%s' takes no address filter: its PMU '%s' has none", r->name, pmu->name);
	if (addr_filter_resolve(&resolved, r->filter, r->name, (unsigned)max))
		return -1;
	debug(1, "address filter of '%s': %s", r->name, resolved);
	free(r->filter);
	r->filter = resolved;
	return check_levels(r, resolved, s);
}

static int configure(struct aux_events *e, struct event_request *r, const struct recorder_opts *rec,
		     const struct aux_record_opts *o)
{
	const struct sampling_opts *s = &rec->sampling;
	const struct pmu *pmu = pmu_of(&e->pmus, r);
	struct aux_requirements requirements = {
		.per_cpu = aux_is_per_cpu(rec), .sampled = e->sampled, .clock = s->use_clockid,
		.period = s->freq ? 0 : s->period,
	};

	if (r->terms.given & TERM_PERIOD)
		requirements.period = r->terms.period;
	if (!o->snapshot && !e->sampled)
		r->attr.aux_watermark = (uint32_t)MIN(o->area_bytes / AUX_WATERMARKS, UINT32_MAX);
	return resolve_filter(r, pmu, s) || e->device->record->configure(r, pmu, &requirements) ? -1 : 0;
}

static int choose_size(struct aux_record_opts *o, const struct event_requests *events)
{
	struct permission_facts f;
	uint64_t want = AREA_DEFAULT;

	permission_facts_read(&f);
	if (f.perfmon || f.paranoid < 0)
		want = AREA_PRIVILEGED;
	if (o->snapshot_bytes)
		want = MAX(want, round_up_power_of_two(o->snapshot_bytes));
	if (!o->area_bytes)
		o->area_bytes = want;
	if (o->snapshot_bytes > o->area_bytes)
		return error("snapshots of %llu bytes do not fit into areas of %llu: -m ,SIZE makes these larger",
			     (unsigned long long)o->snapshot_bytes, (unsigned long long)o->area_bytes);
	vec_for(r, &events->list)
		if (r->attr.aux_sample_size > o->area_bytes)
			return error("event '%s': %u bytes of trace in each sample, but areas of %llu: -m ,SIZE makes these larger",
				     r->name, r->attr.aux_sample_size, (unsigned long long)o->area_bytes);
	return 0;
}

static int refuse_without_trace(const struct event_requests *events, const struct aux_record_opts *o)
{
	static const char such[] = "an event that fills AUX areas, such as intel_pt// or cs_etm//";

	if (o->snapshot)
		return error("a snapshot needs %s", such);
	if (o->sample_bytes)
		return error("--aux-sample needs %s, as the leader of a group", such);
	vec_for(r, &events->list)
		if (aux_group_wanted(r) || r->attr.aux_action)
			return error("event '%s' needs %s, as the leader of its group", r->name, such);
	return 0;
}

static int choose(struct aux_events *e, struct recorder_opts *rec, struct aux_record_opts *o)
{
	struct event_requests *events = &rec->events;
	size_t first = 0;

	if (mark(e, events, &first))
		return -1;
	if (!e->device)
		return refuse_without_trace(events, o);
	if (rec->sampling.overwrite)
		return error("overwrite rings cannot be had together with AUX areas: for the newest trace alone there is -S");
	move_to_front(events, first);
	if (aux_group_join(events, o->sample_bytes, &e->sampled))
		return -1;
	if (e->sampled && o->snapshot)
		return error("trace is either a part of samples (--aux-sample, aux-sample-size) or saved in snapshots (-S)");
	if (choose_size(o, events))
		return -1;
	for (size_t i = 0; i < events->list.nr; i++)
		if (events->list.v[i].aux && configure(e, &events->list.v[i], rec, o))
			return -1;
	return 0;
}

/* Rejects --filter for events that do not trace. The parser of options does not know which PMUs trace. */
static int check_filters(const struct event_requests *events)
{
	vec_for(r, &events->list)
		if (r->filter && !r->aux && !event_is_tracepoint(&r->attr) && !event_filters_samples(r))
			return error("event '%s' takes no address filter: what traces hardware does", r->name);
	return 0;
}

int aux_events_select(struct aux_events *out, struct recorder_opts *rec, struct aux_record_opts *o)
{
	*out = (struct aux_events){0};
	pmus_read(&out->pmus);
	if (choose(out, rec, o) || check_filters(&rec->events))
		return -1;
	vec_for(r, &rec->events.list) {
		if (!r->aux)
			continue;
		out->first = r;
		break;
	}
	return 0;
}
