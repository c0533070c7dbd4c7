/*
 * Finds the thread that ran on a CPU at a given time. SWITCH records (or samples of sched_switch) and ITRACE_START records show
 * it, and if there are none, AUX records. If a trace has a single thread, finds only the thread's pid.
 */
#include "auxtrace/cpu_task.h"

#include <stdlib.h>

#include "auxtrace/itrace.h"
#include "auxtrace/queue.h"
#include "core/base/cpus.h"
#include "core/read/session.h"
#include "core/read/source.h"
#include "core/tracepoint/tracing_data.h"

/* Until close_tasks() runs, .to has the record's position, so that the last of several records with the same time wins. */
static void add_task(struct cpu_tasks *t, uint32_t cpu, uint64_t time, uint64_t position, uint32_t pid, uint32_t tid)
{
	if (cpu >= CPU_MAX)
		return;
	while (t->cpus.nr <= cpu)
		vec_push(&t->cpus, (struct cpu_schedule){0});
	vec_push(&t->cpus.v[cpu].tasks, (struct cpu_task){ .from = time, .to = position, .pid = pid, .tid = tid });
}

/* SWITCH names the thread that is switched in or out. SWITCH_CPU_WIDE out also names the next thread. */
static void on_switch(struct cpu_tasks *t, const struct record *rec, uint64_t time, uint64_t position)
{
	bool out = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!rec->id.has_cpu || !rec->id.has_tid)
		return;
	if (!out)
		add_task(t, rec->id.cpu, time, position, rec->id.pid, rec->id.tid);
	else if (rec->header.type == PERF_RECORD_SWITCH_CPU_WIDE)
		add_task(t, rec->id.cpu, time, position, rec->sw.next_prev_pid, rec->sw.next_prev_tid);
}

static void on_start(struct cpu_tasks *t, const struct record *rec, uint64_t time, uint64_t position)
{
	vec_push(&t->threads, (struct cpu_task){ .pid = rec->itrace.pid, .tid = rec->itrace.tid });
	if (rec->id.has_cpu)
		add_task(t, rec->id.cpu, time, position, rec->itrace.pid, rec->itrace.tid);
}

ORDER(by_time, struct cpu_task, compare_numbers(a->from, b->from) ?: compare_numbers(a->to, b->to))

static void close_tasks(struct cpu_schedule *cpu)
{
	vec_sort(&cpu->tasks, by_time);
	for (size_t i = 0; i < cpu->tasks.nr; i++)
		cpu->tasks.v[i].to = i + 1 < cpu->tasks.nr ? cpu->tasks.v[i + 1].from : UINT64_MAX;
}

struct task_on_cpu { struct cpu_task *task; uint32_t cpu; };

ORDER(by_thread_and_time, struct task_on_cpu,
	compare_numbers(a->task->tid, b->task->tid) ?: compare_numbers(a->task->from, b->task->from))

/* Thread 0, the idle task of every CPU, never migrates. */
static void count_moves(struct cpu_tasks *t)
{
	VEC(struct task_on_cpu) tasks = {0};

	vec_for(cpu, &t->cpus)
		vec_for(task, &cpu->tasks)
			if (task->tid)
				vec_push(&tasks, (struct task_on_cpu){ task, (uint32_t)(cpu - t->cpus.v) });
	vec_sort(&tasks, by_thread_and_time);
	for (size_t i = 1; i < tasks.nr; i++) {
		const struct task_on_cpu *before = &tasks.v[i - 1];

		if (before->task->tid == tasks.v[i].task->tid)
			tasks.v[i].task->epoch = before->task->epoch + (before->cpu != tasks.v[i].cpu);
	}
	vec_free(&tasks);
}

/* ---- threads by tid ---- */

ORDER(by_tid, struct thread *, compare_numbers((*a)->tid, (*b)->tid) ?: compare_numbers((*a)->from, (*b)->from))

void tids_gather(struct tids *t, const struct machine *m)
{
	uint32_t nr = machine_nr_threads(m);

	for (uint32_t i = 0; i < nr; i++)
		vec_push(&t->list, machine_thread(m, i));
	if (nr)
		vec_sort(&t->list, by_tid);
}

void tids_release(struct tids *t)
{
	vec_free(&t->list);
}

const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time)
{
	const struct thread *const *v = t->list.v;
	size_t after = bisect(i, 0, t->list.nr, v[i]->tid < tid || (v[i]->tid == tid && v[i]->from <= time));

	if (after && v[after - 1]->tid == tid)
		return v[after - 1];
	return after < t->list.nr && v[after]->tid == tid ? v[after] : NULL;
}

/* ---- samples of sched_switch, used if the file has no SWITCH records (before Linux 4.3) ---- */

struct switch_sample { uint32_t cpu, tid; uint64_t time, position; };
struct switch_samples { VEC(struct switch_sample) list; };	/* a worker's */

struct switches {
	const struct session *session;
	struct cpu_tasks *to;
	struct tids tids;
	VEC(const struct trace_field *) next;	/* by event: the field of the next thread; NULL: it is another tracepoint */
};

static const struct trace_field *next_pid_of(const struct session *s, const struct event *ev)
{
	const struct trace_event *trace = ev->attr.type == PERF_TYPE_TRACEPOINT ?
					  tracing_data_event(session_tracing(s), ev->attr.config) : NULL;
	uint64_t needed = PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;

	if (!trace || (ev->layout.type & needed) != needed || !str_eq(trace->system, "sched") ||
	    !str_eq(trace->name, "sched_switch"))
		return NULL;
	return trace_event_field(trace, "next_pid");
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct switches *s = ctx;
	const struct trace_field *next = s->next.v[item->event->number];
	struct switch_samples *samples = worker;
	struct trace_data d;

	if (!next)
		return;
	d = session_trace_data(s->session, item->sample);
	vec_push(&samples->list, (struct switch_sample){ item->sample->cpu, (uint32_t)trace_field_number(&d, next), item->at,
							 item->position });
}

