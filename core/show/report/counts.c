/* Counts the records of each type and the samples of each event in a recording, and prints the counts, for prec report --stats. */
#include "core/show/report/own_tables.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "core/read/counters.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/perfdata/event_table.h"

static void put_count(struct buf *out, const char *name, uint64_t nr)
{
	buf_right(out, name, 20);
	buf_puts(out, " events: ");
	buf_dec(out, nr, 10);
}

static void put_share(struct buf *out, const char *name, uint64_t nr, uint64_t total)
{
	put_count(out, name, nr);
	buf_printf(out, "  (%4.1f%%)\n", 100.0 * (double)nr / (double)total);
}

/* ---- samples with counter values (PERF_SAMPLE_READ) ---- */

struct counting {
	uint64_t *moved;			/* by event number: samples in which its counter had moved */
	const struct event_table *events;
};

static void count_move(void *ctx, const struct event *event, uint64_t period)
{
	uint64_t *moved = ctx;

	moved[event->number]++;
}

static void read_counters(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	struct counting *c = ctx;

	if (item->sample && event_counts(item->event))
		counters_read(worker, c->events, item->event, item->sample, count_move, c->moved);
}

static void forget_counters(void *worker, void *ctx)
{
	counters_release(worker);
}

static bool wants_samples(void *ctx, const struct record_header *header)
{
	return header->type == PERF_RECORD_SAMPLE;
}

/* A counter moved if its value differs from the last. So one worker reads all samples, in order of time. Owned by the caller. */
static uint64_t *count_counters(struct session *s)
{
	const struct event_table *events = session_events(s);
	struct counting c = { .moved = xcalloc(MAX(events->events.nr, 1), sizeof(*c.moved)), .events = events };
	struct ordered_pass pass = {
		.worker_size = sizeof(struct counters), .wants = wants_samples, .item = read_counters,
		.release = forget_counters, .one_worker = true,
	};

	if (event_table_counts(events))
		session_ordered(s, &pass, &c, -1);
	return c.moved;
}

/* ---- printing ---- */

static uint64_t samples_of(const struct session_counts *c, const uint64_t *moved, const struct event *ev)
{
	bool counts = event_counts(ev) || ev->number >= c->samples_by_event.nr;

	return (counts ? 0 : c->samples_by_event.v[ev->number]) + moved[ev->number];
}

static void put_event(const struct session_counts *c, const uint64_t *moved, const struct event *ev, struct buf *out)
{
	uint64_t samples = samples_of(c, moved, ev);
	uint64_t lost = ev->number < c->lost_by_event.nr ? c->lost_by_event.v[ev->number] : 0;

	if (!samples && !lost)
		return;
	buf_printf(out, "%s stats:\n", ev->name);
	if (samples) {
		put_count(out, "SAMPLE", samples);
		buf_putc(out, '\n');
	}
	if (lost) {
		put_count(out, "LOST_SAMPLES", lost);
		buf_putc(out, '\n');
	}
}

void counts_print(struct session *s, struct buf *out)
{
	const struct session_counts *c = session_counts(s);
	uint64_t total = c->unknown;
	uint64_t *moved;

	for (uint32_t type = 0; type < RECORD_MAX; type++)
		total += c->by_type[type];
	buf_puts(out, "\nAggregated stats:\n");
	put_count(out, "TOTAL", total);
	buf_putc(out, '\n');
	for (uint32_t type = 0; type < RECORD_MAX; type++)
		if (c->by_type[type] && record_name(type))
			put_share(out, record_name(type), c->by_type[type], total);
	if (c->unknown)
		put_share(out, "(unknown)", c->unknown, total);
	moved = count_counters(s);
	vec_for(event, &session_events(s)->events)
		put_event(c, moved, *event, out);
	free(moved);
}
