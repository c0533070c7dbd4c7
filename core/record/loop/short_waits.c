/*
 * Sums up the off-CPU waits that are shorter than the threshold of --off-cpu-thresh, by thread and call stack. ring_drain.c
 * writes the sums, and the records of longer waits, to the file.
 */
#include "core/record/loop/short_waits.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/perfdata/event_table.h"
#include "core/tracepoint/tracing_data.h"
#include "core/perfdata/wait_sums.h"
#include "core/sched/sched_events.h"
#include "core/sched/waits.h"
#include "core/record/open/ring.h"

#define SUMS_MAX	256u		/* sums that are held of one thread; then all of them are written */

struct queued_record {
	uint64_t time;
	size_t at;			/* offset of the record in .bytes */
};

struct wait_sum {
	uint64_t hash;
	uint64_t period, delay, nr;
	uint64_t ip;
	uint64_t *chain;		/* owned */
	size_t nr_chain;
	uint32_t cpu;
	uint16_t misc;
	uint8_t state;
};

/* A thread's state according to the file so far. */
enum task_state { TASK_NEW, TASK_ON, TASK_OFF, TASK_MAYBE_OFF /* its wait began, and may be a short one */ };

struct short_task {
	uint32_t tid, pid;
	uint8_t state;			/* enum task_state */
	uint8_t sources;			/* enum wait_source: the sources that have reported the last switch */
	bool ended;
	bool was_short;			/* its last wait was short: later records of the wait's end are dropped, too */
	bool listed;			/* its index is in .maybe of struct short_waits */
	/* For TASK_MAYBE_OFF: */
	struct wait wait;
	uint64_t seen_ns;		/* when the begin of the wait was handled, CLOCK_MONOTONIC */
	uint64_t ip;
	uint16_t misc;
	bool has_stack;
	VEC(uint64_t) chain;
	struct buf records;		/* the held records of the wait, which are written if it is long */
	struct buf instead;		/* records that are written instead if the wait is short */
	uint64_t nr_samples;		/* samples in .records */
	VEC(struct wait_sum) sums;
};

struct short_waits {
	const struct event_table *events;	/* borrowed */
	const struct event *sums_event;
	const struct sample_layout *layout;	/* of records other than samples */
	struct tracing_data tracing;
	uint64_t below_ns;
	int time_at;				/* offset of the time in a sample, from the record's start */
	struct sched_events sources;		/* by number of the event */
	struct event_memo memo;
	struct buf bytes, spare;
	VEC(struct queued_record) queued;
	uint64_t newest;			/* the latest time of all records that were read up to the last round */
	uint64_t settled;			/* .newest of the round before: all records up to this time have been read */
	uint64_t rounded;			/* .newest at the last FINISHED_ROUND */
	uint64_t began_ns;
	VEC(struct short_task) tasks;
	struct index by_tid;
	VEC(uint32_t) maybe;			/* tasks that are TASK_MAYBE_OFF */
	struct short_waits_counts counts;
	struct buf *out;
};

struct short_waits *short_waits_new(const struct event_table *events, const struct buf *tracing, uint64_t below_ns)
{
	struct short_waits *w = xcalloc(1, sizeof(*w));

	w->events = events;
	w->below_ns = below_ns;
	w->layout = &events->events.v[events->events.nr - 1]->layout;
	w->time_at = (int)sizeof(struct record_header) + w->layout->time_at;
	if (tracing->len)
		tracing_data_read(&w->tracing, tracing->data, tracing->len);
	sched_events_find(&w->sources, events, &w->tracing);
	vec_for(ev, &events->events)
		if (attr_is_wait_sums(&(*ev)->attr))
			w->sums_event = *ev;
	return w;
}

static void free_sums(struct short_task *t)
{
	vec_for(sum, &t->sums)
		free(sum->chain);
	t->sums.nr = 0;
}

void short_waits_free(struct short_waits *w)
{
	if (!w)
		return;
	vec_for(t, &w->tasks) {
		free_sums(t);
		vec_free(&t->sums);
		vec_free(&t->chain);
		buf_release(&t->records);
		buf_release(&t->instead);
	}
	vec_free(&w->tasks);
	vec_free(&w->maybe);
	vec_free(&w->sources.list);
	vec_free(&w->queued);
	index_release(&w->by_tid);
	buf_release(&w->bytes);
	buf_release(&w->spare);
	tracing_data_release(&w->tracing);
	free(w);
}

