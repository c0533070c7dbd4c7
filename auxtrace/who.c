/* Turns of threads on CPUs. Layer: auxtrace */
#include "auxtrace/who.h"

#include <stdlib.h>

#include "auxtrace/aux.h"
#include "auxtrace/queue.h"
#include "auxtrace/tids.h"
#include "core/base/log.h"
#include "core/flow/session.h"
#include "core/flow/source.h"
#include "core/format/tracing_data.h"

#define MAX_CPUS 65536	/* a CPU number beyond is damage */

/* Before who_gather() has closed them, .to is .from: the next turn's beginning ends it. */
static void add_turn(struct who_list *w, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid)
{
	if (cpu >= MAX_CPUS)
		return;
	while (w->cpus.nr <= cpu)
		vec_push(&w->cpus, (struct who_cpu){0});
	vec_push(&w->cpus.v[cpu].turns, (struct who){ .from = time, .to = time, .pid = pid, .tid = tid });
}

/* SWITCH tells of the thread itself: in, or out; SWITCH_CPU_WIDE out also of the next one. */
static void on_switch(struct who_list *w, const struct record *rec, uint64_t time)
{
	bool out = rec->header.misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!rec->id.has_cpu || !rec->id.has_tid)
		return;
	if (!out)
		add_turn(w, rec->id.cpu, time, rec->id.pid, rec->id.tid);
	else if (rec->header.type == PERF_RECORD_SWITCH_CPU_WIDE)
		add_turn(w, rec->id.cpu, time, rec->sw.next_prev_pid, rec->sw.next_prev_tid);
}

static void on_start(struct who_list *w, const struct record *rec, uint64_t time)
{
	vec_push(&w->threads, (struct who){ .pid = rec->itrace.pid, .tid = rec->itrace.tid });
	if (rec->id.has_cpu)
		add_turn(w, rec->id.cpu, time, rec->itrace.pid, rec->itrace.tid);
}

