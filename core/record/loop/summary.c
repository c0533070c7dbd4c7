/* Prints the summary at the end of a recording, and explains lost samples. */
#include "core/record/loop/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/perfdata/coverage.h"
#include "core/record/loop/loss_remedy.h"
#include "core/record/loop/print_maps.h"
#include "core/record/loop/pumps.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/loop/recorder_state.h"

static uint64_t wall_ns(const struct recorder *r)
{
	return now_ns() - r->started_ns;
}

/* Returns the longest time that the thread that empties rings had no CPU. *urgent: it has a real-time priority. */
static uint64_t waited_ns(const struct recorder *r, bool *urgent)
{
	if (r->pumps)
		return pumps_waited_ns(r->pumps, urgent);
	*urgent = r->urgency.may || urgency_is_realtime();
	return r->waits.longest_ns;
}

/* Appends "cpu-clock (CPU 0: 10, CPU 1: 2)" if @event lost samples, and returns how many. */
static uint64_t describe_lost(const struct event_set *s, const struct event *event, struct buf *out)
{
	const char *separator = " (";
	uint64_t total = 0;

	vec_for(e, &s->opened) {
		if (e->event != event->number || !e->lost)
			continue;
		if (!total)
			buf_printf(out, "%s%s", out->len ? ", " : "", event->name);
		total += e->lost;
		if (e->place.cpu >= 0)
			buf_printf(out, "%sCPU %d: %llu", separator, e->place.cpu, (unsigned long long)e->lost);
		else
			buf_printf(out, "%sthread %d: %llu", separator, (int)e->place.pid, (unsigned long long)e->lost);
		separator = ", ";
	}
	if (total)
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

static void print_gap(const struct recorder *r, const struct stats_gap *g)
{
	struct buf b = {0};

	describe_ring(&b, &r->at.set, g->ring);
	debug(1, "lost %llu records on %s between %.6f and %.6f s", (unsigned long long)g->lost, buf_str(&b),
	      (double)g->from / 1e9, (double)g->to / 1e9);
	buf_release(&b);
}

static void find_gaps(const struct recorder *r, struct findings *out)
{
	const struct stats *t = r->stats;
	struct buf b = {0};

	buf_printf(&b, "%.3f ms together, the longest %.3f ms on ", (double)t->gap_ns / 1e6,
		   (double)(t->longest.to - t->longest.from) / 1e6);
	describe_ring(&b, &r->at.set, t->longest.ring);
	buf_printf(&b, " at %.6f s", (double)t->longest.from / 1e9);
	findings_add(out, FINDING_LOSS_GAPS, t->nr_gaps, 0, buf_str(&b));
	buf_release(&b);
}

/* A gap of this length is not due to the size of the ring buffer, but to a recorder that did not empty it. */
#define STOPPED_NS	100000000u

static void find_cause(const struct recorder *r, struct findings *out)
{
	uint64_t pause = r->stats->longest.to - r->stats->longest.from, busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	char *where = NULL;

	if (pause >= STOPPED_NS)
		where = xasprintf("%.1f s", (double)pause / 1e9);
	else if (busy > wall_ns(r) / 10 * 8)
		where = xasprintf("%.3f s in %.3f s", (double)busy / 1e9, (double)wall_ns(r) / 1e9);
	findings_add(out, pause >= STOPPED_NS ? FINDING_RECORDER_STOPPED : FINDING_RECORDER_BUSY, where != NULL, 0, where);
	free(where);
}

/* Returns the size of a ring buffer that would have held all records while it was not emptied, or 0 if it is unknown. */
static uint64_t needed_bytes(const struct recorder *r)
{
	const struct stats *t = r->stats;
	uint64_t most = 0;

	vec_for(g, &t->gaps)
		most = MAX(most, g->lost);
	return most && t->records ? r->at.set.ring_bytes + most * (t->bytes / t->records + 1) : 0;
}

static void find_remedy(const struct recorder *r, struct findings *out)
{
	struct loss_facts f = {
		.gap_ns = r->stats->longest.to - r->stats->longest.from,
		.busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID) > wall_ns(r) / 10 * 8,
		.ring_bytes = r->at.set.ring_bytes, .ring_cut = r->at.set.ring_bytes < r->o->ring_bytes,
		.needed_bytes = needed_bytes(r),
	};
	char *text;

	f.waited_ns = waited_ns(r, &f.urgent);
	vec_for(e, &r->at.set.table.events)
		f.stack_bytes = MAX(f.stack_bytes, (*e)->layout.type & PERF_SAMPLE_STACK_USER ? (*e)->attr.sample_stack_user : 0);
	f.stack_bytes = MAX(f.stack_bytes, r->stats->stack_bytes);
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

static void find_lost(const struct recorder *r, struct findings *out)
{
	struct buf samples_where = {0}, side_band_where = {0};
	uint64_t samples = 0, side_band = 0;

	vec_for(event, &r->at.set.table.events) {
		if (event_set_is_side_band(&r->at.set, (*event)->number))
			side_band += describe_lost(&r->at.set, *event, &side_band_where);
		else
			samples += describe_lost(&r->at.set, *event, &samples_where);
	}
	findings_add(out, FINDING_LOST_SAMPLES, samples, r->stats->samples + samples, buf_str(&samples_where));
	findings_add(out, FINDING_LOST_SIDE_BAND, side_band, r->stats->records + side_band, buf_str(&side_band_where));
	buf_release(&samples_where);
	buf_release(&side_band_where);
	/* A kernel before 6.0 only reports the losses of its rings. */
	if (!samples && !side_band)
		findings_add(out, FINDING_LOST_RECORDS, r->stats->lost, r->stats->records + r->stats->lost, NULL);
	if (!samples && !side_band && !r->stats->lost)
		return;
	find_gaps(r, out);
	find_cause(r, out);
	find_remedy(r, out);
}

/* Finds unwritten samples. Losses in ring buffers are only mentioned: larger ones do not help against a full disk. */
static void find_unwritten(const struct recorder *r, struct findings *out)
{
	const struct stats *t = r->stats;
	uint64_t lost = MAX(lost_samples(&r->at.set), t->lost);
	char *where = lost ? xasprintf("%llu %s found no room in the rings", (unsigned long long)lost,
				       lost == 1 ? "record" : "records") : NULL;

	findings_add(out, FINDING_UNWRITTEN, t->unwritten, t->samples + t->unwritten, where);
	free(where);
}

void summary_findings(const struct recorder *r, struct findings *out)
{
	const struct stats *t = r->stats;

	if (t->unwritten)
		find_unwritten(r, out);
	else
		find_lost(r, out);
	findings_add(out, FINDING_THROTTLED, t->throttled, 0, NULL);
}

/* Prints with -v the count and lost samples of each event. If every hit is a sample, samples and lost ones are the count. */
static void print_counts(const struct recorder *r)
{
	for (size_t i = 0; i + 1 < r->at.set.table.events.nr; i++) {
		uint64_t count = 0, lost = 0;

		vec_for(e, &r->at.set.opened) {
			count += e->event == i ? e->count : 0;
			lost += e->event == i ? e->lost : 0;
		}
		debug(1, "event '%s': counted %llu, lost %llu samples", r->at.set.table.events.v[i]->name,
		      (unsigned long long)count, (unsigned long long)lost);
	}
	debug(1, "the recorder took %.3f s of CPU time in %.3f s", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9,
	      (double)wall_ns(r) / 1e9);
}

static void print_counted(const struct recorder *r)
{
	struct buf text = {0}, cpus = {0};

	counting_put(&text, &r->at.set);
	counting_put_cpus(&cpus, &r->at.set);
	fprintf(stderr, "\n%s%s%s\n%18.3f  seconds\n\n", buf_str(&text), cpus.len ? "\n" : "", buf_str(&cpus),
		(double)wall_ns(r) / 1e9);
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

void summary_print(const struct recorder *r)
{
	bool passing = r->o->output.passing, triggers = r->o->triggers.specs.nr;
	const struct stats *t = r->stats;

	vec_for(g, &t->gaps)
		print_gap(r, g);
	print_counts(r);
	if (r->o->maps.wanted)
		print_maps(&r->at.set, &r->o->maps, wall_ns(r), true);
	if (log_level() < 0)
		return;
	if (r->o->sampling.no_samples)
		print_counted(r);
	fprintf(stderr, "[ prec record: Woken up %llu times to write data; recording itself took %.3f s of CPU time ]\n",
		(unsigned long long)r->readers.list[0].wakeups, (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
	print_coverage(&r->coverage);
	print_dropped(&r->at.set);
	if (t->stack_bytes)
		fprintf(stderr, "[ prec record: Copies of the stack grew to %u bytes, as chains ended where smaller ones did ]\n",
			t->stack_bytes);
	if (triggers)
		print_dumps(&r->dumps);
	if (!r->output.last) {
		fprintf(stderr, "[ prec record: Nothing was dumped, and no file was written ]\n");
		return;
	}
	if (triggers && r->o->output.rotate && !r->o->dumps_exact && !r->o->aux)
		fprintf(stderr, "[ prec record: No trigger ended the last file; "
				"--overwrite writes only what came before triggers ]\n");
	fprintf(stderr, "[ prec record: Captured%s %.3f MB%s%s (%llu samples) ]\n", passing ? "" : " and wrote",
		(double)output_bytes(&r->output) / (1 << 20), passing ? "" : " ", passing ? "" : r->output.last,
		(unsigned long long)t->samples);
}