/* ---- holding ---- */

static uint64_t word_at(const struct ring_span *s, uint64_t at)
{
	uint64_t v;

	ring_copy(s, at, &v, sizeof(v));
	return v;
}

static void hold(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h, uint64_t time)
{
	vec_push(&w->queued, (struct queued_record){ .time = time, .at = w->bytes.len });
	ring_copy(s, at, buf_room(&w->bytes, h.size), h.size);
	w->bytes.len += h.size;
}

/* Holds back a sample of a switch or a wake-up. The id of each event is first in its samples (PERF_SAMPLE_IDENTIFIER). */
static bool on_sample(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h)
{
	const struct event *ev = event_by_id(w->events, word_at(s, at + sizeof(h)));

	if (!ev || !sched_event_is_of_waits(w->sources.list.v[ev->number].kind) || (size_t)w->time_at + sizeof(uint64_t) > h.size)
		return false;
	hold(w, s, at, h, word_at(s, at + (unsigned)w->time_at));
	return true;
}

/* Holds back a record other than a sample. Its time is in the trailer, after pid and tid. */
static bool on_other_record(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h)
{
	if (h.size < sizeof(h) + w->layout->id_size)
		return false;
	hold(w, s, at, h, word_at(s, at + h.size - w->layout->id_size + 8));
	return true;
}

bool short_waits_on_record(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h)
{
	switch (h.type) {
	case PERF_RECORD_SAMPLE:
		return on_sample(w, s, at, h);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return on_other_record(w, s, at, h);
	case PERF_RECORD_COMM:
		if (!(h.misc & PERF_RECORD_MISC_COMM_EXEC))
			return false;
		/* fallthrough */
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		/* They are needed to handle later records, but the caller writes them. */
		on_other_record(w, s, at, h);
		return false;
	default:
		return false;
	}
}

uint64_t short_waits_queued(const struct short_waits *w)
{
	return w->bytes.len;
}

struct short_waits_counts short_waits_reset_counts(struct short_waits *w)
{
	struct short_waits_counts c = w->counts;

	w->counts = (struct short_waits_counts){0};
	return c;
}

/* ---- threads ---- */

/* Returns the thread, borrowed until the next new thread, or NULL if it is unknown. */
static struct short_task *find_task(const struct short_waits *w, uint32_t tid)
{
	uint64_t hash = hash_u64(tid);

	index_for(pos, &w->by_tid, hash)
		if (w->tasks.v[pos].tid == tid)
			return &w->tasks.v[pos];
	return NULL;
}

static struct short_task *task_of(struct short_waits *w, uint32_t tid, uint32_t pid)
{
	struct short_task *t = find_task(w, tid);

	if (!t) {
		index_add(&w->by_tid, hash_u64(tid), (uint32_t)w->tasks.nr);
		vec_push(&w->tasks, (struct short_task){ .tid = tid });
		t = &w->tasks.v[w->tasks.nr - 1];
	}
	if (pid != UINT32_MAX)
		t->pid = pid;
	return t;
}

static bool is_sample(const void *record)
{
	struct record_header h;

	memcpy(&h, record, sizeof(h));
	return h.type == PERF_RECORD_SAMPLE;
}

static void put_record(struct buf *out, const void *record)
{
	struct record_header h;

	memcpy(&h, record, sizeof(h));
	buf_put(out, record, h.size);
}

static void drop(struct short_waits *w, const void *record)
{
	w->counts.dropped += is_sample(record);
}

static void attach(struct short_task *t, const void *record)
{
	put_record(&t->records, record);
	t->nr_samples += is_sample(record);
}

/* Writes the records of a wait that is not short, or not known to be short: readers find the wait by its records. */
static void release(struct short_waits *w, struct short_task *t)
{
	buf_put(w->out, t->records.data, t->records.len);
	t->records.len = t->instead.len = t->nr_samples = 0;
	t->state = TASK_OFF;
}