static int by_time(const void *a, const void *b)
{
	const struct who *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void close_turns(struct who_cpu *cpu)
{
	if (cpu->turns.nr)
		qsort(cpu->turns.v, cpu->turns.nr, sizeof(*cpu->turns.v), by_time);
	for (size_t i = 0; i < cpu->turns.nr; i++)
		cpu->turns.v[i].to = i + 1 < cpu->turns.nr ? cpu->turns.v[i + 1].from : UINT64_MAX;
}

struct turn { struct who *who; uint32_t cpu; };

static int by_thread_and_time(const void *a, const void *b)
{
	const struct who *x = ((const struct turn *)a)->who, *y = ((const struct turn *)b)->who;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Thread 0, which every CPU has one of, moves nowhere. */
static void count_moves(struct who_list *w)
{
	VEC(struct turn) turns = {0};

	vec_for(cpu, &w->cpus)
		vec_for(who, &cpu->turns)
			if (who->tid)
				vec_push(&turns, (struct turn){ who, (uint32_t)(cpu - w->cpus.v) });
	if (turns.nr)
		qsort(turns.v, turns.nr, sizeof(*turns.v), by_thread_and_time);
	for (size_t i = 1; i < turns.nr; i++) {
		const struct turn *before = &turns.v[i - 1];

		if (before->who->tid == turns.v[i].who->tid)
			turns.v[i].who->era = before->who->era + (before->cpu != turns.v[i].cpu);
	}
	vec_free(&turns);
}

/* ---- sched_switch: what tells of switches where the kernel has no records for it (before Linux 4.3) ---- */

struct hit { uint32_t cpu, tid; uint64_t time; };
struct hits { VEC(struct hit) list; };		/* a worker's */

struct switches {
	const struct session *session;
	struct who_list *to;
	struct tids tids;
	VEC(const struct trace_field *) next;	/* by event: who runs from then on; NULL: it is another tracepoint */
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

static void take_hit(void *worker, void *ctx, const struct item *item)
{
	const struct switches *s = ctx;
	const struct trace_field *next = s->next.v[item->event->number];
	struct hits *hits = worker;
	struct trace_data d;

	if (!next)
		return;
	d = session_trace_data(s->session, item->sample);
	vec_push(&hits->list, (struct hit){ item->sample->cpu, (uint32_t)trace_field_number(&d, next), item->at });
}

static void merge_hits(void *worker, void *ctx)
{
	struct switches *s = ctx;
	struct hits *hits = worker;

	vec_for(hit, &hits->list) {
		const struct thread *t = tids_find(&s->tids, hit->tid, hit->time);

		add_turn(s->to, hit->cpu, hit->time, t ? t->pid : hit->tid, hit->tid);
	}
	vec_free(&hits->list);
}

static void gather_hits(struct who_list *w, struct session *session)
{
	static const struct sample_pass pass = { .worker_size = sizeof(struct hits), .sample = take_hit, .merge = merge_hits };
	struct switches s = { .session = session, .to = w };
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

void who_gather(struct who_list *w, struct session *s)
{
	const struct trace_records *notes = session_trace_records(s);
	bool told = false;
	struct record rec;

	vec_for(note, &notes->list) {
		if (note->type != PERF_RECORD_SWITCH && note->type != PERF_RECORD_SWITCH_CPU_WIDE &&
		    note->type != PERF_RECORD_ITRACE_START)
			continue;
		if (session_read_trace_record(s, note, &rec))
			continue;
		told |= note->type != PERF_RECORD_ITRACE_START;
		if (note->type != PERF_RECORD_ITRACE_START)
			on_switch(w, &rec, note->time);
		else
			on_start(w, &rec, note->time);
	}
	if (!told)
		gather_hits(w, s);
	vec_for(cpu, &w->cpus)
		close_turns(cpu);
	count_moves(w);
}

void who_release(struct who_list *w)
{
	vec_for(cpu, &w->cpus)
		vec_free(&cpu->turns);
	vec_free(&w->cpus);
	vec_free(&w->threads);
}

/* A thread's own trace: some record says which process it is of. */
static struct who by_thread(const struct who_list *w, const struct aux_queue *q)
{
	struct who who = { .to = UINT64_MAX, .pid = q->tid, .tid = q->tid };

	vec_for(thread, &w->threads)
		if (thread->tid == q->tid) {
			who.pid = thread->pid;
			return who;
		}
	vec_for(span, &q->spans)
		if (span->tid == q->tid) {
			who.pid = span->pid;
			break;
		}
	return who;
}

/* A CPU's trace without context switches: an AUX record is written by the thread that was traced. */
static struct who by_span(const struct aux_queue *q, uint64_t at)
{
	const struct aux_span *span = aux_queue_span(q, at);
	struct who who = { .to = UINT64_MAX, .pid = AUX_NONE, .tid = AUX_NONE };

	if (!span)
		return who;
	who.pid = span->pid;
	who.tid = span->tid;
	return who;
}

/* The number of the turn that holds @time; the number of turns: none. */
static size_t turn_at(const struct who_cpu *cpu, uint64_t time)
{
	size_t low = 0, high = cpu->turns.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cpu->turns.v[mid].to <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low < cpu->turns.nr && cpu->turns.v[low].from <= time ? low : cpu->turns.nr;
}

static const struct who_cpu *turns_of(const struct who_list *w, const struct aux_queue *q)
{
	static const struct who_cpu none;

	return q->cpu < w->cpus.nr ? &w->cpus.v[q->cpu] : &none;
}

struct who who_at(const struct who_list *w, const struct aux_queue *q, uint64_t time, uint64_t at)
{
	const struct who_cpu *cpu = turns_of(w, q);
	size_t turn = turn_at(cpu, time);

	if (q->tid != AUX_NONE)
		return by_thread(w, q);
	return turn < cpu->turns.nr ? cpu->turns.v[turn] : by_span(q, at);
}

bool who_wanted(const struct who_list *w, const struct aux_queue *q, const struct aux_window *window, uint64_t from,
		uint64_t to)
{
	struct source_extent e = { q->cpu, SOURCE_ANY, SOURCE_ANY, from, to };
	const struct who_cpu *cpu = turns_of(w, q);
	size_t turn = turn_at(cpu, from);

	if (!window->wants)
		return true;
	if (q->tid != AUX_NONE) {
		e.tid = q->tid;
		e.pid = by_thread(w, q).pid;
	}
	if (q->tid != AUX_NONE || turn == cpu->turns.nr)
		return window->wants(window->ctx, &e);
	for (; turn < cpu->turns.nr && cpu->turns.v[turn].from <= to; turn++) {
		e.pid = cpu->turns.v[turn].pid;
		e.tid = cpu->turns.v[turn].tid;
		if (window->wants(window->ctx, &e))
			return true;
	}
	return false;
}

void aux_debug_chosen(size_t nr, size_t kept)
{
	debug(1, "of %zu pieces of the trace %zu are decoded: nothing of the others would be shown", nr, kept);
}
