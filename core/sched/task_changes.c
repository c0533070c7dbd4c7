/*
 * Collects the context switches, forks and exits of a recording, in several threads of prec, and sorts them by time. From these,
 * it computes when each recorded thread was on a CPU.
 */
#include "core/sched/task_changes.h"

#include <stdlib.h>

#include "core/base/cpus.h"
#include "core/base/hash.h"
#include "core/read/order.h"
#include "core/sched/sched_events.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"

static void sort_changes(struct task_changes *changes)
{
	order_sort(changes->list.v, changes->list.nr, sizeof(*changes->list.v), 1);
}

/* ---- of records ---- */

/* True if switches are recorded only from the exec of a program on. */
static bool begins_at_exec(const struct session *s)
{
	vec_for(ev, &session_events(s)->events)
		if ((*ev)->attr.context_switch && (*ev)->attr.enable_on_exec)
			return true;
	return false;
}

static void on_record(void *worker, void *ctx, const struct item *item)
{
	struct task_changes *t = worker;
	const struct task_changes *all = ctx;
	const struct record *rec = item->record;
	uint32_t cpu = rec->id.has_cpu ? rec->id.cpu : TASK_UNKNOWN;
	struct task_change change = { .time = item->at, .position = item->position, .cpu = TASK_UNKNOWN };

	switch (rec->header.type) {
	case PERF_RECORD_COMM:
		if (!all->execs || !(rec->header.misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		change.pid = rec->comm.pid;
		change.tid = rec->comm.tid;
		change.cpu = cpu;
		change.kind = TASK_EXEC;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		change.pid = rec->task.pid;
		change.tid = rec->task.tid;
		change.kind = rec->header.type == PERF_RECORD_FORK ? TASK_FORKED : TASK_END;
		break;
	default:
		if (!rec->id.has_tid)
			return;
		change.pid = rec->id.pid;
		change.tid = rec->id.tid;
		change.cpu = cpu;
		change.kind = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT ? TASK_OUT : TASK_IN;
	}
	if (change.time)
		vec_push(&t->list, change);
}

static void merge_changes(void *worker, void *ctx)
{
	struct task_changes *t = worker, *all = ctx;

	vec_append(&all->list, &t->list);
	vec_free(&t->list);
}

void task_changes_of_records(struct task_changes *out, const struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(*out), .record = on_record, .merge = merge_changes,
		.types = { PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_FORK, PERF_RECORD_EXIT, PERF_RECORD_COMM },
	};

	out->execs = begins_at_exec(s);
	session_records(s, &pass, out);
	sort_changes(out);
}

/* True if switches were recorded, even if there are none, because a thread alone on its CPU is never switched out. */
bool session_has_switches(const struct session *s)
{
	if (s->scan.counts.by_type[PERF_RECORD_SWITCH] || s->scan.counts.by_type[PERF_RECORD_SWITCH_CPU_WIDE])
		return true;
	vec_for(ev, &s->file->events.events)
		if ((*ev)->attr.context_switch)
			return true;
	return false;
}

/* ---- of samples ---- */

struct sample_scan {
	struct task_changes all;	/* the first member: what merge_changes() sees */
	const struct session *session;
	struct sched_events events;
};

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct sample_scan *scan = ctx;
	struct task_changes *t = worker;
	struct sched_step step;
	struct task_change change = { .time = item->at, .position = item->position, .pid = TASK_UNKNOWN };

	if (scan->events.list.v[item->event->number].kind != SCHED_EVENT_SWITCH ||
	    !sched_events_read(&scan->events, scan->session, item, &step))
		return;
	change.cpu = step.cpu;
	change.tid = step.pid;
	change.kind = TASK_OUT;
	vec_push(&t->list, change);
	change.tid = step.other;
	change.kind = TASK_IN;
	change.position++;	/* still unique, because a record is longer than one byte */
	vec_push(&t->list, change);
}

/* True if every context switch is a sample. */
static bool has_all_switches(const struct sched_events *events)
{
	vec_for(e, &events->list)
		if (e->kind == SCHED_EVENT_SWITCH && e->has_cpu && !e->partial)
			return true;
	return false;
}

/* Collects TASK_IN and TASK_OUT from the samples of sched_switch, if each of its hits was recorded. */
static void task_changes_of_samples(struct task_changes *out, const struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(*out), .types = { PERF_RECORD_SAMPLE }, .record = on_sample, .merge = merge_changes,
	};
	struct sample_scan scan = { .session = s };

	sched_events_find(&scan.events, session_events(s), session_tracing(s));
	if (has_all_switches(&scan.events))
		session_records(s, &pass, &scan);
	vec_free(&scan.events.list);
	*out = scan.all;
	sort_changes(out);
}

/* ---- times on a CPU ---- */

