/*
 * Prints histograms of how many threads waited for a CPU, and lists the threads that waited longest, for prec report
 * --run-queue. core/sched/runqueue.c counts the waiting threads at each sample of an event, usually a clock.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/read/filter.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/model/machine.h"
#include "core/perfdata/event_table.h"
#include "core/sched/runqueue.h"

#define BAR	40u		/* columns of the longest bar */
#define MOST_WAITERS	10u	/* names that are listed */

struct length { uint32_t cpu, waiting; uint64_t nr; };

struct lengths { VEC(struct length) list; };	/* sorted at the end */

struct runqueue_report {
	const struct own_table_opts *opts;
	bool by_cpu;			/* a histogram for each CPU */
	const struct runqueues *queues;
	const struct event *event;
	struct lengths all;
	uint64_t nr_unknown;		/* samples without a known CPU */
};

struct worker {
	struct lengths counts;		/* an element for each length seen on each CPU, which are few */
	struct runqueue_cursor cursor;
	uint64_t nr_unknown;
};

static void count(struct lengths *l, uint32_t cpu, uint32_t waiting, uint64_t nr)
{
	vec_for(i, &l->list)
		if (i->cpu == cpu && i->waiting == waiting) {
			i->nr += nr;
			return;
		}
	vec_push(&l->list, (struct length){ cpu, waiting, nr });
}

static bool wants(const void *ctx, const struct event *event)
{
	const struct runqueue_report *q = ctx;

	return event == q->event;
}

static void on_item(void *worker, void *ctx, const struct item *item)
{
	const struct runqueue_report *q = ctx;
	struct worker *w = worker;
	uint32_t waiting;

	if (item->event != q->event || !filter_item(q->opts->filter, item))
		return;
	waiting = runqueue_length(q->queues, &w->cursor, item->sample->cpu, item->time);
	if (waiting == RUNQUEUE_UNKNOWN)
		w->nr_unknown++;
	else
		count(&w->counts, item->sample->cpu, waiting, 1);
}

static void merge(void *worker, void *ctx)
{
	struct runqueue_report *q = ctx;
	struct worker *w = worker;

	vec_for(l, &w->counts.list)
		count(&q->all, l->cpu, l->waiting, l->nr);
	q->nr_unknown += w->nr_unknown;
	vec_free(&w->counts.list);
}

/* ---- showing ---- */

ORDER(compare, struct length, compare_numbers(a->cpu, b->cpu) ?: compare_numbers(a->waiting, b->waiting))

static void put_row(const struct runqueue_report *q, const struct length *l, uint64_t total, uint64_t most, struct buf *out)
{
	double percent = 100.0 * (double)l->nr / (double)total;
	const char *sep = q->opts->separator;

	if (sep) {
		if (q->by_cpu)
			buf_printf(out, "%" PRIu32 "%s", l->cpu, sep);
		buf_printf(out, "%" PRIu32 "%s%" PRIu64 "%s%.2f\n", l->waiting, sep, l->nr, sep, percent);
		return;
	}
	buf_printf(out, "%9" PRIu32 " %10" PRIu64 " %6.2f%% ", l->waiting, l->nr, percent);
	buf_fill(out, '#', (size_t)((double)l->nr * BAR / (double)most + 0.999));
	buf_putc(out, '\n');
}

/* @l: of one CPU, or of all. */
static void put_histogram(const struct runqueue_report *q, const struct lengths *l, size_t from, size_t to, struct buf *out)
{
	uint64_t total = 0, most = 0;
	double sum = 0;

	for (size_t i = from; i < to; i++) {
		total += l->list.v[i].nr;
		most = MAX(most, l->list.v[i].nr);
		sum += (double)l->list.v[i].nr * l->list.v[i].waiting;
	}
	for (size_t i = from; i < to; i++)
		put_row(q, &l->list.v[i], total, most, out);
	if (!q->opts->separator)
		buf_printf(out, "# %.2f threads waited in the mean\n\n", sum / (double)total);
}

static void put_titles(const struct runqueue_report *q, const char *of, struct buf *out)
{
	const char *sep = q->opts->separator;

	if (sep)
		buf_printf(out, "# %s%sWaiting%sSamples%sPercent\n", q->by_cpu ? "CPU" : "", q->by_cpu ? sep : "",
			   sep, sep);
	else
		buf_printf(out, "# %s\n# Waiting    Samples Percent\n", of);
}

static size_t end_of_cpu(const struct lengths *l, size_t from)
{
	size_t to = from;

	while (to < l->list.nr && l->list.v[to].cpu == l->list.v[from].cpu)
		to++;
	return to;
}

static void put_by_cpu(const struct runqueue_report *q, struct buf *out)
{
	const struct lengths *l = &q->all;

	if (q->opts->separator)
		put_titles(q, NULL, out);
	for (size_t from = 0, to; from < l->list.nr; from = to) {
		char name[32];

		to = end_of_cpu(l, from);
		snprintf(name, sizeof(name), "CPU %" PRIu32, l->list.v[from].cpu);
		if (!q->opts->separator)
			put_titles(q, name, out);
		put_histogram(q, l, from, to, out);
	}
}

