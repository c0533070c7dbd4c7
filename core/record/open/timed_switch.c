/*
 * Attaches a BPF program to the tracepoint sched:sched_switch, if this event is recorded with call chains and times of
 * CLOCK_MONOTONIC. The program reads the Python frames of the thread that leaves the CPU.
 * Layer: open
 */
#include "core/record/open/timed_switch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/record/open/event_open.h"
#include "core/record/open/event_set.h"

bool event_is_timed_switch(const struct event *ev)
{
	const struct event_attr *a = &ev->attr;

	return a->type == PERF_TYPE_TRACEPOINT && str_eq(ev->name, "sched:sched_switch") && a->sample_type & PERF_SAMPLE_TIME &&
	       a->sample_type & PERF_SAMPLE_CALLCHAIN && a->use_clockid && a->clockid == CLOCK_MONOTONIC;
}

int event_set_run_at_switch(const struct event_set *s, int program)
{
	vec_for(e, &s->opened) {
		const struct event *ev = s->table.events.v[e->event];
		int fd;

		if (!event_is_timed_switch(ev))
			continue;
		fd = tracepoint_attach(ev->attr.config, program);
		if (fd < 0)
			debug(1, "no frames of Python at switches: %s", strerror(-fd));
		return fd;
	}
	return -ENOENT;
}
