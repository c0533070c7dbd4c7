/* Adds the timeline of a recording to its profile: the times of threads on and off the CPU, wake-ups, and losses. */
#include "core/profile/session_parts.h"

#include <stdlib.h>

#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/read/source.h"
#include "core/sched/task_changes.h"
#include "core/sched/wait_samples.h"

struct timeline_making {
	const struct filter *filter;
	struct session_threads *threads;
	struct profile_builder *builder;
	uint32_t on_cpu;		/* the string PROFILE_ON_CPU */
	VEC(uint32_t) tids;		/* tids of the threads whose waits are known, sorted */
};

/* Sets *thread to the builder's number of @e's thread; PROFILE_NONE: none, or unknown. False: the filter excludes @e. */
static bool pass(const struct timeline_making *m, struct source_extent *e, uint32_t *thread)
{
	const struct task_context *w = e->tid == SOURCE_ANY ? NULL : session_thread_context(m->threads, e->pid, e->tid, e->from);

	*thread = PROFILE_NONE;
	if (w)
		e->pid = w->thread->pid;
	if (!filter_may_pass(m->filter, e) || (w && !filter_comm(m->filter, w->comm)))
		return false;
	if (w && e->pid != SOURCE_ANY)
		*thread = session_thread(m->threads, w->thread->number);
	return true;
}

/* ---- intervals ---- */

static void add_spell(void *ctx, const struct cpu_spell *s)
{
	const struct timeline_making *m = ctx;
	struct source_extent extent = { .cpu = s->cpu, .pid = s->pid, .tid = s->tid, .from = s->begin, .to = s->end };
	uint32_t thread;

	if (pass(m, &extent, &thread) && thread != PROFILE_NONE)
		profile_add_interval(m->builder, &(struct profile_interval){
			.begin = s->begin, .end = s->end, .thread = thread, .cpu = s->cpu,
			.stack = PROFILE_ROOT, .kind = m->on_cpu,
		});
}

/* ---- waits ---- */

struct noted_wait {
	uint64_t begin, end, ready;	/* .ready: the time from which the thread could run again; 0: not known */
	uint32_t pid, tid, cpu;
	uint32_t waker_pid, waker_tid;	/* the thread that ended the wait; SOURCE_ANY: not known, or an interrupt */
	enum wait_reason reason;
};

struct noted_waits { VEC(struct noted_wait) list; const struct event *event; };	/* for each worker, then merged */

static void on_wait(void *worker, void *ctx, const struct item *item)
{
	const struct noted_waits *all = ctx;
	struct noted_waits *w = worker;
	const struct wait_view *v = item->sample->wait;
	const struct item *by;

	if (item->event != all->event || !v || v->wait->nr)
		return;
	by = v->wait->waker_tid == WAIT_INTERRUPT ? NULL : wait_view_woken_by(v);
	vec_push(&w->list, (struct noted_wait){
		.begin = v->wait->from, .end = v->wait->to, .ready = v->wait->ready, .reason = v->reason,
		.pid = item->sample->pid, .tid = sample_owner(item->sample), .cpu = v->wait->cpu,
		.waker_pid = by ? by->sample->pid : SOURCE_ANY, .waker_tid = by ? sample_owner(by->sample) : SOURCE_ANY,
	});
}

static void merge_waits(void *worker, void *ctx)
{
	struct noted_waits *w = worker, *all = ctx;

	vec_append(&all->list, &w->list);
	vec_free(&w->list);
}

static uint32_t kind_of_wait(const struct timeline_making *m, enum wait_reason reason)
{
	char *text = xasprintf(PROFILE_OFF_CPU "%s%s", reason == WAIT_FOR_UNKNOWN ? "" : ": ", wait_reason_name(reason));
	uint32_t kind = profile_add_string(m->builder, text);

	free(text);
	return kind;
}

static void add_part(const struct timeline_making *m, const struct noted_wait *w, uint32_t thread, uint64_t begin, uint64_t end,
		     uint32_t kind)
{
	if (end > begin)
		profile_add_interval(m->builder, &(struct profile_interval){
			.begin = begin, .end = end, .thread = thread, .cpu = w->cpu, .stack = PROFILE_ROOT,
			.kind = kind,
		});
}

ORDER(compare_tids, uint32_t, compare_numbers(*a, *b))

/* True if the waits of thread @tid are known. Wake-ups by other threads are not added. */
static bool is_recorded(const struct timeline_making *m, uint32_t tid)
{
	return m->tids.nr && bsearch(&tid, m->tids.v, m->tids.nr, sizeof(tid), compare_tids);
}

static void list_recorded(struct timeline_making *m, const struct session *s)
{
	vec_for(t, &session_waits(s)->tasks)
		vec_push(&m->tids, t->tid);
	vec_sort(&m->tids, compare_tids);
}

