/*
 * Collects the context switches, wake-ups, forks, exits, execs and system calls of a recording, in several threads of prec.
 * waits.c computes from these records when each recorded thread was off the CPU.
 */
#include "core/sched/wait_samples.h"

#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/read/session.h"
#include "core/sched/sched_events.h"
#include "core/tracepoint/tracing_data.h"
#include "core/perfdata/wait_sums.h"

#define INTERRUPT_FLAGS	0x18u	/* common_flags: hard and soft interrupt (include/linux/trace_events.h) */

struct wait_event {		/* an event of the recording */
	bool is_call, is_sums;
	const struct trace_field *call, *args;	/* the fields of a system call with its number and its arguments */
};

struct step_worker {
	VEC(struct wait_step) steps;
	VEC(struct wait_args) args;
	VEC(uint64_t) sums;
	uint64_t end;		/* the latest time seen */
};

struct step_scan {
	const struct session *session;
	struct wait_steps *out;
	struct sched_events sched;		/* by number of the event */
	VEC(struct wait_event) events;		/* by number of the event, too */
	const struct arch *arch;		/* NULL: unknown */
	VEC(const struct feature_descriptor *) names;	/* by process, descriptor and time */
	VEC(uint32_t) first_of;			/* by index in features->descriptors: the index of the first entry with this
						 * descriptor and name */
	bool samples;				/* the last sample of a thread gives the stack of its switch out */
};

/* ---- which events ---- */

bool wait_steps_is_call(const struct trace_event *t)
{
	return str_eq(t->system, "raw_syscalls") && str_eq(t->name, "sys_enter");
}

static struct wait_event wait_event_of(const struct session *s, const struct event *ev)
{
	struct wait_event e = { .is_sums = attr_is_wait_sums(&ev->attr) };
	const struct trace_event *t = ev->attr.type == PERF_TYPE_TRACEPOINT && ev->layout.type & PERF_SAMPLE_RAW ?
				      tracing_data_event(session_tracing(s), ev->attr.config) : NULL;

	if (t && wait_steps_is_call(t)) {
		e.call = trace_event_field(t, "id");
		e.args = trace_event_field(t, "args");
		e.is_call = e.call && e.args && e.args->is_array && e.args->element_size == sizeof(uint64_t);
	}
	return e;
}

static void find_events(struct step_scan *scan, struct wait_steps *out)
{
	sched_events_find(&scan->sched, session_events(scan->session), session_tracing(scan->session));
	vec_for(e, &scan->sched.list) {
		bool switches = e->kind == SCHED_EVENT_SWITCH || e->kind == SCHED_EVENT_SOFTWARE;

		out->switches |= switches;
		out->stacks |= switches && e->has_stack;
		out->wakes |= sched_event_is_wake(e->kind);
	}
	vec_for(ev, &session_events(scan->session)->events) {
		struct wait_event e = wait_event_of(scan->session, *ev);

		out->summed |= e.is_sums;
		vec_push(&scan->events, e);
	}
}

/* ---- reading the records ---- */

static void add(struct step_worker *w, const struct wait_step *step)
{
	w->end = MAX(w->end, step->time);
	if (wait_is_of_thread(step->tid))
		vec_push(&w->steps, *step);
}

static uint32_t number_of(const struct trace_data *d, const struct trace_field *f)
{
	return (uint32_t)trace_field_number(d, f);
}

static void on_switch(struct step_worker *w, const struct step_scan *scan, const struct bare_sample *s,
		      const struct sched_event *e)
{
	const struct trace_data d = session_raw_data(scan->session, s->raw, s->raw_size);
	struct wait_step step = {
		.time = s->at, .position = s->position, .pid = s->pid, .tid = number_of(&d, e->pid),
		.cpu = s->cpu, .kind = WAIT_STEP_OUT, .source = e->next_only ? WAIT_BY_NEXT : WAIT_BY_TRACEPOINT, .has_stack = true,
		.state = (uint8_t)wait_state_of(trace_field_number(&d, e->state)),
	};

	if (!e->next_only)
		add(w, &step);
	step.pid = UINT32_MAX;
	step.tid = number_of(&d, e->other);
	step.kind = WAIT_STEP_IN;
	add(w, &step);
}

static uint64_t argument(const struct trace_data *d, const struct trace_field *f, unsigned n)
{
	uint32_t size;
	const uint8_t *p = trace_field_bytes(d, f, &size);

	return p && size >= (n + 1) * sizeof(uint64_t) ? trace_number(d, p + n * sizeof(uint64_t), sizeof(uint64_t), false) : 0;
}

/* ---- names of file descriptors ---- */

static int compare_descriptors(const struct feature_descriptor *x, const struct feature_descriptor *y)
{
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->fd != y->fd)
		return x->fd < y->fd ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

