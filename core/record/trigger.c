/* Each hit wakes; what the small rings hold is looked at and thrown away. Layer: record */
#include "core/record/trigger.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/format/record.h"

int trigger_open(struct trigger *t, const struct event_requests *events, const struct places *places,
		 const struct sampling_opts *o)
{
	struct sampling_opts s = { .period = 1, .inherit = o->inherit, .on_exec = o->on_exec, .no_buffering = true };
	struct places hits = { .sampling = places->sampling };

	if (!events->list.nr)
		return 0;
	return event_set_open(&t->set, events, &hits, &s, (uint64_t)sysconf(_SC_PAGESIZE));
}

void trigger_enable(const struct trigger *t)
{
	vec_for(e, &t->set.opened)
		ioctl(e->fd, PERF_EVENT_IOC_ENABLE, 0);
}

bool trigger_take(struct trigger *t)
{
	bool hit = false;

	vec_for(ring, &t->set.rings) {
		struct ring_span s = ring_read(ring);
		struct record_header h;

		for (uint64_t at = s.from; s.to - at >= sizeof(h); at += h.size) {
			memcpy(&h, s.data + (at & s.mask), sizeof(h));
			hit |= h.type == PERF_RECORD_SAMPLE || h.type == PERF_RECORD_LOST;
			if (h.size < sizeof(h))
				break;
		}
		ring_done(ring);
	}
	return hit;
}

void trigger_release(struct trigger *t)
{
	event_set_close_behind(&t->set);
}
