/*
 * READ records, summed up: an event has a counter on each CPU, and a thread's share of each is told apart.
 * Layer: report
 */
#include "core/report/thread_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/flow/session.h"
#include "core/format/read_format.h"

struct thread_row { uint32_t pid, tid; };

struct thread_counts {
	const struct event_table *events;
	VEC(struct thread_row) threads;
	VEC(uint64_t) counts;		/* of each thread, an event's after the other's */
	VEC(bool) told;			/* by event */
	struct index by_thread;
};

static uint64_t *counts_of(struct thread_counts *t, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_pair(pid, tid);
	size_t nr = t->events->events.nr;
	uint32_t pos;

	for (size_t i = index_first(&t->by_thread, hash); (pos = index_at(&t->by_thread, i, hash)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && t->threads.v[pos].pid == pid && t->threads.v[pos].tid == tid)
			return &t->counts.v[pos * nr];
	index_add(&t->by_thread, hash, (uint32_t)t->threads.nr);
	vec_push(&t->threads, (struct thread_row){ pid, tid });
	for (size_t i = 0; i < nr; i++)
		vec_push(&t->counts, 0);
	return &t->counts.v[t->counts.nr - nr];
}

/* The value of @ev in its own READ record; of a group all members tell all values. False: it is not there. */
static bool own_value(const struct thread_counts *t, const struct event *ev, const struct words *values, uint64_t *out)
{
	struct read_layout read = read_layout_of(ev->attr.read_format);

	if (!read.group) {
		*out = words_at(values, 0);
		return values->nr;
	}
	if (read.id == READ_NONE)
		return false;
	/* The first word is how many there are. */
	for (uint64_t at = 1 + read.values; at + read.step <= values->nr; at += read.step)
		if (event_by_id(t->events, words_at(values, at + read.id)) == ev) {
			*out = words_at(values, at);
			return true;
		}
	return false;
}

static bool wants_reads(void *ctx, const struct record_header *header)
{
	(void)ctx;
	return header->type == PERF_RECORD_READ;
}

static void take_read(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct record_read *r = &item->record->read;
	struct thread_counts *t = ctx;
	uint64_t value;

	(void)worker, (void)out;
	if (item->record->header.type != PERF_RECORD_READ || !item->event ||
	    !own_value(t, item->event, &r->values, &value))
		return;
	counts_of(t, r->pid, r->tid)[item->event->number] += value;
	t->told.v[item->event->number] = true;
}

static int digits(uint64_t n)
{
	return snprintf(NULL, 0, "%" PRIu64, n);
}

/* As wide as its title and its largest value. */
static int column_width(const struct thread_counts *t, size_t event)
{
	int width = (int)strlen(t->events->events.v[event]->name);

	for (size_t i = 0; i < t->threads.nr; i++)
		width = MAX(width, digits(t->counts.v[i * t->events->events.nr + event]));
	return width;
}

static void print(const struct thread_counts *t, struct buf *out)
{
	size_t nr = t->events->events.nr;
	int pid_width = 5, tid_width = 5;

	vec_for(thread, &t->threads) {
		pid_width = MAX(pid_width, digits(thread->pid));
		tid_width = MAX(tid_width, digits(thread->tid));
	}
	buf_printf(out, "# %*s  %*s", pid_width, "PID", tid_width, "TID");
	for (size_t e = 0; e < nr; e++)
		if (t->told.v[e])
			buf_printf(out, "  %*s", column_width(t, e), t->events->events.v[e]->name);
	buf_putc(out, '\n');
	for (size_t i = 0; i < t->threads.nr; i++) {
		buf_printf(out, "  %*" PRIu32 "  %*" PRIu32, pid_width, t->threads.v[i].pid, tid_width, t->threads.v[i].tid);
		for (size_t e = 0; e < nr; e++)
			if (t->told.v[e])
				buf_printf(out, "  %*" PRIu64, column_width(t, e), t->counts.v[i * nr + e]);
		buf_putc(out, '\n');
	}
}

void thread_counts_print(struct session *s, struct buf *out)
{
	struct thread_counts t = { .events = session_events(s) };
	struct ordered_pass pass = { .wants = wants_reads, .item = take_read, .one_worker = true };

	for (size_t i = 0; i < t.events->events.nr; i++)
		vec_push(&t.told, false);
	session_ordered(s, &pass, &t, -1);
	if (t.threads.nr)
		print(&t, out);
	vec_free(&t.threads);
	vec_free(&t.counts);
	vec_free(&t.told);
	index_release(&t.by_thread);
}