/* ---- sums ---- */

static struct wait_sum *find_sum(struct short_task *t)
{
	uint64_t hash = hash_pair(hash_bytes(t->chain.v, t->chain.nr * sizeof(*t->chain.v)), t->wait.state);

	vec_for(sum, &t->sums)
		if (sum->hash == hash && sum->state == t->wait.state && sum->nr_chain == t->chain.nr &&
		    (!sum->nr_chain || !memcmp(sum->chain, t->chain.v, sum->nr_chain * sizeof(*sum->chain))))
			return sum;
	vec_push(&t->sums, (struct wait_sum){
		.hash = hash, .state = t->wait.state, .ip = t->ip, .misc = t->misc, .cpu = t->wait.cpu, .nr_chain = t->chain.nr });
	return &t->sums.v[t->sums.nr - 1];
}

static void put_sum(struct short_waits *w, const struct short_task *t, const struct wait_sum *sum, uint64_t time)
{
	struct record rec = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = sum->misc },
		.sample = {
			.id = WAIT_SUMS_ID, .ip = sum->ip, .pid = t->pid, .tid = t->tid, .time = time, .cpu = sum->cpu,
			.period = sum->period, .addr = sum->delay, .weight = sum->nr, .transaction = sum->state,
			.chain = { .nr = sum->nr_chain, .data = (const uint8_t *)sum->chain },
		},
	};

	w->counts.sums += !record_append(w->out, &w->sums_event->layout, &rec);
}

static void put_sums_of(struct short_waits *w, struct short_task *t, uint64_t time)
{
	vec_for(sum, &t->sums)
		put_sum(w, t, sum, time);
	free_sums(t);
}

static void add_sum(struct short_waits *w, struct short_task *t, uint64_t now)
{
	struct wait_sum *sum;

	if (t->sums.nr == SUMS_MAX)
		put_sums_of(w, t, now);
	sum = find_sum(t);
	if (sum->nr_chain && !sum->chain) {
		sum->chain = xmalloc(sum->nr_chain * sizeof(*sum->chain));
		memcpy(sum->chain, t->chain.v, sum->nr_chain * sizeof(*sum->chain));
	}
	sum->period += t->wait.to - t->wait.from;
	sum->delay += wait_delay(&t->wait);
	sum->nr++;
}

/* ---- switches ---- */

struct switch_out {
	const void *record;
	const struct sample *sample;	/* NULL: it has no stack */
	uint64_t time;
	uint32_t tid, pid, cpu;
	uint8_t source, state;
};

static void keep_stack(struct short_task *t, const struct switch_out *s)
{
	struct record_header h;

	if (!s->sample || t->has_stack)
		return;
	memcpy(&h, s->record, sizeof(h));
	t->has_stack = true;
	t->ip = s->sample->ip;
	t->misc = h.misc;
	t->chain.nr = 0;
	for (uint64_t i = 0; i < s->sample->chain.nr; i++)
		vec_push(&t->chain, words_at(&s->sample->chain, i));
}

static void begin(struct short_waits *w, struct short_task *t, const struct switch_out *s)
{
	t->state = TASK_MAYBE_OFF;
	t->wait = (struct wait){
		.from = s->time, .ready = s->state == WAIT_PREEMPTED ? s->time : 0, .waker = WAIT_NOWHERE, .cpu = s->cpu,
		.state = s->state,
	};
	t->seen_ns = w->began_ns;
	t->has_stack = false;
	t->misc = PERF_RECORD_MISC_USER;
	t->ip = 0;
	t->chain.nr = 0;
	keep_stack(t, s);
	if (!t->listed)
		vec_push(&w->maybe, (uint32_t)(t - w->tasks.v));
	t->listed = true;
}

/* Adds data of another source about the same switch. */
static void add_to(struct short_task *t, const struct switch_out *s)
{
	keep_stack(t, s);
	if (t->wait.state != WAIT_BLOCKED || s->state == WAIT_BLOCKED)
		return;
	t->wait.state = s->state;
	if (s->state == WAIT_PREEMPTED && !t->wait.ready)
		t->wait.ready = t->wait.from;
}