ORDER(compare_names, struct feature_descriptor *, compare_descriptors(*a, *b))

static bool same_name(const struct feature_descriptor *x, const struct feature_descriptor *y)
{
	return x->pid == y->pid && x->fd == y->fd && str_eq(x->name, y->name);
}

static void add_name(struct step_scan *scan, struct index *by_name, const struct feature_descriptor *all, uint32_t number)
{
	const struct feature_descriptor *d = &all[number];
	uint64_t hash = hash_pair(hash_bytes(d->name, strlen(d->name)), (uint64_t)d->pid << 32 | d->fd);

	index_for(pos, by_name, hash)
		if (same_name(&all[pos], d)) {
			vec_push(&scan->first_of, pos);
			return;
		}
	index_add(by_name, hash, number);
	vec_push(&scan->first_of, number);
}

static void list_names(struct step_scan *scan)
{
	const struct features *f = session_features(scan->session);
	struct index by_name = {0};

	for (uint32_t i = 0; i < f->descriptors.nr; i++) {
		if (!f->descriptors.v[i].name)
			break;	/* the section is truncated */
		vec_push(&scan->names, &f->descriptors.v[i]);
		add_name(scan, &by_name, f->descriptors.v, i);
	}
	index_release(&by_name);
	vec_sort(&scan->names, compare_names);
}

/* Returns the name that prec record found when it first looked up the descriptor after @time: an index in features->descriptors. */
static uint32_t name_at(const struct step_scan *scan, uint32_t pid, uint32_t fd, uint64_t time)
{
	const struct feature_descriptor want = { .pid = pid, .fd = fd, .to = time }, *found;
	size_t at = bisect(i, 0, scan->names.nr, compare_descriptors(scan->names.v[i], &want) < 0);

	found = at < scan->names.nr ? scan->names.v[at] : NULL;
	if (!found || found->pid != pid || found->fd != fd || !*found->name)
		return WAIT_NO_NAME;
	return scan->first_of.v[found - session_features(scan->session)->descriptors.v];
}

/* Notes a system call, even one that does not wait, because the call before it has ended. */
static void on_call(struct step_worker *w, const struct step_scan *scan, const struct bare_sample *s,
			const struct wait_event *e)
{
	const struct trace_data d = session_raw_data(scan->session, s->raw, s->raw_size);
	const struct arch_call *call = arch_call_find(scan->arch, trace_field_number(&d, e->call));
	struct wait_args args = { .position = s->position, .pid = s->pid, .name = WAIT_NO_NAME, .kind = CALL_NAMELESS };

	if (call) {
		args.kind = call->kind;
		args.value = argument(&d, e->args, call->argument);
	}
	if (args.kind == CALL_FUTEX)
		args.held = wait_args_are_held((uint32_t)argument(&d, e->args, 1), (uint32_t)argument(&d, e->args, 2));
	else if (args.kind == CALL_FUTEX_WAIT)
		args.held = wait_args_are_held(0, (uint32_t)argument(&d, e->args, 1));
	else
		args.value = (uint32_t)args.value;
	if (args.kind == CALL_DESCRIPTOR)
		args.name = name_at(scan, s->pid, (uint32_t)args.value, s->at);
	vec_push(&w->args, args);
	add(w, &(struct wait_step){
		.time = s->at, .position = s->position, .pid = s->pid, .tid = s->tid,
		.cpu = s->cpu, .kind = WAIT_STEP_CALL });
}

static void on_sample(void *worker, void *ctx, const struct bare_sample *s)
{
	const struct step_scan *scan = ctx;
	struct step_worker *w = worker;
	const struct wait_event *e = &scan->events.v[s->event->number];
	const struct sched_event *sched = &scan->sched.list.v[s->event->number];
	struct wait_step step = { .time = s->at, .position = s->position, .pid = s->pid, .tid = s->tid, .cpu = s->cpu };

	if (sched->kind == SCHED_EVENT_SWITCH) {
		on_switch(w, scan, s, sched);
		return;
	}
	if (e->is_call) {
		on_call(w, scan, s, e);
		return;
	}
	if (e->is_sums) {
		w->end = MAX(w->end, s->at);
		vec_push(&w->sums, s->position);
		return;
	}
	if (sched_event_is_wake(sched->kind)) {
		const struct trace_data d = session_raw_data(scan->session, s->raw, s->raw_size);

		step.waker = sched->flags && number_of(&d, sched->flags) & INTERRUPT_FLAGS ? WAIT_INTERRUPT :
											     owner_of(s->pid, s->tid);
		step.tid = number_of(&d, sched->pid);
		step.kind = WAIT_STEP_WAKE;
	} else if (sched->kind == SCHED_EVENT_SOFTWARE) {
		step.kind = WAIT_STEP_OUT;
		step.source = WAIT_BY_EVENT;
		step.has_stack = true;
	} else {
		if (!scan->samples)
			return;
		step.kind = WAIT_STEP_SAMPLE;
	}
	add(w, &step);
}

