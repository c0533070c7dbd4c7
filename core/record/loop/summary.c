/* Prints the summary at the end of a recording. Layer: loop */
#include "core/record/loop/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/perfdata/coverage.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/counting.h"
#include "core/record/loop/loss_remedy.h"
#include "core/record/trigger/dumps.h"
#include "core/record/loop/print_maps.h"
#include "core/record/live/stats.h"

/* "cpu-clock (CPU 0: 10, CPU 1: 2)"; returns how many samples @event lost. */
static uint64_t describe_lost(const struct event_set *s, const struct event *event, struct buf *out)
{
	const char *separator = " (";
	uint64_t total = 0;

	buf_puts(out, event->name);
	vec_for(e, &s->opened) {
		if (e->event != event->number || !e->lost)
			continue;
		total += e->lost;
		if (e->place.cpu >= 0)
			buf_printf(out, "%sCPU %d: %llu", separator, e->place.cpu, (unsigned long long)e->lost);
		else
			buf_printf(out, "%sthread %d: %llu", separator, (int)e->place.pid, (unsigned long long)e->lost);
		separator = ", ";
	}
	buf_putc(out, ')');
	return total;
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

static void find_gaps(const struct summary *v, struct findings *out)
{
	const struct stats *t = v->stats;
	struct buf b = {0};

	buf_printf(&b, "%.3f ms together, the longest %.3f ms on ", (double)t->gap_ns / 1e6,
		   (double)(t->longest.to - t->longest.from) / 1e6);
	describe_ring(&b, v->set, t->longest.ring);
	buf_printf(&b, " at %.6f s", (double)t->longest.from / 1e9);
	findings_add(out, FINDING_LOSS_GAPS, t->nr_gaps, 0, buf_str(&b));
	buf_release(&b);
}

/* A gap that long has another cause than a small ring: it was not emptied. */
#define STOPPED_NS	100000000u

static void find_cause(const struct summary *v, struct findings *out)
{
	uint64_t pause = v->stats->longest.to - v->stats->longest.from, busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	char *where = NULL;

	if (pause >= STOPPED_NS)
		where = xasprintf("%.1f s", (double)pause / 1e9);
	else if (busy > v->wall_ns / 10 * 8)
		where = xasprintf("%.3f s in %.3f s", (double)busy / 1e9, (double)v->wall_ns / 1e9);
	findings_add(out, pause >= STOPPED_NS ? FINDING_RECORDER_STOPPED : FINDING_RECORDER_BUSY, where != NULL, 0, where);
	free(where);
}

/* Bytes of a ring that would have held all records while it was not emptied; 0: not known. */
static uint64_t needed_bytes(const struct summary *v)
{
	const struct stats *t = v->stats;
	uint64_t most = 0;

	vec_for(g, &t->gaps)
		most = MAX(most, g->lost);
	return most && t->records ? v->set->ring_bytes + most * (t->bytes / t->records + 1) : 0;
}

static void find_remedy(const struct summary *v, struct findings *out)
{
	struct loss_facts f = {
		.urgent = v->urgent, .waited_ns = v->waited_ns, .gap_ns = v->stats->longest.to - v->stats->longest.from,
		.busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID) > v->wall_ns / 10 * 8,
		.ring_bytes = v->set->ring_bytes, .ring_cut = v->ring_cut, .needed_bytes = needed_bytes(v),
	};
	char *text;

	vec_for(e, &v->set->table.events)
		f.stack_bytes = MAX(f.stack_bytes, (*e)->layout.type & PERF_SAMPLE_STACK_USER ? (*e)->attr.sample_stack_user : 0);
	f.stack_bytes = MAX(f.stack_bytes, v->stats->stack_bytes);
	text = loss_remedy_text(&f, !geteuid());
	findings_add(out, FINDING_LOSS_REMEDY, 1, 0, text);
	free(text);
}

static uint64_t lost_samples(const struct event_set *s)
{
	uint64_t nr = 0;

	vec_for(e, &s->opened)
		nr += event_set_is_side_band(s, e->event) ? 0 : e->lost;
	return nr;
}