/* Returns true if the record is held until the length of the wait is known. Otherwise the caller must write it. */
static bool switch_out(struct short_waits *w, const struct switch_out *s)
{
	struct short_task *t = task_of(w, s->tid, s->pid);
	bool is_off = t->state == TASK_OFF || t->state == TASK_MAYBE_OFF;

	if (is_off && t->sources && !(t->sources & s->source)) {
		t->sources |= s->source;
		if (t->state == TASK_OFF)
			return false;
		add_to(t, s);
		attach(t, s->record);
		return true;
	}
	if (t->state == TASK_MAYBE_OFF)
		release(w, t);
	t->ended |= s->state == WAIT_EXITED;
	t->sources = s->source;
	if (t->state != TASK_ON || t->ended) {
		t->state = TASK_OFF;
		return false;
	}
	begin(w, t, s);
	attach(t, s->record);
	return true;
}

enum switch_in { IN_NOTHING, IN_SHORT, IN_LONG };

static enum switch_in end_of_maybe(struct short_waits *w, struct short_task *t, uint64_t time)
{
	t->wait.to = time;
	t->was_short = time - t->wait.from < w->below_ns;
	if (!t->was_short) {
		release(w, t);
		return IN_LONG;
	}
	add_sum(w, t, time);
	w->counts.dropped += t->nr_samples;
	buf_put(w->out, t->instead.data, t->instead.len);
	t->records.len = t->instead.len = t->nr_samples = 0;
	return IN_SHORT;
}

/* @own: from the thread's own record. */
static enum switch_in switch_in(struct short_waits *w, uint32_t tid, uint32_t pid, uint8_t source, bool own, uint64_t time)
{
	struct short_task *t = own ? task_of(w, tid, pid) : find_task(w, tid);
	enum switch_in is = IN_LONG;

	if (!t || !wait_is_of_thread(tid) || (t->ended && t->state == TASK_ON && !own))
		return IN_NOTHING;
	if (t->state == TASK_ON) {
		t->sources |= source;
		return t->was_short ? IN_SHORT : IN_NOTHING;
	}
	if (t->state == TASK_MAYBE_OFF)
		is = end_of_maybe(w, t, time);
	else
		t->was_short = false;
	t->state = TASK_ON;
	t->sources = source;
	return is;
}

/* Writes the part of an omitted record that concerns another thread. */
static void put_in_instead(const struct short_waits *w, struct short_task *t, uint32_t tid, uint32_t cpu, uint64_t time)
{
	const struct event *side_band = w->events->events.v[w->events->events.nr - 1];
	uint64_t id = side_band->ids.nr ? side_band->ids.v[0] : 0;
	struct record rec = {
		.header = { .type = PERF_RECORD_SWITCH },
		.id = { .time = time, .id = id, .pid = find_task(w, tid)->pid, .tid = tid, .cpu = cpu },
	};

	record_append(&t->instead, w->layout, &rec);
}

/*
 * Handles a switch from one thread to another, or to the idle task. A context switch record may begin the wait of one thread and
 * end the wait of another thread. Such a record is dropped if both waits are short. If only the wait that begins is short, a SWITCH
 * record about the other thread replaces it.
 */
static void do_switch(struct short_waits *w, const struct switch_out *out, uint32_t next, uint8_t next_source)
{
	bool leaves = wait_is_of_thread(out->tid), queued = leaves && switch_out(w, out);
	enum switch_in in = wait_is_of_thread(next) ? switch_in(w, next, UINT32_MAX, next_source, false, out->time) : IN_NOTHING;

	if (queued && in == IN_LONG)
		put_in_instead(w, find_task(w, out->tid), next, out->cpu, out->time);
	if (queued)
		return;
	if (!leaves && in == IN_SHORT)
		drop(w, out->record);
	else
		put_record(w->out, out->record);
}

/* ---- records ---- */

static void do_wake(struct short_waits *w, uint32_t tid, uint64_t time, const void *record)
{
	struct short_task *t = find_task(w, tid);

	/* Readers do not know threads that are not recorded. */
	if (!t) {
		drop(w, record);
		return;
	}
	if (t->state != TASK_MAYBE_OFF) {
		put_record(w->out, record);
		return;
	}
	attach(t, record);
	if (t->wait.state == WAIT_PREEMPTED || t->wait.waker != WAIT_NOWHERE)
		return;
	t->wait.ready = time;
	t->wait.waker = 0;
}

