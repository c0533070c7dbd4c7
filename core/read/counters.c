/*
 * Keeps the last value of each counter, and computes how far the counter has advanced since then. This difference is the period
 * of a sample with counter values (PERF_SAMPLE_READ).
 */
#include "core/read/counters.h"

#include "core/perfdata/event_table.h"
#include "core/perfdata/read_format.h"

static struct counter *find_or_add(struct counters *c, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_pair(id, tid);

	index_for(pos, &c->by_id, hash)
		if (c->list.v[pos].id == id && c->list.v[pos].tid == tid)
			return &c->list.v[pos];
	index_add(&c->by_id, hash, (uint32_t)c->list.nr);
	vec_push(&c->list, (struct counter){ .id = id, .tid = tid });
	return &c->list.v[c->list.nr - 1];
}

uint64_t counters_advance(struct counters *c, uint64_t id, uint32_t tid, uint64_t value)
{
	struct counter *counter = find_or_add(c, id, tid);
	uint64_t moved = value - counter->value;

	counter->value = value;
	return moved;
}

bool event_counts(const struct event *ev)
{
	return ev->layout.type & PERF_SAMPLE_READ && ev->attr.read_format & PERF_FORMAT_ID;
}

bool event_table_counts(const struct event_table *t)
{
	vec_for(ev, &t->events)
		if (event_counts(*ev))
			return true;
	return false;
}

void counters_read(struct counters *c, const struct event_table *t, const struct event *ev, const struct sample *s,
		   moved_fn *moved, void *ctx)
{
	struct read_layout read = read_layout_of(ev->attr.read_format);
	uint32_t tid = ev->attr.inherit && ev->layout.type & PERF_SAMPLE_TID ? s->tid : 0;
	uint64_t n = s->read_nr;

	for (uint64_t at = read.values; n && at + read.step <= s->read.nr; n--, at += read.step) {
		uint64_t id = words_at(&s->read, at + read.id);
		const struct event *counter = event_by_id(t, id);
		uint64_t period = counters_advance(c, id, tid, words_at(&s->read, at));

		if (counter && period)
			moved(ctx, counter, period);
	}
}

void counters_release(struct counters *c)
{
	vec_free(&c->list);
	index_release(&c->by_id);
}