static void find_lost(const struct summary *v, struct findings *out)
{
	uint64_t all = v->stats->samples + lost_samples(v->set);
	struct buf b = {0};
	bool any = false;

	vec_for(event, &v->set->table.events) {
		bool side_band = event_set_is_side_band(v->set, (*event)->number);
		uint64_t lost;

		b.len = 0;
		lost = describe_lost(v->set, *event, &b);
		any |= lost > 0;
		findings_add(out, side_band ? FINDING_LOST_SIDE_BAND : FINDING_LOST_SAMPLES, lost,
			     side_band ? v->stats->records + lost : all, buf_str(&b));
	}
	buf_release(&b);
	/* A kernel before 6.0 only reports the losses of its rings. */
	if (!any)
		findings_add(out, FINDING_LOST_RECORDS, v->stats->lost, v->stats->records + v->stats->lost, NULL);
	if (!any && !v->stats->lost)
		return;
	find_gaps(v, out);
	find_cause(v, out);
	find_remedy(v, out);
}

/* While writing fails, or is slow before it does, rings are full. Larger ones do not help with a full disk. */
static void find_unwritten(const struct summary *v, struct findings *out)
{
	const struct stats *t = v->stats;
	uint64_t lost = MAX(lost_samples(v->set), t->lost);
	char *where = lost ? xasprintf("%llu %s found no room in the rings", (unsigned long long)lost,
				       lost == 1 ? "record" : "records") : NULL;

	findings_add(out, FINDING_UNWRITTEN, t->unwritten, t->samples + t->unwritten, where);
	free(where);
}

void summary_findings(const struct summary *v, struct findings *out)
{
	const struct stats *t = v->stats;

	if (t->unwritten)
		find_unwritten(v, out);
	else
		find_lost(v, out);
	findings_add(out, FINDING_THROTTLED, t->throttled, 0, NULL);
}

/* Samples and what was lost of them are all hits, if every hit is a sample. */
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
	debug(1, "the recorder took %.3f s of CPU time in %.3f s", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9,
	      (double)v->wall_ns / 1e9);
}

static void print_counted(const struct summary *v)
{
	struct buf text = {0}, cpus = {0};

	counting_put(&text, v->set);
	counting_put_cpus(&cpus, v->set);
	fprintf(stderr, "\n%s%s%s\n%18.3f  seconds\n\n", buf_str(&text), cpus.len ? "\n" : "", buf_str(&cpus),
		(double)v->wall_ns / 1e9);
	buf_release(&cpus);
	buf_release(&text);
}

static void print_coverage(const struct feature_coverage *f)
{
	struct buf text = {0};
	struct coverage b;

	if (!coverage_of(&b, f, f->samples))
		return;
	coverage_put(&b, &text);
	fprintf(stderr, "[ prec record: %s ]\n", buf_str(&text));
	buf_release(&text);
}

static void print_dropped(const struct event_set *set)
{
	uint64_t dropped = 0;

	vec_for(e, &set->opened)
		dropped += e->dropped;
	if (set->filters.nr)
		fprintf(stderr, "[ prec record: %llu samples were dropped by filters ]\n", (unsigned long long)dropped);
}

static void print_dumps(const struct dumps *d)
{
	struct buf text = {0};

	dumps_put(d, &text);
	fprintf(stderr, "[ prec record: %s ]\n", buf_str(&text));
	buf_release(&text);
}

void summary_print(const struct summary *v)
{
	const struct stats *t = v->stats;

	vec_for(g, &t->gaps)
		print_gap(v, g);
	print_counts(v);
	if (v->maps->wanted)
		print_maps(v->set, v->maps, v->wall_ns, true);
	if (log_level() < 0)
		return;
	if (v->only_counts)
		print_counted(v);
	fprintf(stderr, "[ prec record: Woken up %llu times to write data, in %.3f s of CPU time ]\n",
		(unsigned long long)v->wakeups, (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
	print_coverage(v->coverage);
	print_dropped(v->set);
	if (t->stack_bytes)
		fprintf(stderr, "[ prec record: Copies of the stack grew to %u bytes, as chains ended where smaller ones did ]\n",
			t->stack_bytes);
	if (v->dumps)
		print_dumps(v->dumps);
	if (!v->output) {
		fprintf(stderr, "[ prec record: Nothing was dumped, and no file was written ]\n");
		return;
	}
	if (v->has_rest)
		fprintf(stderr, "[ prec record: No trigger ended the last file; "
				"--overwrite writes only what came before triggers ]\n");
	fprintf(stderr, "[ prec record: Captured%s %.3f MB%s%s (%llu samples) ]\n", v->passing ? "" : " and wrote",
		(double)v->bytes / (1 << 20), v->passing ? "" : " ", v->passing ? "" : v->output,
		(unsigned long long)t->samples);
}