/* Handles a sched_switch for the next thread only. Drops it if that thread is not recorded, or its wait was short. */
static void do_next_only(struct short_waits *w, uint32_t tid, uint64_t time, const void *record)
{
	if (!find_task(w, tid) || switch_in(w, tid, UINT32_MAX, WAIT_BY_NEXT, false, time) == IN_SHORT)
		drop(w, record);
	else
		put_record(w->out, record);
}

static void do_sample(struct short_waits *w, const void *record, uint64_t time)
{
	const struct event *ev = event_of_record(w->events, record);
	const struct sched_event *source = &w->sources.list.v[ev->number];
	struct switch_out out = { .record = record, .time = time };
	struct record rec = {0};
	struct trace_data d;

	if (record_read(&rec, record, &ev->layout)) {
		put_record(w->out, record);
		return;
	}
	d = (struct trace_data){ .bytes = rec.sample.raw, .size = rec.sample.raw_size, .swap = w->tracing.swap,
				 .long_size = w->tracing.long_size };
	out.sample = &rec.sample;
	out.pid = rec.sample.pid;
	out.cpu = rec.sample.cpu;
	if (sched_event_is_wake(source->kind)) {
		do_wake(w, (uint32_t)trace_field_number(&d, source->pid), time, record);
		return;
	}
	if (source->kind == SCHED_EVENT_SOFTWARE) {
		out.tid = rec.sample.tid;
		out.source = WAIT_BY_EVENT;
		do_switch(w, &out, 0, 0);
		return;
	}
	if (source->next_only) {
		do_next_only(w, (uint32_t)trace_field_number(&d, source->other), time, record);
		return;
	}
	out.tid = (uint32_t)trace_field_number(&d, source->pid);
	out.source = WAIT_BY_TRACEPOINT;
	out.state = (uint8_t)wait_state_of(trace_field_number(&d, source->state));
	do_switch(w, &out, (uint32_t)trace_field_number(&d, source->other), WAIT_BY_TRACEPOINT);
}

static void do_switch_record(struct short_waits *w, const struct record *rec, const void *record)
{
	bool wide = rec->header.type == PERF_RECORD_SWITCH_CPU_WIDE;
	struct switch_out out = {
		.record = record, .time = rec->id.time, .tid = rec->id.tid, .pid = rec->id.pid,
		.cpu = rec->id.has_cpu ? rec->id.cpu : UINT32_MAX, .source = WAIT_BY_RECORD,
		.state = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? WAIT_PREEMPTED : WAIT_BLOCKED,
	};
	enum switch_in in = IN_NOTHING;

	if (rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT) {
		do_switch(w, &out, wide ? rec->sw.next_prev_tid : 0, WAIT_BY_RECORD_BEFORE);
		return;
	}
	if (wait_is_of_thread(rec->id.tid))
		in = switch_in(w, rec->id.tid, rec->id.pid, WAIT_BY_RECORD, true, rec->id.time);
	if (in != IN_SHORT)
		put_record(w->out, record);
}

/* Writes the sums of an earlier thread that had this tid. */
static void do_fork(struct short_waits *w, const struct record *rec, uint64_t time)
{
	struct short_task *t = task_of(w, rec->task.tid, rec->task.pid);

	put_sums_of(w, t, time);
	if (t->state == TASK_MAYBE_OFF)
		release(w, t);
	t->state = TASK_OFF;
	t->sources = 0;
	t->ended = t->was_short = false;
}

static void do_exit(struct short_waits *w, const struct record *rec, uint64_t time)
{
	struct short_task *t = task_of(w, rec->task.tid, rec->task.pid);

	put_sums_of(w, t, time);
	t->ended = true;
	t->state = t->state == TASK_NEW ? TASK_ON : t->state;
}

static void do_exec(struct short_waits *w, const struct record *rec, uint64_t time)
{
	struct short_task *t = find_task(w, rec->comm.tid);

	if (t)
		put_sums_of(w, t, time);
}

