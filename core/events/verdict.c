/* The last words of a recording. Layer: events */
#include "core/events/verdict.h"

#include <stdio.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/events/event_set.h"
#include "core/events/tally.h"

/* "cpu-clock: 12 (CPU 0: 10, CPU 1: 2)"; false where @event lost nothing. */
static bool describe_lost(const struct event_set *s, const struct event *event, struct buf *out)
{
	const char *separator = " (";
	uint64_t total = 0;

	vec_for(e, &s->opened)
		total += e->event == event->number ? e->lost : 0;
	if (!total)
		return false;
	buf_printf(out, "%s: %llu", event->name, (unsigned long long)total);
	vec_for(e, &s->opened) {
		if (e->event != event->number || !e->lost)
			continue;
		if (e->place.cpu >= 0)
			buf_printf(out, "%sCPU %d: %llu", separator, e->place.cpu, (unsigned long long)e->lost);
		else
			buf_printf(out, "%sthread %d: %llu", separator, (int)e->place.pid, (unsigned long long)e->lost);
		separator = ", ";
	}
	buf_putc(out, ')');
	return true;
}

#define LOST_LINES	8	/* events whose losses are told one by one */

static void print_lost(const struct verdict *v)
{
	struct buf b = {0};
	bool any = false;
	unsigned more = 0, lines = 0;

	for (size_t i = 0; i < v->set->table.events.nr; i++) {
		b.len = 0;
		if (!describe_lost(v->set, v->set->table.events.v[i], &b))
			continue;
		any = true;
		if (lines++ >= LOST_LINES && !event_set_is_side_band(v->set, (uint32_t)i)) {
			more++;
			continue;
		}
		if (event_set_is_side_band(v->set, (uint32_t)i))
			warning("lost records of maps, names or tasks: %s; symbols will be missing", buf_str(&b));
		else
			warning("lost samples of %s", buf_str(&b));
	}
	buf_release(&b);
	if (more)
		warning("lost samples of %u more events", more);
	/* A kernel before 6.0 tells only how much its rings lost. */
	if (!any && v->tally->lost)
		vec_for(c, &v->tally->lost_by_cpu)
			warning("lost %llu records on CPU %d", (unsigned long long)c->lost, c->cpu);
	if (any || v->tally->lost)
		info("larger rings (-m) or a lower rate (-F, -c) lose less");
}

void verdict_print(const struct verdict *v)
{
	const struct tally *t = v->tally;

	print_lost(v);
	if (t->throttled)
		warning("the kernel stopped sampling %llu times for a moment: too fast for it (-F, -c)",
			(unsigned long long)t->throttled);
	if (log_level() < 0)
		return;
	fprintf(stderr, "[ prec record: Woken up %llu times to write data ]\n", (unsigned long long)v->wakeups);
	fprintf(stderr, "[ prec record: Captured and wrote %.3f MB %s (%llu samples) ]\n",
		(double)v->bytes / (1 << 20), v->output, (unsigned long long)t->samples);
}