static void add_wakeup(const struct timeline_making *m, const struct noted_wait *w, uint32_t thread)
{
	struct source_extent extent = {
		.cpu = SOURCE_ANY, .pid = w->waker_pid, .tid = w->waker_tid, .from = w->ready, .to = w->ready,
	};
	uint32_t waker;

	if (w->waker_tid != SOURCE_ANY && w->ready && is_recorded(m, w->waker_tid) && pass(m, &extent, &waker) &&
	    waker != PROFILE_NONE)
		profile_add_link(m->builder, &(struct profile_link){
			.from_time = w->ready, .to_time = w->end, .from_thread = waker, .to_thread = thread,
			.kind = profile_add_string(m->builder, PROFILE_WAKEUP),
		});
}

static void add_wait(const struct timeline_making *m, const struct noted_wait *w)
{
	struct source_extent extent = { .cpu = w->cpu, .pid = w->pid, .tid = w->tid, .from = w->begin, .to = w->end };
	uint64_t ready = w->ready ? MAX(w->ready, w->begin) : w->end;
	uint32_t thread;

	if (!pass(m, &extent, &thread) || thread == PROFILE_NONE)
		return;
	add_part(m, w, thread, w->begin, MIN(ready, w->end), kind_of_wait(m, w->reason));
	add_part(m, w, thread, ready, w->end, profile_add_string(m->builder, PROFILE_RUNNABLE));
	add_wakeup(m, w, thread);
}

static void add_waits(struct timeline_making *m, struct session *s)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct noted_waits), .sample = on_wait, .merge = merge_waits,
	};
	struct noted_waits all = { .event = session_waits_event(s) };

	if (!all.event)
		return;
	list_recorded(m, s);
	session_samples(s, &pass, &all);
	vec_for(w, &all.list)
		add_wait(m, w);
	vec_free(&all.list);
	vec_free(&m->tids);
}

/* ---- instants ---- */

struct mark { uint64_t time, value; uint32_t pid, tid, cpu; const char *kind; };

struct marks { VEC(struct mark) list; };	/* for each worker, then merged */

/* Returns the kind of instant for a record, and sets its value. NULL: the record makes no instant. */
static const char *kind_of(const struct record *rec, uint64_t *value)
{
	*value = 1;
	switch (rec->header.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		*value = rec->lost.lost;
		return rec->header.type == PERF_RECORD_LOST ? PROFILE_LOST : PROFILE_LOST_SAMPLES;
	case PERF_RECORD_THROTTLE:
		return PROFILE_THROTTLED;
	case PERF_RECORD_UNTHROTTLE:
		return PROFILE_UNTHROTTLED;
	default:
		*value = rec->aux.size;
		return rec->aux.flags & PERF_AUX_FLAG_TRUNCATED ? PROFILE_TRUNCATED : NULL;
	}
}

/* Adds an instant for a record. A loss gets no thread, because its record names only the thread that wrote the next record. */
static void on_mark(void *worker, void *ctx, const struct item *item)
{
	const struct record *rec = item->record;
	struct marks *w = worker;
	struct mark m = { .time = item->time, .pid = SOURCE_ANY, .tid = SOURCE_ANY,
			  .cpu = rec->id.has_cpu ? rec->id.cpu : SOURCE_ANY };
	bool is_loss = rec->header.type == PERF_RECORD_LOST || rec->header.type == PERF_RECORD_LOST_SAMPLES;

	m.kind = kind_of(rec, &m.value);
	if (!m.kind || !m.time)
		return;
	if (rec->id.has_tid && !is_loss) {
		m.pid = rec->id.pid;
		m.tid = rec->id.tid;
	}
	vec_push(&w->list, m);
}

static void merge_marks(void *worker, void *ctx)
{
	struct marks *w = worker, *all = ctx;

	vec_append(&all->list, &w->list);
	vec_free(&w->list);
}

static void add_mark(const struct timeline_making *m, const struct mark *mark)
{
	struct source_extent extent = {
		.cpu = mark->cpu, .pid = mark->pid, .tid = mark->tid, .from = mark->time, .to = mark->time,
	};
	uint32_t thread;

	if (pass(m, &extent, &thread))
		profile_add_instant(m->builder, &(struct profile_instant){
			.time = mark->time, .value = mark->value, .thread = thread, .cpu = mark->cpu,
			.kind = profile_add_string(m->builder, mark->kind),
		});
}

static void add_marks(const struct timeline_making *m, const struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct marks), .record = on_mark, .merge = merge_marks,
		.types = { PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE,
			   PERF_RECORD_AUX },
	};
	struct marks marks = {0};

	session_records(s, &pass, &marks);
	vec_for(mark, &marks.list)
		add_mark(m, mark);
	vec_free(&marks.list);
}

void session_timeline(struct session *s, const struct filter *f, struct session_threads *threads, struct profile_builder *b)
{
	struct timeline_making m = { .filter = f, .threads = threads, .builder = b };

	if (session_is_timeless(s))
		return;
	m.on_cpu = profile_add_string(b, PROFILE_ON_CPU);
	task_changes_spells(s, add_spell, &m);
	add_waits(&m, s);
	add_marks(&m, s);
}
