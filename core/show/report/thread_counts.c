/*
 * Reads the PERF_RECORD_READ records of a recording, and prints their counts by thread (prec report -T) or by event.
 * core/show/query/counts_table.c shows these counts as the SQL table "counts".
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/read/session.h"
#include "core/perfdata/abi.h"
#include "core/perfdata/counted.h"
#include "core/perfdata/read_format.h"

#define CPU_NONE	UINT32_MAX
#define MISSING_TOLD	8	/* threads without counts that are named */

struct thread_row { uint32_t pid, tid; };

struct thread_list {		/* each thread once, in the order in which threads were added */
	VEC(struct thread_row) rows;
	struct index by_thread;
};

/* The total of a counter, which includes the children of its thread. */
struct counter {
	uint64_t id;
	uint32_t event, pid, tid;
	uint32_t cpu;			/* from the READ record; CPU_NONE: it has none */
	struct counted counted;
	uint64_t children;
};

struct thread_counts {
	const struct event_table *events;
	struct { VEC(struct counter) list; struct index by_id; } counters;
	struct thread_list threads;	/* threads with counts */
	VEC(uint64_t) counts;		/* for each of .threads: a count for each event */
	VEC(bool) has_counts;		/* by event */
	struct thread_list seen;	/* threads with a FORK, COMM or EXIT record */
};

/* The number of the thread in @l; the length of @l: it is not in @l. */
static size_t list_find(const struct thread_list *l, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_pair(pid, tid);

	index_for(pos, &l->by_thread, hash)
		if (l->rows.v[pos].pid == pid && l->rows.v[pos].tid == tid)
			return pos;
	return l->rows.nr;
}

static size_t list_add(struct thread_list *l, uint32_t pid, uint32_t tid)
{
	size_t at = list_find(l, pid, tid);

	if (at < l->rows.nr)
		return at;
	index_add(&l->by_thread, hash_pair(pid, tid), (uint32_t)at);
	vec_push(&l->rows, (struct thread_row){ pid, tid });
	return at;
}

static void list_release(struct thread_list *l)
{
	vec_free(&l->rows);
	index_release(&l->by_thread);
}

static uint64_t *counts_of(struct thread_counts *t, uint32_t pid, uint32_t tid)
{
	size_t nr = t->events->events.nr, at = list_add(&t->threads, pid, tid);

	while (t->counts.nr < t->threads.rows.nr * nr)
		vec_push(&t->counts, 0);
	return &t->counts.v[at * nr];
}

/* The value of @ev in its READ record, which in a group has the values of all members. False: it is missing. */
static bool own_value(const struct thread_counts *t, const struct event *ev, const struct words *values, struct counted *out)
{
	struct read_layout read = read_layout_of(ev->attr.read_format);
	uint64_t at = read.group, end = read.group ? values->nr : MIN(values->nr, read.step);

	*out = (struct counted){0};
	if (read.group && read.id == READ_NONE)
		return false;
	if (read.enabled != READ_NONE && at + read.enabled < values->nr)
		out->enabled = words_at(values, at + read.enabled);
	if (read.running != READ_NONE && at + read.running < values->nr)
		out->running = words_at(values, at + read.running);
	for (at += read.values; at < end && read.step <= values->nr; at += read.step)
		if (!read.group || (at + read.id < end && event_by_id(t->events, words_at(values, at + read.id)) == ev)) {
			out->value = words_at(values, at);
			return true;
		}
	return false;
}

static struct counter *counter_of(struct thread_counts *t, uint64_t id)
{
	uint64_t hash = hash_u64(id);

	index_for(pos, &t->counters.by_id, hash)
		if (t->counters.list.v[pos].id == id)
			return &t->counters.list.v[pos];
	index_add(&t->counters.by_id, hash, (uint32_t)t->counters.list.nr);
	vec_push(&t->counters.list, (struct counter){ .id = id, .tid = COUNTED_NO_THREAD, .cpu = CPU_NONE });
	return &t->counters.list.v[t->counters.list.nr - 1];
}

static bool wants_reads(void *ctx, const struct record_header *header)
{
	switch (header->type) {
	case PERF_RECORD_READ: case PERF_RECORD_COMM: case PERF_RECORD_FORK: case PERF_RECORD_EXIT:
		return true;
	default:
		return false;
	}
}

/*
 * The kernel writes a READ record when a thread that inherited a counter ends (record -s). prec record itself writes one for each
 * counter that it opened, with the counter's total (RECORD_MISC_READ_TOTAL).
 */
static void on_read(struct thread_counts *t, const struct item *item)
{
	const struct record_read *r = &item->record->read;
	struct counter *counter;
	struct counted own;

	if (!item->event || !own_value(t, item->event, &r->values, &own))
		return;
	counter = counter_of(t, item->record->id.id);
	if (item->record->header.misc & RECORD_MISC_READ_TOTAL) {
		counter->event = item->event->number;
		counter->pid = r->pid;
		counter->tid = r->tid;
		counter->cpu = item->record->id.has_cpu ? item->record->id.cpu : CPU_NONE;
		counter->counted.value += own.value;
		counter->counted.enabled += own.enabled;
		counter->counted.running += own.running;
		return;
	}
	counter->children += own.value;
	counts_of(t, r->pid, r->tid)[item->event->number] += own.value;
	t->has_counts.v[item->event->number] = true;
}