static void do_record(struct short_waits *w, const struct queued_record *queued)
{
	const char *record = w->bytes.data + queued->at;
	/* Sums are of waits before this time. */
	uint64_t before = queued->time - !!queued->time;
	struct record rec = {0};

	if (is_sample(record)) {
		do_sample(w, record, queued->time);
		return;
	}
	if (record_read(&rec, record, w->layout))
		return;
	switch (rec.header.type) {
	case PERF_RECORD_FORK: do_fork(w, &rec, before); break;
	case PERF_RECORD_EXIT: do_exit(w, &rec, before); break;
	case PERF_RECORD_COMM: do_exec(w, &rec, before); break;
	default: do_switch_record(w, &rec, record);
	}
}

/* ---- rounds ---- */

ORDER(compare_queued, struct queued_record, compare_numbers(a->time, b->time) ?: compare_numbers(a->at, b->at))

/* Keeps the held records from number @first on, and forgets the others. */
static void keep_from(struct short_waits *w, size_t first)
{
	struct buf rest = w->spare;

	rest.len = 0;
	for (size_t i = first; i < w->queued.nr; i++) {
		const char *record = w->bytes.data + w->queued.v[i].at;

		w->queued.v[i - first] = (struct queued_record){ .time = w->queued.v[i].time, .at = rest.len };
		put_record(&rest, record);
	}
	w->queued.nr -= first;
	w->spare = w->bytes;
	w->bytes = rest;
}

/*
 * Handles the held records up to time @until, at which every ring buffer has been read again after the record's time: no earlier
 * record can arrive then.
 */
static void replay(struct short_waits *w, uint64_t until)
{
	size_t i;

	vec_sort(&w->queued, compare_queued);
	for (i = 0; i < w->queued.nr && w->queued.v[i].time <= until; i++)
		do_record(w, &w->queued.v[i]);
	keep_from(w, i);
}

/*
 * True if the wait is certainly long: all records up to .settled have been read, or no record is held and enough time has passed.
 * The margin allows for the two clocks to differ slightly in speed.
 */
static bool is_long(const struct short_waits *w, const struct short_task *t)
{
	if (w->settled > t->wait.from && w->settled - t->wait.from >= w->below_ns)
		return true;
	return !w->queued.nr && w->began_ns - t->seen_ns >= w->below_ns + w->below_ns / 64 + 1000000;
}

static void release_long(struct short_waits *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->maybe.nr; i++) {
		struct short_task *t = &w->tasks.v[w->maybe.v[i]];

		if (t->state == TASK_MAYBE_OFF && is_long(w, t))
			release(w, t);
		t->listed = t->state == TASK_MAYBE_OFF;
		if (t->listed)
			w->maybe.v[nr++] = w->maybe.v[i];
	}
	w->maybe.nr = nr;
}

void short_waits_settle(struct short_waits *w, uint64_t newest, uint64_t began_ns, struct buf *out)
{
	w->out = out;
	w->settled = w->newest;
	w->newest = MAX(newest, w->newest);
	w->began_ns = began_ns;
	replay(w, w->settled);
	release_long(w);
}

void short_waits_put_sums(struct short_waits *w, struct buf *out)
{
	w->out = out;
	vec_for(t, &w->tasks)
		put_sums_of(w, t, w->settled);
}

void short_waits_finish(struct short_waits *w, struct buf *out)
{
	w->out = out;
	replay(w, UINT64_MAX);
	w->settled = w->newest;
	vec_for(number, &w->maybe) {
		if (w->tasks.v[*number].state == TASK_MAYBE_OFF)
			release(w, &w->tasks.v[*number]);
		w->tasks.v[*number].listed = false;
	}
	w->maybe.nr = 0;
	short_waits_put_sums(w, out);
}

bool short_waits_end_round(struct short_waits *w)
{
	/* Held records were read after the last round. */
	vec_for(number, &w->maybe) {
		const struct short_task *t = &w->tasks.v[*number];

		if (t->state == TASK_MAYBE_OFF && t->wait.from <= w->rounded)
			return false;
	}
	w->rounded = w->newest;
	return true;
}