struct replay {
	VEC(struct task_change) last;	/* the last change of each thread */
	struct index by_tid;
	VEC(uint32_t) came;		/* by CPU: the thread switched in last, or the idle task; TASK_UNKNOWN: none yet */
	uint64_t start;
	bool whole;			/* everything on the CPUs was recorded, or all events of these threads */
	void (*found)(void *ctx, const struct cpu_spell *spell);
	void *ctx;
};

/* Returns the last change of a thread. Returns NULL if there was none, and stores @first. */
static struct task_change *last_of(struct replay *r, const struct task_change *first)
{
	uint64_t hash = hash_u64(first->tid);

	index_for(pos, &r->by_tid, hash)
		if (r->last.v[pos].tid == first->tid)
			return &r->last.v[pos];
	index_add(&r->by_tid, hash, (uint32_t)r->last.nr);
	vec_push(&r->last, *first);
	return NULL;
}

static void put_spell(const struct replay *r, uint64_t begin, uint32_t cpu, const struct task_change *end)
{
	r->found(r->ctx, &(struct cpu_spell){ begin, end->time, end->pid, end->tid, cpu });
}

static void come(struct replay *r, const struct task_change *in)
{
	if (in->cpu >= CPU_MAX)
		return;
	while (r->came.nr <= in->cpu)
		vec_push(&r->came, TASK_UNKNOWN);
	r->came.v[in->cpu] = in->tid;
}

static uint32_t came_last(const struct replay *r, uint32_t cpu)
{
	return cpu < r->came.nr ? r->came.v[cpu] : TASK_UNKNOWN;
}

/*
 * True if no other thread was switched in on @cpu after @tid. Otherwise @tid left the CPU at an unknown time. This happens because
 * Linux 6.18 does not record some switches out.
 */
static bool may_be_there(const struct replay *r, uint32_t cpu, uint32_t tid)
{
	uint32_t last = came_last(r, cpu);

	return last == TASK_UNKNOWN || last == tid;
}

/* Ends a time on a CPU. If the thread was switched out on another CPU, records between are lost, and the time is dropped. */
static void end_spell(const struct replay *r, const struct task_change *in, const struct task_change *out)
{
	uint32_t cpu = in->cpu == TASK_UNKNOWN ? out->cpu : in->cpu;

	if ((out->cpu == TASK_UNKNOWN || out->cpu == cpu) && may_be_there(r, cpu, out->tid))
		put_spell(r, in->time, cpu, out);
}

/* A thread without earlier changes is on the CPU when it executes its program. */
static void begin_at_exec(struct replay *r, const struct task_change *exec)
{
	struct task_change in = *exec;

	in.kind = TASK_IN;
	if (!last_of(r, &in))
		come(r, &in);
}

static void replay(struct replay *r, const struct task_change *c)
{
	bool ends = c->kind == TASK_OUT || c->kind == TASK_END;
	struct task_change *last;

	if (c->kind == TASK_EXEC) {
		begin_at_exec(r, c);
		return;
	}
	if (c->kind == TASK_IN)
		come(r, c);
	if (c->tid == TID_IDLE || c->tid == TID_GONE)
		return;
	last = last_of(r, c);
	if (!last) {
		if (ends && r->whole && came_last(r, c->cpu) == TASK_UNKNOWN)
			put_spell(r, r->start, c->cpu, c);
		return;
	}
	if (ends && last->kind == TASK_IN)
		end_spell(r, last, c);
	*last = *c;
}

/*
 * If sched_switch was recorded for all threads of a CPU, the idle task is among those that leave. If only for some threads,
 * the next thread appears, but not its switch out.
 */
static bool is_of_cpus(const struct task_changes *changes)
{
	vec_for(c, &changes->list)
		if (c->tid == TID_IDLE && c->kind == TASK_OUT)
			return true;
	return false;
}

static void find_spells(struct replay *r, const struct task_changes *changes, uint64_t end)
{
	vec_for(c, &changes->list)
		replay(r, c);
	vec_for(in, &r->last)
		if (in->kind == TASK_IN && r->whole && may_be_there(r, in->cpu, in->tid))
			put_spell(r, in->time, in->cpu, &(struct task_change){ .time = end, .pid = in->pid, .tid = in->tid });
	vec_free(&r->last);
	vec_free(&r->came);
	index_release(&r->by_tid);
}

void task_changes_spells(const struct session *s, void (*found)(void *ctx, const struct cpu_spell *spell), void *ctx)
{
	const struct session_counts *counts = session_counts(s);
	struct replay r = { .found = found, .ctx = ctx, .whole = true };
	struct task_changes changes = {0};

	if (session_is_timeless(s))
		return;
	if (session_has_switches(s)) {
		task_changes_of_records(&changes, s);
	} else {
		task_changes_of_samples(&changes, s);
		r.whole = is_of_cpus(&changes);
	}
	if (changes.list.nr) {
		r.start = MIN(counts->first_time, changes.list.v[0].time);
		find_spells(&r, &changes, MAX(counts->last_time, changes.list.v[changes.list.nr - 1].time));
	}
	vec_free(&changes.list);
}
