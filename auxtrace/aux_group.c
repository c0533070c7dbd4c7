/*
 * Puts events that use the trace of an AUX event into the group of the AUX event, because the kernel accepts them only there.
 * Such events have trace in their samples, write into the trace (aux-output), or pause and resume it.
 */
#include "auxtrace/aux_group.h"

#include <linux/perf_event.h>
#include <string.h>

#include "core/base/log.h"
#include "core/record/events/event_request.h"

#define PAUSES (AUX_ACTION_PAUSE | AUX_ACTION_RESUME)

bool aux_group_wanted(const struct event_request *r)
{
	return r->attr.aux_sample_size || r->attr.aux_output || r->attr.aux_action & PAUSES;
}

static size_t leader_of(const struct event_requests *events, size_t i)
{
	const struct event_request *v = events->list.v;

	while (i && v[i].group && v[i - 1].group == v[i].group)
		i--;
	return i;
}

static size_t group_end(const struct event_requests *events, size_t leader)
{
	const struct event_request *v = events->list.v;
	size_t end = leader + 1;

	while (v[leader].group && end < events->list.nr && v[end].group == v[leader].group)
		end++;
	return end;
}

static uint32_t free_group(const struct event_requests *events)
{
	uint32_t group = 1;

	vec_for(r, &events->list)
		group = MAX(group, r->group + 1);
	return group;
}

/* Moves event @from, which has no group, to the end of the first event's group. If the first event has no group, makes one. */
static void append_to_first(struct event_requests *events, size_t from)
{
	struct event_request *v = events->list.v, r = v[from];
	size_t to = group_end(events, 0);

	if (!v[0].group)
		v[0].group = free_group(events);
	r.group = v[0].group;
	memmove(&v[to + 1], &v[to], (from - to) * sizeof(*v));
	v[to] = r;
}

static void emit_samples(struct event_requests *events, uint32_t bytes)
{
	for (size_t i = 0; i < events->list.nr; i++) {
		struct event_request *r = &events->list.v[i];

		if (!r->aux && !(r->terms.given & TERM_AUX_SAMPLE) && events->list.v[leader_of(events, i)].aux)
			r->attr.aux_sample_size = bytes;
	}
}

static int check_tracer(const struct event_request *r)
{
	if (r->attr.aux_sample_size)
		return error("event '%s' records the trace itself: aux-sample-size is for the other events of its group", r->name);
	if (r->attr.aux_output)
		return error("event '%s' records the trace itself: aux-output is for the other events of its group", r->name);
	if (r->attr.aux_action & PAUSES)
		return error("event '%s' records the trace itself: it can be 'start-paused'; 'pause' and 'resume' are for the "
			     "other events of its group", r->name);
	return 0;
}

static int check_member(const struct event_request *r, const struct event_request *leader)
{
	if (r->attr.aux_action & AUX_ACTION_START_PAUSED)
		return error("event '%s' fills no area that could start paused: aux-action=start-paused is for one that does",
			     r->name);
	if (!aux_group_wanted(r))
		return 0;
	if (!leader->aux)
		return error("event '%s' uses the area of another event, which must lead its group: that begins with '%s', which "
			     "fills none", r->name, leader->name);
	if (r->attr.aux_sample_size > AUX_SAMPLE_MAX)
		return error("event '%s': %u bytes of trace do not fit into a sample; at most %u do", r->name,
			     r->attr.aux_sample_size, AUX_SAMPLE_MAX);
	return 0;
}

int aux_group_join(struct event_requests *events, uint32_t sample_bytes, bool *sampled)
{
	*sampled = false;
	for (size_t i = 1; events->list.v[0].aux && i < events->list.nr; i++)
		if (aux_group_wanted(&events->list.v[i]) && !events->list.v[i].aux && !events->list.v[i].group)
			append_to_first(events, i);
	if (sample_bytes)
		emit_samples(events, sample_bytes);
	for (size_t i = 0; i < events->list.nr; i++) {
		struct event_request *r = &events->list.v[i];
		int err = r->aux ? check_tracer(r) : check_member(r, &events->list.v[leader_of(events, i)]);

		if (err)
			return err;
		if (!r->attr.aux_sample_size)
			continue;
		r->attr.sample_type |= PERF_SAMPLE_AUX;
		*sampled = true;
	}
	vec_for(r, &events->list) {
		if (!sample_bytes || *sampled || !r->aux)
			continue;
		return error("--aux-sample: no event is sampled with trace: the one that records the trace must lead a group, such "
			     "as -e '{%s,cpu-clock:u}'", r->name);
	}
	return 0;
}
