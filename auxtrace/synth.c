/*
 * Makes a perf_event_attr for each event whose samples are synthesized from a hardware trace, such as "instructions". It takes
 * the privilege bits, such as exclude_kernel, from the event that recorded the trace.
 */
#include "auxtrace/synth.h"

#include "core/base/buf.h"
#include "core/read/session.h"

const struct event *synth_origin(const struct session *s, uint32_t pmu_type)
{
	vec_for(ev, &session_events(s)->events)
		if ((*ev)->attr.type == pmu_type && (*ev)->ids.nr)
			return *ev;
	vec_for(ev, &session_events(s)->events)
		if ((*ev)->attr.type == pmu_type)
			return *ev;
	return NULL;
}

/* @full: samples have call chains and last branches, if the base does. */
static struct event_attr base_attr(const struct synth_base *base, bool full)
{
	const struct event_attr *o = &base->origin->attr;
	struct event_attr attr = {
		.size = ATTR_SIZE_VER7, .sample_period = 1, .read_format = PERF_FORMAT_ID, .sample_id_all = 1,
		.exclude_user = o->exclude_user, .exclude_kernel = o->exclude_kernel, .exclude_hv = o->exclude_hv,
		.exclude_host = o->exclude_host, .exclude_guest = o->exclude_guest,
	};

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER;
	if (!base->timeless)
		attr.sample_type |= PERF_SAMPLE_TIME;
	if (base->per_cpu)
		attr.sample_type |= PERF_SAMPLE_CPU;
	if (full && base->chains)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (full && base->last_branches)
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	return attr;
}

static const struct event *add(struct session *s, const struct event_attr *attr, const char *name)
{
	struct buf text = {0};
	const struct event *ev;

	if (!name) {
		attr_name(attr, &text);
		name = buf_str(&text);
	}
	ev = session_add_event(s, attr, name);
	buf_release(&text);
	return ev;
}

const struct event *synth_counter(struct session *s, const struct synth_base *base, uint64_t config, uint64_t period)
{
	struct event_attr attr = base_attr(base, true);

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = config;
	attr.sample_period = period;
	if (base->targets)
		attr.sample_type |= PERF_SAMPLE_ADDR;
	return add(s, &attr, NULL);
}

const struct event *synth_branches(struct session *s, const struct synth_base *base)
{
	struct event_attr attr = base_attr(base, false);

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	attr.sample_type |= PERF_SAMPLE_ADDR;
	return add(s, &attr, NULL);
}

const struct event *synth_named(struct session *s, const struct synth_base *base, uint32_t type, uint64_t config,
				uint64_t more, const char *name)
{
	struct event_attr attr = base_attr(base, true);

	attr.type = type;
	attr.config = config;
	attr.sample_type = (attr.sample_type & ~(uint64_t)PERF_SAMPLE_PERIOD) | more;
	return add(s, &attr, name);
}
