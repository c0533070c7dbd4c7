/* See timed_switch.h. Layer: open */
#include "core/record/open/timed_switch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/record/open/event_set.h"

bool event_is_timed_switch(const struct event *ev)
{
	const struct event_attr *a = &ev->attr;

	return a->type == PERF_TYPE_TRACEPOINT && str_eq(ev->name, "sched:sched_switch") && a->sample_type & PERF_SAMPLE_TIME &&
	       a->sample_type & PERF_SAMPLE_CALLCHAIN && a->use_clockid && a->clockid == CLOCK_MONOTONIC;
}

/* A program belongs to the tracepoint: it runs once, whichever event brought it there. */
void event_set_run_at_switch(const struct event_set *s, int program)
{
	vec_for(e, &s->opened) {
		if (!event_is_timed_switch(s->table.events.v[e->event]))
			continue;
		if (ioctl(e->fd, PERF_EVENT_IOC_SET_BPF, program))
			debug(1, "no frames of Python at switches: %s", strerror(errno));
		return;
	}
}