static void put_all(const struct runqueue_report *q, struct buf *out)
{
	struct lengths sums = {0};

	vec_for(l, &q->all.list)
		count(&sums, 0, l->waiting, l->nr);
	vec_sort(&sums.list, compare);
	put_titles(q, "All CPUs", out);
	put_histogram(q, &sums, 0, sums.list.nr, out);
	vec_free(&sums.list);
}

static void put_occupancy(const struct runqueue_report *q, struct buf *out)
{
	const struct lengths *l = &q->all;

	buf_puts(out, "# Samples in which threads waited for the CPU\n");
	for (size_t from = 0, to; from < l->list.nr; from = to) {
		uint64_t nr = 0, waited = 0;

		to = end_of_cpu(l, from);
		for (size_t i = from; i < to; i++) {
			nr += l->list.v[i].nr;
			waited += l->list.v[i].waiting ? l->list.v[i].nr : 0;
		}
		buf_printf(out, "CPU %-4" PRIu32 " %6.2f%%\n", l->list.v[from].cpu, 100.0 * (double)waited / (double)nr);
	}
}

/* ---- names ---- */

struct waiter { uint32_t tid, comm; uint64_t from, ns; };	/* a thread, or the sum over the threads of a name */

struct waiters { VEC(struct waiter) list; };

ORDER(compare_lives, struct waiter, compare_numbers(a->tid, b->tid) ?: compare_numbers(a->from, b->from))

ORDER(compare_waits, struct waiter, compare_numbers(b->ns, a->ns) ?: compare_numbers(a->tid, b->tid))

static void find_lives(struct waiters *out, const struct session *s, const struct runqueues *queues)
{
	const struct machine *m = session_machine(s);
	struct context_cache *cache = context_cache_new(m);

	for (uint32_t i = 0, nr = machine_nr_threads(m); i < nr; i++) {
		struct thread t = *machine_thread(m, i);
		uint64_t ns = runqueues_waited(queues, t.tid), end = t.to == UINT64_MAX ? t.to : t.to - (t.to > t.from);

		if (ns)
			vec_push(&out->list, (struct waiter){
				.tid = t.tid, .from = t.from, .ns = ns,
				.comm = machine_context(cache, t.pid, t.tid, end)->comm_number,
			});
	}
	context_cache_free(cache);
	vec_sort(&out->list, compare_lives);
}

/* Appends the names of threads that waited. If several threads had one tid, the name is that of the last. */
static void put_waiters(const struct session *s, const struct runqueues *queues, struct buf *out)
{
	struct waiters lives = {0}, names = {0};
	uint64_t all = 0;

	find_lives(&lives, s, queues);
	for (size_t i = 0; i < lives.list.nr; i++) {
		const struct waiter *w = &lives.list.v[i];
		size_t at = 0;

		if (i + 1 < lives.list.nr && w[1].tid == w->tid)
			continue;
		while (at < names.list.nr && names.list.v[at].comm != w->comm)
			at++;
		if (at == names.list.nr)
			vec_push(&names.list, *w);
		else
			names.list.v[at].ns += w->ns;
		all += w->ns;
	}
	if (names.list.nr) {
		vec_sort(&names.list, compare_waits);
		buf_puts(out, "\n# Threads that waited, and their part of the time that all waited\n");
	}
	for (size_t i = 0; i < MIN(names.list.nr, MOST_WAITERS); i++)
		buf_printf(out, "%9.2f%%  %s\n", 100.0 * (double)names.list.v[i].ns / (double)all,
			   machine_comm(session_machine(s), names.list.v[i].comm));
	vec_free(&names.list);
	vec_free(&lives.list);
}

/* Finds a clock event, because a clock samples at regular times, and others only if something happens. NULL (printed): none. */
static const struct event *find_clock(const struct session *s)
{
	vec_for(ev, &session_events(s)->events)
		if (event_counts_time(*ev) && event_shows(*ev, PERF_SAMPLE_TIME) && event_shows(*ev, PERF_SAMPLE_CPU))
			return *ev;
	error("'%s' has no samples of a clock with times and CPUs: record --run-queue", session_file(s)->path);
	return NULL;
}

int runqueue_print(struct session *s, const struct own_table_opts *o, const struct event *event, bool by_cpu, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct worker), .sample = on_item, .merge = merge, .wants_event = wants,
	};
	struct runqueues *queues;
	struct runqueue_report q = { .opts = o, .by_cpu = by_cpu, .event = event ? event : find_clock(s) };

	queues = q.event ? session_runqueues(s) : NULL;
	if (!queues)
		return -1;
	q.queues = queues;
	session_samples(s, &pass, &q);
	if (q.all.list.nr) {
		vec_sort(&q.all.list, compare);
		if (by_cpu)
			put_by_cpu(&q, out);
		else
			put_all(&q, out);
		if (!o->separator) {
			put_occupancy(&q, out);
			put_waiters(s, queues, out);
		}
	} else {
		buf_printf(out, "# No samples of '%s'\n", q.event->name);
	}
	if (q.nr_unknown && !o->separator)
		buf_printf(out, "# %" PRIu64 " samples, of which the CPU is not known, are left out\n", q.nr_unknown);
	runqueues_free(queues);
	vec_free(&q.all.list);
	return 0;
}
