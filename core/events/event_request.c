/* Requests and what follows from them. Layer: events */
#include "core/events/event_request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void request_release(struct event_request *r)
{
	free(r->name);
	free(r->group_name);
	free(r->path);
	free(r->symbol);
	free(r->tracepoint);
	free(r->filter);
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

/* A PMU of the machine has a type of its own, and may take address filters. */
static bool may_filter(const struct event_request *r, bool tracepoint)
{
	return tracepoint ? event_is_tracepoint(&r->attr) : r->attr.type >= PERF_TYPE_MAX && !r->path;
}

int event_requests_filter(struct event_requests *r, const char *filter)
{
	bool tracepoint = r->last < r->list.nr && event_is_tracepoint(&r->list.v[r->last].attr);

	if (r->last == r->list.nr)
		return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++)
		if (!may_filter(&r->list.v[i], tracepoint))
			return -EINVAL;
	for (size_t i = r->last; i < r->list.nr; i++) {
		struct event_request *e = &r->list.v[i];
		char *before = e->filter;

		e->filter = before ? xasprintf(tracepoint ? "(%s) && (%s)" : "%s,%s", before, filter) : xstrdup(filter);
		free(before);
	}
	return 0;
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

bool event_is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}
