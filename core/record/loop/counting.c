/* Prints the counts of events for record -n, and writes PERF_RECORD_READ records with them. */
#include "core/record/loop/counting.h"

#include "core/base/buf.h"
#include "core/perfdata/abi.h"
#include "core/perfdata/read_format.h"
#include "core/perfdata/record.h"
#include "core/record/host/synthesize.h"
#include "core/record/open/event_set.h"

#define READ_WORDS	8u	/* maximum words of one event's values */

/* Returns the process of thread @tid, or @tid itself if the thread has ended. */
static uint32_t process_of(int tid)
{
	pid_t pid = tid < 0 ? 0 : process_of_thread(tid);

	return (uint32_t)(pid ? pid : tid);
}

static uint64_t fill_words(uint64_t *words, const struct event *ev, const struct opened *e, const struct counted *c)
{
	struct read_layout l = read_layout_of(ev->attr.read_format);
	uint64_t *members = words + l.group;

	if (l.group)
		words[0] = 1;
	members[l.values] = c->value;
	if (l.enabled != READ_NONE)
		members[l.enabled] = c->enabled;
	if (l.running != READ_NONE)
		members[l.running] = c->running;
	if (l.id != READ_NONE)
		members[l.values + l.id] = e->id;
	if (l.lost != READ_NONE)
		members[l.values + l.lost] = e->lost;
	return (uint64_t)l.group + (l.group ? l.values + l.step : l.step);
}

void counting_append(struct buf *out, struct event_set *set, uint64_t time)
{
	vec_for(e, &set->opened) {
		const struct event *ev = set->table.events.v[e->event];
		struct counted c = { e->count - e->kept.value, e->enabled - e->kept.enabled, e->running - e->kept.running };
		uint64_t words[READ_WORDS] = {0};
		struct record rec = {
			.header = { .type = PERF_RECORD_READ, .misc = RECORD_MISC_READ_TOTAL },
			.id = { .id = e->id, .cpu = (uint32_t)e->place.cpu, .time = time },
		};

		if (event_set_is_side_band(set, e->event))
			continue;
		rec.read.pid = rec.id.pid = process_of(e->place.pid);
		rec.read.tid = rec.id.tid = (uint32_t)e->place.pid;
		rec.read.values = (struct words){ .nr = fill_words(words, ev, e, &c), .data = (const uint8_t *)words };
		record_append(out, &ev->layout, &rec);
		e->kept = (struct counted){ e->count, e->enabled, e->running };
	}
}

static struct counted sum_of(const struct event_set *set, uint32_t event)
{
	struct counted_sum sum = { .tid = COUNTED_NO_THREAD };

	vec_for(e, &set->opened)
		if (e->event == event)
			counted_add(&sum, (uint32_t)e->place.pid, &(struct counted){ e->count, e->enabled, e->running });
	return sum.total;
}

void counting_put(struct buf *out, const struct event_set *set)
{
	for (uint32_t i = 0; i + 1 < set->table.events.nr; i++) {
		struct counted sum = sum_of(set, i);

		counted_put(&sum, set->table.events.v[i], out);
	}
}

void counting_put_cpus(struct buf *out, const struct event_set *set)
{
	vec_for(e, &set->opened)
		if (e->place.pid < 0 && !event_set_is_side_band(set, e->event))
			counted_put_cpu(&(struct counted){ e->count, e->enabled, e->running }, (uint32_t)e->place.cpu,
					set->table.events.v[e->event], out);
}

void counting_put_interval(struct counting *c, struct buf *out, struct event_set *set, uint64_t ns)
{
	event_set_count_lost(set);
	for (uint32_t i = 0; i + 1 < set->table.events.nr; i++) {
		struct counted now = sum_of(set, i), *printed;

		if (i == c->printed.nr)
			vec_push(&c->printed, (struct counted){0});
		printed = &c->printed.v[i];
		buf_printf(out, "%15.6f ", (double)ns / 1e9);
		counted_put(&(struct counted){ now.value - printed->value, now.enabled - printed->enabled,
					       now.running - printed->running }, set->table.events.v[i], out);
		*printed = now;
	}
}