/* A counter that prec opened includes children that have ended. These have counts of their own, which are subtracted. */
static void add_followed(struct thread_counts *t)
{
	vec_for(c, &t->counters.list) {
		if (c->tid == COUNTED_NO_THREAD)
			continue;
		counts_of(t, c->pid, c->tid)[c->event] += c->counted.value - MIN(c->children, c->counted.value);
		t->has_counts.v[c->event] = true;
	}
}

/* Notes a READ record, or a thread, except the idle tasks. */
static void on_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct record *r = item->record;
	struct thread_counts *t = ctx;

	(void)worker, (void)out;
	if (r->header.type == PERF_RECORD_READ)
		on_read(t, item);
	else if (r->header.type == PERF_RECORD_COMM && r->comm.tid)
		list_add(&t->seen, r->comm.pid, r->comm.tid);
	else if ((r->header.type == PERF_RECORD_FORK || r->header.type == PERF_RECORD_EXIT) && r->task.tid)
		list_add(&t->seen, r->task.pid, r->task.tid);
}

static int digits(uint64_t n)
{
	return snprintf(NULL, 0, "%" PRIu64, n);
}

/* Returns the width of the title or of the largest value, whichever is wider. */
static int column_width(const struct thread_counts *t, size_t event)
{
	int width = (int)strlen(t->events->events.v[event]->name);

	for (size_t i = 0; i < t->threads.rows.nr; i++)
		width = MAX(width, digits(t->counts.v[i * t->events->events.nr + event]));
	return width;
}

static void print(const struct thread_counts *t, struct buf *out)
{
	size_t nr = t->events->events.nr;
	int pid_width = 5, tid_width = 5;

	vec_for(thread, &t->threads.rows) {
		pid_width = MAX(pid_width, digits(thread->pid));
		tid_width = MAX(tid_width, digits(thread->tid));
	}
	buf_printf(out, "# %*s  %*s", pid_width, "PID", tid_width, "TID");
	for (size_t e = 0; e < nr; e++)
		if (t->has_counts.v[e])
			buf_printf(out, "  %*s", column_width(t, e), t->events->events.v[e]->name);
	buf_putc(out, '\n');
	for (size_t i = 0; i < t->threads.rows.nr; i++) {
		const struct thread_row *row = &t->threads.rows.v[i];

		buf_printf(out, "  %*" PRIu32 "  %*" PRIu32, pid_width, row->pid, tid_width, row->tid);
		for (size_t e = 0; e < nr; e++)
			if (t->has_counts.v[e])
				buf_printf(out, "  %*" PRIu64, column_width(t, e), t->counts.v[i * nr + e]);
		buf_putc(out, '\n');
	}
}

/* True if the recording was made with -s. */
static bool keeps_counts(const struct event_table *events)
{
	vec_for(ev, &events->events)
		if ((*ev)->attr.inherit_stat)
			return true;
	return false;
}

/* Names the threads that have no counts, because the table is incomplete without them. */
static void print_missing(const struct thread_counts *t, struct buf *out)
{
	struct buf names = {0};
	size_t nr = 0;

	vec_for(thread, &t->seen.rows) {
		if (list_find(&t->threads, thread->pid, thread->tid) < t->threads.rows.nr)
			continue;
		if (nr < MISSING_TOLD)
			buf_printf(&names, "%s%" PRIu32, nr ? ", " : "", thread->tid);
		nr++;
	}
	if (nr)
		buf_printf(out, "# Not in the table: %zu of %zu threads, which have no READ record (%s%s)\n", nr,
			   t->seen.rows.nr, buf_str(&names), nr > MISSING_TOLD ? ", ..." : "");
	buf_release(&names);
}

static void read_counts(struct thread_counts *t, struct session *s)
{
	struct ordered_pass pass = { .wants = wants_reads, .item = on_item, .one_worker = true };

	*t = (struct thread_counts){ .events = session_events(s) };
	for (size_t i = 0; i < t->events->events.nr; i++)
		vec_push(&t->has_counts, false);
	session_ordered(s, &pass, t, -1);
}

static void counts_release(struct thread_counts *t)
{
	list_release(&t->threads);
	list_release(&t->seen);
	vec_free(&t->counts);
	vec_free(&t->has_counts);
	vec_free(&t->counters.list);
	index_release(&t->counters.by_id);
}

void thread_counts_print(struct session *s, struct buf *out)
{
	struct thread_counts t;

	read_counts(&t, s);
	if (keeps_counts(t.events))
		add_followed(&t);
	if (t.threads.rows.nr)
		print(&t, out);
	if (t.threads.rows.nr || keeps_counts(t.events))
		print_missing(&t, out);
	counts_release(&t);
}

static void print_cpus(const struct thread_counts *t, struct buf *out)
{
	bool any = false;

	vec_for(c, &t->counters.list) {
		if (c->tid != COUNTED_NO_THREAD || c->cpu == CPU_NONE || !c->counted.enabled)
			continue;
		buf_puts(out, any ? "" : "\n");
		counted_put_cpu(&c->counted, c->cpu, t->events->events.v[c->event], out);
		any = true;
	}
}

bool event_counts_print(struct session *s, struct buf *out)
{
	struct thread_counts t;
	size_t begin = out->len;

	read_counts(&t, s);
	vec_for(ev, &t.events->events) {
		struct counted_sum sum = { .tid = COUNTED_NO_THREAD };
		bool any = false;

		vec_for(c, &t.counters.list)
			if (c->event == (*ev)->number && c->counted.enabled) {
				counted_add(&sum, c->tid, &c->counted);
				any = true;
			}
		if (any)
			counted_put(&sum.total, *ev, out);
	}
	print_cpus(&t, out);
	counts_release(&t);
	return out->len > begin;
}