static void merge_samples(void *worker, void *ctx)
{
	struct switches *s = ctx;
	struct switch_samples *samples = worker;

	vec_for(sample, &samples->list) {
		const struct thread *t = tids_find(&s->tids, sample->tid, sample->time);

		add_task(s->to, sample->cpu, sample->time, sample->position, t ? t->pid : sample->tid, sample->tid);
	}
	vec_free(&samples->list);
}

static void gather_switch_samples(struct cpu_tasks *t, struct session *session)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct switch_samples), .sample = on_sample, .merge = merge_samples,
	};
	struct switches s = { .session = session, .to = t };
	bool any = false;

	vec_for(ev, &session_events(session)->events) {
		vec_push(&s.next, next_pid_of(session, *ev));
		any |= s.next.v[s.next.nr - 1] != NULL;
	}
	if (any) {
		tids_gather(&s.tids, session_machine(session));
		session_samples(session, &pass, &s);
		tids_release(&s.tids);
	}
	vec_free(&s.next);
}

void cpu_tasks_gather(struct cpu_tasks *t, struct session *s)
{
	bool has_switches = false;
	struct record rec;

	vec_for(record, &session_trace_records(s)->list) {
		bool is_switch = record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;

		if ((!is_switch && record->type != PERF_RECORD_ITRACE_START) || session_read_trace_record(s, record, &rec))
			continue;
		has_switches |= is_switch;
		(is_switch ? on_switch : on_start)(t, &rec, record->time, record->position);
	}
	if (!has_switches)
		gather_switch_samples(t, s);
	vec_for(cpu, &t->cpus)
		close_tasks(cpu);
	count_moves(t);
}

void cpu_tasks_release(struct cpu_tasks *t)
{
	vec_for(cpu, &t->cpus)
		vec_free(&cpu->tasks);
	vec_free(&t->cpus);
	vec_free(&t->threads);
}

/* Returns the task of a trace of one thread. Its pid is in an ITRACE_START or AUX record. */
static struct cpu_task by_thread(const struct cpu_tasks *t, const struct aux_queue *q)
{
	vec_for(thread, &t->threads)
		if (thread->tid == q->tid)
			return (struct cpu_task){ .to = UINT64_MAX, .pid = thread->pid, .tid = q->tid };
	vec_for(aux_record, &q->aux_records)
		if (aux_record->tid == q->tid)
			return (struct cpu_task){ .to = UINT64_MAX, .pid = aux_record->pid, .tid = q->tid };
	return (struct cpu_task){ .to = UINT64_MAX, .pid = q->tid, .tid = q->tid };
}

/* Returns the task in the AUX record at position @at of a CPU's trace, for a time without known context switches. */
static struct cpu_task by_aux_record(const struct aux_queue *q, uint64_t at)
{
	const struct aux_record *r = aux_queue_record(q, at);

	return (struct cpu_task){ .to = UINT64_MAX, .pid = r ? r->pid : AUX_NONE, .tid = r ? r->tid : AUX_NONE };
}

/* Returns the index of the task that ran at @time. Returns the number of tasks if no task is known then. */
static size_t task_index(const struct cpu_schedule *cpu, uint64_t time)
{
	size_t nr = cpu->tasks.nr, turn = bisect(i, 0, nr, cpu->tasks.v[i].to <= time);

	return turn < nr && cpu->tasks.v[turn].from <= time ? turn : nr;
}

static const struct cpu_schedule *schedule_of(const struct cpu_tasks *t, const struct aux_queue *q)
{
	static const struct cpu_schedule none;

	return q->cpu < t->cpus.nr ? &t->cpus.v[q->cpu] : &none;
}

struct cpu_task cpu_task_at(const struct cpu_tasks *t, const struct aux_queue *q, uint64_t time, uint64_t at)
{
	const struct cpu_schedule *cpu = schedule_of(t, q);
	size_t turn = task_index(cpu, time);
	struct cpu_task task;

	if (q->tid != AUX_NONE)
		return by_thread(t, q);
	if (turn < cpu->tasks.nr)
		return cpu->tasks.v[turn];
	/* A task before the CPU's first known switch ends at that switch. */
	task = by_aux_record(q, at);
	if (cpu->tasks.nr && time < cpu->tasks.v[0].from)
		task.to = cpu->tasks.v[0].from;
	return task;
}

bool cpu_task_wanted(const struct cpu_tasks *t, const struct aux_queue *q, const struct aux_window *window, uint64_t from,
		uint64_t to)
{
	struct source_extent e = { q->cpu, SOURCE_ANY, SOURCE_ANY, from, to };
	const struct cpu_schedule *cpu = schedule_of(t, q);
	size_t turn = task_index(cpu, from);

	if (!window->wants)
		return true;
	if (q->tid != AUX_NONE) {
		e.tid = q->tid;
		e.pid = by_thread(t, q).pid;
	}
	if (q->tid != AUX_NONE || turn == cpu->tasks.nr)
		return window->wants(window->ctx, &e);
	for (; turn < cpu->tasks.nr && cpu->tasks.v[turn].from <= to; turn++) {
		e.pid = cpu->tasks.v[turn].pid;
		e.tid = cpu->tasks.v[turn].tid;
		if (window->wants(window->ctx, &e))
			return true;
	}
	return false;
}
