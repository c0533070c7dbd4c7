/*
 * Manages the list of events that -e requests. An option such as --filter or --bpf applies to the events of the last -e before
 * it. Without -e, the list has the default event, cycles:P.
 */
#include "core/record/events/event_request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/record/events/sample_filter.h"

static void forget_settings(struct event_request *r)
{
	vec_for(setting, &r->bpf_set)
		free(*setting);
	vec_free(&r->bpf_set);
}

static void forget_program(struct event_request *r)
{
	free(r->bpf);
	r->bpf = NULL;
	forget_settings(r);
}

static void request_release(struct event_request *r)
{
	free(r->name);
	free(r->group_name);
	free(r->path);
	free(r->symbol);
	free(r->tracepoint);
	free(r->filter);
	forget_program(r);
	free(r->cgroup);
	if (r->cgroup_fd > 0)
		close(r->cgroup_fd);
	event_terms_release(&r->terms);
}

void event_requests_cut(struct event_requests *r, size_t nr)
{
	while (r->list.nr > nr)
		request_release(&r->list.v[--r->list.nr]);
}

void event_default(struct event_requests *out)
{
	struct event_request r = { .precise_max = true };

	r.attr.size = ATTR_SIZE_VER7;
	r.attr.type = PERF_TYPE_HARDWARE;
	r.attr.config = PERF_COUNT_HW_CPU_CYCLES;
	r.name = xstrdup("cycles:P");
	vec_push(&out->list, r);
}

void event_requests_release(struct event_requests *r)
{
	event_requests_cut(r, 0);
	r->nr_cgroups = 0;
	vec_free(&r->list);
}

enum filter_kind { FILTER_OF_NOTHING, FILTER_OF_HITS, FILTER_OF_ADDRESSES, FILTER_OF_SAMPLES };

/* Checks that @filter is a filter of samples. Returns 0, or -EINVAL with the reason in *why, owned by the caller. */
static int check_sample_filter(const char *filter, char **why)
{
	struct sample_filter parsed;
	int err = sample_filter_parse(&parsed, filter, why);

	vec_free(&parsed.nodes);
	return err;
}

static bool is_of_samples(const char *filter)
{
	char *why;
	bool is = !check_sample_filter(filter, &why);

	free(why);
	return is;
}

/*
 * Returns the kind of @filter for an event. An event of a PMU with a type of its own may take address filters or filters of
 * samples: text that is not a valid filter of samples is taken as an address filter, whose parser then reports the error.
 */
static enum filter_kind filter_kind(const struct event_request *r, const char *filter)
{
	if (event_is_tracepoint(&r->attr))
		return FILTER_OF_HITS;
	if (r->path || r->bpf)
		return FILTER_OF_NOTHING;
	if (filter_is_of_addresses(filter))
		return r->attr.type >= PERF_TYPE_MAX ? FILTER_OF_ADDRESSES : FILTER_OF_NOTHING;
	return r->attr.type < PERF_TYPE_MAX || is_of_samples(filter) ? FILTER_OF_SAMPLES : FILTER_OF_ADDRESSES;
}

bool event_filters_samples(const struct event_request *r)
{
	return r->filter && filter_kind(r, r->filter) == FILTER_OF_SAMPLES;
}

/* Returns the kind of @filter for the events of the last event_parse(), or FILTER_OF_NOTHING if they differ. */
static enum filter_kind common_kind(const struct event_requests *r, const char *filter)
{
	enum filter_kind kind = r->last < r->list.nr ? filter_kind(&r->list.v[r->last], filter) : FILTER_OF_NOTHING;

	for (size_t i = r->last; i < r->list.nr; i++)
		if (filter_kind(&r->list.v[i], filter) != kind)
			return FILTER_OF_NOTHING;
	return kind;
}

static void add_filter(struct event_requests *r, const char *filter, const char *joined)
{
	for (size_t i = r->last; i < r->list.nr; i++) {
		struct event_request *e = &r->list.v[i];
		char *before = e->filter;

		e->filter = before ? xasprintf("%s%s%s%s%s", *joined ? "(" : "", before, *joined ? joined : ",", filter,
					       *joined ? ")" : "") : xstrdup(filter);
		free(before);
	}
}

int event_requests_filter(struct event_requests *r, const char *filter, char **why)
{
	enum filter_kind kind = common_kind(r, filter);

	*why = NULL;
	if (kind == FILTER_OF_NOTHING)
		return -EINVAL;
	if (kind == FILTER_OF_SAMPLES && check_sample_filter(filter, why))
		return -EBADMSG;
	add_filter(r, filter, kind == FILTER_OF_ADDRESSES ? "" : ") && (");
	return 0;
}

int event_requests_bpf(struct event_requests *r, const char *spec)
{
	if (r->last == r->list.nr)
		return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++) {
		const struct event_request *e = &r->list.v[i];

		if (e->bpf || event_filters_samples(e))
			return -EINVAL;
	}
	for (size_t i = r->last; i < r->list.nr; i++)
		r->list.v[i].bpf = xstrdup(spec);
	return 0;
}

int event_requests_bpf_set(struct event_requests *r, const char *setting)
{
	if (r->last == r->list.nr || !r->list.v[r->last].bpf)
		return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++) {
		if (setting)
			vec_push(&r->list.v[i].bpf_set, xstrdup(setting));
		else
			forget_settings(&r->list.v[i]);
	}
	return 0;
}

void event_requests_no_bpf(struct event_requests *r)
{
	vec_for(e, &r->list)
		forget_program(e);
}

int event_requests_filter_hits(struct event_requests *r, const char *filter)
{
	char *why;

	return common_kind(r, filter) == FILTER_OF_HITS ? event_requests_filter(r, filter, &why) : -EINVAL;
}

bool event_is_tracepoint(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT;
}

bool event_requests_any_tracepoint(const struct event_requests *r)
{
	vec_for(e, &r->list)
		if (event_is_tracepoint(&e->attr))
			return true;
	return false;
}

bool event_is_bpf_output(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

bool event_is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}
