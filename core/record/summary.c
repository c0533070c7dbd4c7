/* The last words of a recording. Layer: record */
#include "core/record/summary.h"

#include <stdio.h>
#include <sys/resource.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/open/event_set.h"
#include "core/record/stats.h"

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

/* The recorder's own. */
static uint64_t cpu_time_ns(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		return 0;
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

static void describe_ring(struct buf *b, const struct event_set *s, uint32_t ring)
{
	vec_for(e, &s->opened) {
		if (e->ring != ring)
			continue;
		if (e->place.cpu >= 0)
			buf_printf(b, "CPU %d", e->place.cpu);
		else
			buf_printf(b, "thread %d", (int)e->place.pid);
		return;
	}
}

static void print_gap(const struct summary *v, const struct stats_gap *g)
{
	struct buf b = {0};

	describe_ring(&b, v->set, g->ring);
	debug(1, "lost %llu records on %s between %.6f and %.6f s", (unsigned long long)g->lost, buf_str(&b),
	      (double)g->from / 1e9, (double)g->to / 1e9);
	buf_release(&b);
}

static void print_gaps(const struct summary *v)
{
	const struct stats *t = v->stats;
	struct buf b = {0};

	if (!t->nr_gaps)
		return;
	describe_ring(&b, v->set, t->longest.ring);
	warning("%llu gaps of %.3f ms together, the longest %.3f ms on %s at %.6f s", (unsigned long long)t->nr_gaps,
		(double)t->gap_ns / 1e6, (double)(t->longest.to - t->longest.from) / 1e6, buf_str(&b),
		(double)t->longest.from / 1e9);
	buf_release(&b);
	vec_for(g, &t->gaps)
		print_gap(v, g);
}

/* A gap that long is no ring that was a little too small: nobody emptied it. */
#define STOPPED_NS	100000000u

static void advise(const struct summary *v)
{
	const struct stats *t = v->stats;
	uint64_t pause = t->longest.to - t->longest.from;

	if (pause >= STOPPED_NS)
		info("the rings were not emptied for %.1f s: the recorder was stopped, or got no CPU or disk; larger "
		     "rings (-m) bridge that, fewer events fill them later", (double)pause / 1e9);
	else if (cpu_time_ns() > v->wall_ns / 10 * 8)
		info("the recorder itself had no more CPU time to take: a lower rate (-F, -c), fewer events or no -z "
		     "lose less");
	else
		info("larger rings (-m) or a lower rate (-F, -c) lose less");
}

static void print_lost(const struct summary *v)
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
	if (!any && v->stats->lost)
		warning("lost %llu records", (unsigned long long)v->stats->lost);
	if (!any && !v->stats->lost)
		return;
	print_gaps(v);
	advise(v);
}

/* Samples and what was lost of them are all hits, where every hit is a sample. */
static void print_counts(const struct summary *v)
{
	for (size_t i = 0; i + 1 < v->set->table.events.nr; i++) {
		uint64_t count = 0, lost = 0;

		vec_for(e, &v->set->opened) {
			count += e->event == i ? e->count : 0;
			lost += e->event == i ? e->lost : 0;
		}
		debug(1, "event '%s': counted %llu, lost %llu samples", v->set->table.events.v[i]->name,
		      (unsigned long long)count, (unsigned long long)lost);
	}
	debug(1, "the recorder took %.3f s of CPU time in %.3f s", (double)cpu_time_ns() / 1e9, (double)v->wall_ns / 1e9);
}

void summary_print(const struct summary *v)
{
	const struct stats *t = v->stats;

	print_lost(v);
	if (t->unwritten)
		warning("%llu samples that were taken could not be written", (unsigned long long)t->unwritten);
	if (t->throttled)
		warning("the kernel stopped sampling %llu times for a moment: too fast for it (-F, -c)",
			(unsigned long long)t->throttled);
	print_counts(v);
	if (log_level() < 0)
		return;
	fprintf(stderr, "[ prec record: Woken up %llu times to write data, in %.3f s of CPU time ]\n",
		(unsigned long long)v->wakeups, (double)cpu_time_ns() / 1e9);
	fprintf(stderr, "[ prec record: Captured and wrote %.3f MB %s (%llu samples) ]\n",
		(double)v->bytes / (1 << 20), v->output, (unsigned long long)t->samples);
}