/*
 * Adds a fork, exit or exec. An exec is the first record of a command, which may run for long before its first switch. Leaves out
 * FORK records at time 0, whose threads existed before the recording.
 */
static void on_task(struct step_worker *w, const struct item *item, uint32_t pid, uint32_t tid, enum wait_step_kind kind)
{
	const struct record *rec = item->record;

	if (item->at)
		add(w, &(struct wait_step){
			.time = item->at, .position = item->position, .pid = pid, .tid = tid, .kind = (uint8_t)kind,
			.cpu = rec->id.has_cpu ? rec->id.cpu : UINT32_MAX,
		});
}

static void on_record(struct step_worker *w, const struct item *item)
{
	const struct record *rec = item->record;
	uint16_t misc = rec->header.misc;
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct wait_step step = {
		.time = item->at, .position = item->position, .pid = rec->id.pid, .tid = rec->id.tid,
		.cpu = rec->id.has_cpu ? rec->id.cpu : UINT32_MAX, .kind = out ? WAIT_STEP_OUT : WAIT_STEP_IN,
		.source = WAIT_BY_RECORD,
		.state = out && misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? WAIT_PREEMPTED : WAIT_BLOCKED,
	};

	if (!rec->id.has_tid || !item->at)
		return;
	add(w, &step);
	/* Adds the switch in of the next thread. That thread's own record follows, once its events are enabled again. */
	if (out && rec->header.type == PERF_RECORD_SWITCH_CPU_WIDE) {
		step.pid = UINT32_MAX;
		step.tid = rec->sw.next_prev_tid;
		step.kind = WAIT_STEP_IN;
		step.source = WAIT_BY_RECORD_BEFORE;
		step.state = WAIT_BLOCKED;
		add(w, &step);
	}
}

static void on_item(void *worker, void *ctx, const struct item *item)
{
	const struct record *rec = item->record;

	switch (rec->header.type) {
	case PERF_RECORD_COMM:
		if (rec->header.misc & PERF_RECORD_MISC_COMM_EXEC)
			on_task(worker, item, rec->comm.pid, rec->comm.tid, WAIT_STEP_EXEC);
		break;
	case PERF_RECORD_FORK:
		on_task(worker, item, rec->task.pid, rec->task.tid, WAIT_STEP_FORKED);
		break;
	case PERF_RECORD_EXIT:
		on_task(worker, item, rec->task.pid, rec->task.tid, WAIT_STEP_END);
		break;
	default:
		on_record(worker, item);
	}
}

static bool is_wanted_event(const void *ctx, const struct event *event)
{
	const struct step_scan *scan = ctx;
	const struct wait_event *e = &scan->events.v[event->number];

	return e->is_call || e->is_sums || scan->samples || sched_event_is_of_waits(scan->sched.list.v[event->number].kind);
}

static void merge_steps(void *worker, void *ctx)
{
	struct step_worker *w = worker;
	struct step_scan *scan = ctx;

	if (!scan->out->list.nr) {
		vec_free(&scan->out->list);
		scan->out->list.v = w->steps.v;
		scan->out->list.nr = w->steps.nr;
		scan->out->list.cap = w->steps.cap;
	} else {
		vec_append(&scan->out->list, &w->steps);
		vec_free(&w->steps);
	}
	scan->out->end = MAX(scan->out->end, w->end);
	vec_append(&scan->out->args.list, &w->args);
	vec_free(&w->args);
	vec_append(&scan->out->sums, &w->sums);
	vec_free(&w->sums);
}

void wait_steps_gather(struct wait_steps *out, const struct session *s)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct step_worker), .wants_event = is_wanted_event, .record = on_item, .sample = on_sample,
		.merge = merge_steps,
		.types = { PERF_RECORD_SAMPLE, PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_FORK, PERF_RECORD_EXIT,
			   PERF_RECORD_COMM },
	};
	struct step_scan scan = { .session = s, .out = out, .arch = machine_arch(session_machine(s)) };

	*out = (struct wait_steps){ .end = session_counts(s)->last_time };
	out->switches = session_has_switches(s);
	find_events(&scan, out);
	list_names(&scan);
	scan.samples = !out->stacks;
	session_records(s, &pass, &scan);
	vec_free(&scan.sched.list);
	vec_free(&scan.events);
	vec_free(&scan.names);
	vec_free(&scan.first_of);
}
