/*
 * Adds up an event's counters of several threads and CPUs, and prints the sum as perf stat does. Values of multiplexed events
 * are scaled to the time for which they were enabled.
 */
#include "core/perfdata/counted.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/macros.h"
#include "core/perfdata/event_table.h"

#define VALUE_WIDTH	18u

/* @v with a comma before each three digits. */
static void put_grouped(uint64_t v, char *out, size_t size)
{
	char digits[24];
	size_t nr = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, v), at = 0;

	for (size_t i = 0; i < nr && at + 2 < size; i++) {
		if (i && (nr - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
}

void counted_add(struct counted_sum *to, uint32_t tid, const struct counted *c)
{
	bool same = tid != COUNTED_NO_THREAD && tid == to->tid;
	uint64_t enabled = same ? MAX(to->enabled, c->enabled) : c->enabled;

	to->total.value += c->value;
	to->total.running += c->running;
	to->total.enabled += same ? enabled - to->enabled : enabled;
	to->tid = tid;
	to->enabled = enabled;
}

/* Only hardware counters are limited in number. */
static bool is_multiplexed(const struct event *ev)
{
	return ev->attr.type != PERF_TYPE_SOFTWARE && ev->attr.type != PERF_TYPE_TRACEPOINT;
}

void counted_put(const struct counted *c, const struct event *event, struct buf *out)
{
	bool partly = c->running && c->running < c->enabled && is_multiplexed(event);
	double value = (double)c->value * (partly ? (double)c->enabled / (double)c->running : 1);
	char text[40];

	if (!c->running)
		snprintf(text, sizeof(text), "<not counted>");
	else if (event_counts_time(event))
		snprintf(text, sizeof(text), "%.3f msec", value / 1e6);
	else if (partly)
		put_grouped(value >= 0x1p63 ? UINT64_MAX : (uint64_t)(value + 0.5), text, sizeof(text));
	else
		put_grouped(c->value, text, sizeof(text));
	buf_printf(out, "%*s  %s", (int)VALUE_WIDTH, text, event->name);
	if (partly)
		buf_printf(out, "  (scaled: it ran for %.2f%% of the time)", 100.0 * (double)c->running / (double)c->enabled);
	buf_putc(out, '\n');
}

void counted_put_cpu(const struct counted *c, uint32_t cpu, const struct event *event, struct buf *out)
{
	buf_printf(out, "CPU %-4" PRIu32, cpu);
	counted_put(c, event, out);
}
