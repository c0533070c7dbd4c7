/*
 * Finds the function calls in a recording. It makes call and return events from branches and probes, sorts the events by time
 * (call_steps.c), and applies each event to its thread's stack.
 */
#include "core/profile/call_walk.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/perfdata/abi.h"
#include "core/tracepoint/tracing_data.h"
#include "core/profile/call_steps.h"
#include "core/code/code_places.h"

#define MAX_FRAMES	65536u		/* a deeper stack means that returns were lost, so it ends at a gap */
#define NOBODY		UINT32_MAX

/* Flags of AUX records after which trace is missing: the area was full, it is a snapshot, or the hardware reports a loss. */
#define AUX_WITH_GAPS	(PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_PARTIAL)
#define FAR_AWAY	(1u << 20)	/* bytes; nothing runs so far without a branch */

enum frame_kind { FRAME_BASE, FRAME_CALL, FRAME_TAIL, FRAME_AWAY, FRAME_PROBE };

struct walk_frame {
	uint64_t ret;			/* the address that the call returns to; 0: not known */
	int64_t order;			/* see struct walked_call */
	uint64_t begin, insns;		/* .begin: ns; .insns: the thread's count of instructions at the begin */
	uint64_t start, end;		/* the addresses of the function */
	uint32_t function;
	uint8_t kind;			/* enum frame_kind */
	bool inferred;			/* .begin is inferred */
	bool called;			/* FRAME_AWAY: the last traced instruction was a call */
};

/* A thread's contribution to a function's totals in a segment. */
struct share {
	uint64_t ns, insns;
	uint32_t segment, open;		/* .open: number of its calls that have not ended */
};

struct walked_thread {
	VEC(struct walk_frame) frames;	/* the open calls; empty: no step came since the last gap */
	VEC(struct share) shares;	/* by function */
	uint64_t last_at;		/* time of the last step that was read */
	uint32_t last_cpu, cpu;		/* .last_cpu: CPU of the last step that was read; .cpu: of the last that was applied */
	uint64_t now, insns;		/* .now: time of the last step that was applied; .insns: instructions in this segment */
	uint64_t begin;			/* ns: the begin of the segment */
	uint64_t ip;			/* the address that the last step went to; 0: unknown */
	uint32_t space;			/* the space of .ip */
	uint32_t segment;
	int32_t level;			/* level of frames.v[0] */
	int64_t first, last;		/* the lowest and the highest walked_call.order given in this segment */
};

struct probe { uint32_t function; enum { PROBE_NONE, PROBE_ENTRY, PROBE_RETURN } kind; };

struct call_walk {
	const struct call_walk_opts *opts;
	struct session *session;
	uint64_t kernel_start;
	struct code_places *places;
	uint32_t syscall, interrupt, untraced;	/* numbers of the functions "[syscall]", "[interrupt]", "[untraced]" */
	VEC(struct probe) probes;		/* by event */
	VEC(struct walked_thread *) threads;	/* owned; by the machine's number of the thread; NULL: no steps yet */
	struct call_steps steps;		/* steps that were read and not applied yet */
	struct call_walk_seen seen;
};

/* ---- probes ---- */

/* Returns the length of the name of a return probe without the suffix; 0: this is not the name of a return probe. */
static size_t return_stem(const char *name)
{
	static const char *const marks[] = { "%return", "__return" };
	size_t n = strlen(name), len;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		len = strlen(marks[i]);
		if (n > len && !strcmp(name + n - len, marks[i]))
			return n - len;
	}
	return 0;
}

static const char *probed_function(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon && colon[1] ? colon + 1 : name;
}

/* Finds pairs of an event and its return probe, by their names. */
static void find_probes(struct call_walk *w)
{
	const struct event_table *t = session_events(w->session);

	vec_for(ev, &t->events)
		vec_push(&w->probes, (struct probe){ .kind = PROBE_NONE });
	for (size_t i = 0; i < t->events.nr; i++) {
		const char *name = t->events.v[i]->name;
		size_t n = return_stem(name);

		for (size_t k = 0; n && k < t->events.nr; k++) {
			const char *entry = t->events.v[k]->name;

			if (strlen(entry) != n || strncmp(entry, name, n) || w->probes.v[k].kind != PROBE_NONE)
				continue;
			w->probes.v[k] = (struct probe){ code_function_add(w->places, probed_function(entry)), PROBE_ENTRY };
			w->probes.v[i] = (struct probe){ w->probes.v[k].function, PROBE_RETURN };
		}
	}
}

/* ---- threads ---- */

static struct walked_thread *thread_of(struct call_walk *w, uint32_t number)
{
	while (w->threads.nr <= number)
		vec_push(&w->threads, NULL);
	if (!w->threads.v[number])
		w->threads.v[number] = xcalloc(1, sizeof(struct walked_thread));
	return w->threads.v[number];
}

static struct share *share_of(struct walked_thread *t, uint32_t function)
{
	while (t->shares.nr <= function)
		vec_push(&t->shares, (struct share){0});
	if (t->shares.v[function].segment != t->segment)
		t->shares.v[function] = (struct share){ .segment = t->segment };
	return &t->shares.v[function];
}

static struct walk_frame *top_of(struct walked_thread *t)
{
	return t->frames.nr ? &t->frames.v[t->frames.nr - 1] : NULL;
}

static void push(struct walked_thread *t, const struct walk_frame *f)
{
	share_of(t, f->function)->open++;
	vec_push(&t->frames, *f);
	/* A caller that is found later is ordered before all calls so far. */
	t->frames.v[t->frames.nr - 1].order = f->kind == FRAME_BASE ? --t->first : ++t->last;
}

static struct walk_frame frame_at(struct call_walk *w, const struct walked_thread *t, uint32_t space, uint64_t ip, uint8_t kind)
{
	const struct code_place *p = code_place_at(w->places, space, ip);

	return (struct walk_frame){ .begin = t->now, .insns = t->insns, .function = p->function, .start = p->start, .end = p->end,
					 .kind = kind };
}

/* ---- calls that end ---- */

/*
 * Sets the call's part of its function's totals, if it is the outermost call of the function. A call whose begin is inferred may
 * turn out to contain earlier calls of the function. Then the sums of these are subtracted.
 */
static void set_shares(struct walked_thread *t, const struct walk_frame *f, struct walked_call *call)
{
	struct share *s = share_of(t, f->function);
	bool whole = f->begin == t->begin && f->inferred;

	s->open--;
	if (s->open)
		return;
	call->flags |= CALL_OUTERMOST;
	call->alone_ns = call->end - call->begin - (whole ? s->ns : 0);
	call->alone_insns = call->insns - (whole ? s->insns : 0);
	s->ns += call->alone_ns;
	s->insns += call->alone_insns;
}

/* End the innermost call. */
static void pop(struct call_walk *w, struct walked_thread *t, uint32_t number, bool inferred)
{
	struct walk_frame f = t->frames.v[--t->frames.nr];
	struct walked_call call = {
		.function = f.function, .thread = number, .segment = t->segment,
		.level = t->level + (int32_t)t->frames.nr, .order = f.order, .begin = f.begin, .end = t->now,
		.insns = t->insns - f.insns,
		.flags = (f.inferred ? CALL_BEGIN_INFERRED : 0u) | (inferred ? CALL_END_INFERRED : 0u) |
			 (f.kind == FRAME_AWAY ? CALL_UNTRACED : 0u),
	};

	set_shares(t, &f, &call);
	w->opts->call(w->opts->ctx, w, &call);
}

static void pop_to(struct call_walk *w, struct walked_thread *t, uint32_t number, size_t nr)
{
	while (t->frames.nr > nr)
		pop(w, t, number, false);
}

/* Ends all calls of the thread, because of a gap. */
static void cut(struct call_walk *w, struct walked_thread *t, uint32_t number)
{
	while (t->frames.nr)
		pop(w, t, number, true);
	t->ip = 0;
}

/* ---- the function that runs next ---- */

/* Returns the index + 1 of the innermost frame whose function contains @ip; 0: none. */
static size_t find_function(struct call_walk *w, const struct walked_thread *t, uint32_t space, uint64_t ip)
{
	uint32_t function = code_place_at(w->places, space, ip)->function;

	for (size_t i = t->frames.nr; i-- > 0;)
		if (t->frames.v[i].kind != FRAME_AWAY && t->frames.v[i].function == function)
			return i + 1;
	return 0;
}

static bool is_inside(const struct walk_frame *f, uint64_t ip)
{
	return ip >= f->start && ip < f->end;
}

static void begin_segment(struct walked_thread *t)
{
	t->segment++;
	t->level = 0;
	t->insns = 0;
	t->begin = t->now;
}

/* Begins a new segment, with the function at @ip, which has been running since an unknown time. */
static void begin_inside(struct call_walk *w, struct walked_thread *t, uint32_t space, uint64_t ip)
{
	struct walk_frame base;

	begin_segment(t);
	base = frame_at(w, t, space, ip, FRAME_BASE);
	base.inferred = true;
	push(t, &base);
}

/* Adds a caller whose call was not seen: it has been running since the segment began. */
static void push_base(struct call_walk *w, struct walked_thread *t, uint32_t space, uint64_t ip)
{
	struct walk_frame base = frame_at(w, t, space, ip, FRAME_BASE);

	base.begin = t->begin;
	base.insns = 0;
	base.inferred = true;
	t->level--;
	push(t, &base);
}

/* Handles a jump to @ip, without a call or return instruction. */
static void jump(struct call_walk *w, struct walked_thread *t, uint32_t number, uint32_t space, uint64_t ip)
{
	struct walk_frame *top = top_of(t), tail;
	size_t found;

	if (is_inside(top, ip) && ip != top->start)
		return;
	tail = frame_at(w, t, space, ip, FRAME_TAIL);
	if (tail.function == top->function)
		return;
	found = ip != tail.start ? find_function(w, t, space, ip) : 0;
	if (found) {
		pop_to(w, t, number, found);
		return;
	}
	tail.ret = top->ret;
	push(t, &tail);
}

/* True if the return address of the innermost frame is unknown. */
static bool is_bottom(const struct walked_thread *t)
{
	const struct walk_frame *top = &t->frames.v[t->frames.nr - 1];

	return !top->ret && top->kind != FRAME_PROBE;
}

static void on_return(struct call_walk *w, struct walked_thread *t, uint32_t number, uint32_t space, uint64_t ip)
{
	size_t i = t->frames.nr;

	while (i && t->frames.v[i - 1].ret != ip)
		i--;
	/* A return from a tail call also ends the call that it is in. */
	while (i > 1 && t->frames.v[i - 1].kind == FRAME_TAIL && t->frames.v[i - 2].ret == ip)
		i--;
	if (i) {
		pop_to(w, t, number, i - 1);
		return;
	}
	if (!is_bottom(t)) {
		jump(w, t, number, space, ip);
		return;
	}
	while (t->frames.nr && !t->frames.v[t->frames.nr - 1].ret)
		pop(w, t, number, false);
	if (!t->frames.nr)
		push_base(w, t, space, ip);
}

static void on_call(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	struct walk_frame f;

	/* A call of the next instruction only serves to get the address. */
	if (e->size && e->to == e->from + e->size)
		return;
	f = frame_at(w, t, e->to_space, e->to, FRAME_CALL);
	f.ret = e->from + e->size;
	push(t, &f);
}

/* Tracing stops at @e. Adds a call for the untraced time until tracing begins again. */
static void on_end(const struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	struct walk_frame f = { .begin = t->now, .insns = t->insns, .kind = FRAME_AWAY, .ret = e->from + e->size };

	f.called = e->flags & SYNTH_CALL && !(e->flags & (SYNTH_SYSCALL | SYNTH_INTERRUPT));
	if (e->flags & SYNTH_SYSCALL)
		f.function = w->syscall;
	else
		f.function = e->flags & (SYNTH_ASYNC | SYNTH_INTERRUPT) ? w->interrupt : w->untraced;
	push(t, &f);
}

/*
 * Tracing goes on at @e, usually after the instruction at which it stopped. Otherwise the thread has returned to a caller, or runs
 * a new function on top, such as a signal handler.
 */
static void on_begin(struct call_walk *w, struct walked_thread *t, uint32_t number, const struct call_event *e)
{
	struct walk_frame *top = top_of(t), f;
	uint64_t ret = top->ret;
	bool called = top->called;
	size_t i;

	pop(w, t, number, false);
	top = top_of(t);
	if (e->to == ret || !top)
		return;
	for (i = t->frames.nr; i > 0; i--)
		if (t->frames.v[i - 1].ret == e->to)
			break;
	if (i) {
		on_return(w, t, number, e->to_space, e->to);
		return;
	}
	f = frame_at(w, t, e->to_space, e->to, FRAME_CALL);
	if (f.function == top->function && !(called && e->to == f.start))
		return;
	f.ret = ret;
	push(t, &f);
}

/* ---- steps ---- */

/* Adds the time and the instructions since the last step to the innermost call. */
static void advance(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	const struct walk_frame *top = top_of(t);
	uint64_t at = MAX(e->at, t->now), ns = top ? at - t->now : 0, insns = 0;

	t->now = at;
	if (!top)
		return;
	if (w->opts->insns && e->kind == CALL_BRANCH && t->ip && e->from && e->from_space == t->space)
		insns = code_insns(w->places, t->space, t->ip, e->from, e->size || !(e->flags & SYNTH_ASYNC));
	t->insns += insns;
	if (w->opts->self && (ns || insns))
		w->opts->self(w->opts->ctx, top->function, ns, insns);
}

/* True if @e can be the thread's next branch, with none missing before it. */
static bool follows(const struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	if (e->flags & SYNTH_BEGIN)
		return top_of(t)->kind == FRAME_AWAY;
	return !w->opts->insns || !t->ip || !e->from ||
	       (top_of(t)->kind != FRAME_AWAY && e->from >= t->ip && e->from - t->ip < FAR_AWAY);
}

static void on_branch(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	uint64_t ip = e->from ? e->from : e->to;

	if (t->frames.nr && !follows(w, t, e)) {
		w->seen.gaps++;
		cut(w, t, e->thread);
	}
	if (!t->frames.nr && ip)
		begin_inside(w, t, e->from ? e->from_space : e->to_space, ip);
	if (!t->frames.nr)
		return;
	if (e->flags & SYNTH_BEGIN) {
		if (top_of(t)->kind == FRAME_AWAY)
			on_begin(w, t, e->thread, e);
	} else if (e->flags & SYNTH_END || !e->to) {
		on_end(w, t, e);
	} else if (e->flags & SYNTH_CALL) {
		on_call(w, t, e);
	} else if (e->flags & SYNTH_RETURN) {
		on_return(w, t, e->thread, e->to_space, e->to);
	} else {
		jump(w, t, e->thread, e->to_space, e->to);
	}
	if (t->frames.nr > MAX_FRAMES)
		cut(w, t, e->thread);
	t->ip = e->to;
	t->space = e->to_space;
}

static void on_entry(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	if (!t->frames.nr)
		begin_segment(t);
	push(t, &(struct walk_frame){ .begin = t->now, .insns = t->insns, .function = e->flags, .kind = FRAME_PROBE });
	if (t->frames.nr > MAX_FRAMES)
		cut(w, t, e->thread);
}

/* Adds the call for a return probe without an entry probe: only its end is known. */
static void on_lone_return(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	if (!t->frames.nr)
		t->segment++;
	push(t, &(struct walk_frame){ .begin = t->now, .insns = t->insns, .function = e->flags, .kind = FRAME_PROBE,
				       .inferred = true });
	pop(w, t, e->thread, false);
}

static void on_thread_exit(struct call_walk *w, struct walked_thread *t, const struct call_event *e)
{
	size_t i = t->frames.nr;

	while (i && (t->frames.v[i - 1].kind != FRAME_PROBE || t->frames.v[i - 1].function != e->flags))
		i--;
	if (i)
		pop_to(w, t, e->thread, i - 1);
	else
		on_lone_return(w, t, e);
}

static void on_gap(struct call_walk *w, const struct call_event *e)
{
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		struct walked_thread *t = w->threads.v[i];

		if (!t || (e->thread != NOBODY ? e->thread != i : e->cpu != NOBODY && t->cpu != e->cpu))
			continue;
		w->seen.gaps += t->frames.nr > 0;
		cut(w, t, i);
	}
}

static void on_step(void *ctx, const struct call_event *e)
{
	struct call_walk *w = ctx;
	struct walked_thread *t;

	if (e->kind == CALL_GAP) {
		on_gap(w, e);
		return;
	}
	t = thread_of(w, e->thread);
	advance(w, t, e);
	t->cpu = e->cpu;
	if (e->kind == CALL_BRANCH)
		on_branch(w, t, e);
	else if (e->kind == CALL_ENTRY)
		on_entry(w, t, e);
	else
		on_thread_exit(w, t, e);
}

/* ---- sorting: the trace of each CPU arrives in parts, and a thread that migrates is in the traces of several CPUs ---- */

/* Applies all steps before @time, because no earlier step can arrive any more. */
static void reached(void *ctx, uint64_t time)
{
	struct call_walk *w = ctx;

	call_steps_pop(&w->steps, time, on_step, w);
}

/*
 * Adds a step to the list. The steps of a thread on one CPU are read in order, so if the time goes back, that is due to a late
 * timestamp packet, and the step gets the time of the last one.
 */
static void note(struct call_walk *w, struct call_event *e)
{
	struct walked_thread *t = e->thread == NOBODY ? NULL : thread_of(w, e->thread);

	if (t && t->last_cpu == e->cpu)
		e->at = MAX(e->at, t->last_at);
	if (t) {
		t->last_cpu = e->cpu;
		t->last_at = e->at;
	}
	call_steps_add(&w->steps, e);
}

/* ---- from items ---- */

static bool is_trace_branch(const struct event *ev)
{
	return event_shows(ev, PERF_SAMPLE_ADDR) && ev->attr.type == PERF_TYPE_HARDWARE &&
	       ev->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
}

static uint32_t space_of(const struct call_walk *w, const struct task_context *context, uint64_t ip)
{
	return ip >= w->kernel_start ? context->kernel_space : context->user_space;
}

static void note_branch(struct call_walk *w, const struct item *item, struct call_event *e)
{
	const struct sample *sample = item->sample;

	e->from = sample->ip;
	e->to = sample->addr;
	e->from_space = space_of(w, item->context, e->from);
	e->to_space = space_of(w, item->context, e->to);
	e->flags = sample->flags;
	e->size = (uint8_t)MIN(sample->insn_size, UINT8_MAX);
	e->kind = CALL_BRANCH;
	w->seen.branches++;
	note(w, e);
}

static void note_sample(struct call_walk *w, const struct item *item)
{
	const struct probe *p = item->event->number < w->probes.nr ? &w->probes.v[item->event->number] : NULL;
	struct call_event e = { .at = item->at, .thread = item->context->thread->number, .cpu = item->sample->cpu };

	if (!filter_is_open(w->opts->filter) && !filter_item(w->opts->filter, item)) {
		e.kind = CALL_GAP;
		if ((p && p->kind) || item->sample->flags & SYNTH_BRANCH)
			note(w, &e);
		return;
	}
	if (p && p->kind != PROBE_NONE) {
		e.kind = p->kind == PROBE_ENTRY ? CALL_ENTRY : CALL_RETURN;
		e.flags = p->function;
		w->seen.probes++;
		note(w, &e);
	} else if (item->sample->flags & SYNTH_BRANCH && is_trace_branch(item->event)) {
		note_branch(w, item, &e);
	}
}

/* Adds a gap for a record of a loss. */
static void note_loss(struct call_walk *w, const struct item *item)
{
	const struct record *r = item->record;
	struct call_event e = { .at = item->at, .kind = CALL_GAP, .thread = NOBODY, .cpu = NOBODY };

	if (r->header.type == RECORD_AUXTRACE_ERROR) {
		if (item->context && item->context->thread)
			e.thread = item->context->thread->number;
		e.cpu = r->auxtrace_error.cpu;
	} else {
		if (r->header.type == PERF_RECORD_AUX && !(r->aux.flags & AUX_WITH_GAPS))
			return;
		if (r->header.type == PERF_RECORD_LOST && !w->seen.probes)
			return;
		if (r->id.has_cpu)
			e.cpu = r->id.cpu;
	}
	note(w, &e);
}

static bool wants(void *ctx, const struct record_header *header)
{
	return header->type == PERF_RECORD_SAMPLE || header->type == PERF_RECORD_AUX || header->type == PERF_RECORD_LOST;
}

static void on_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	(void)worker, (void)out;
	if (!item->sample)
		note_loss(ctx, item);
	else if (item->event && item->context && item->context->thread)
		note_sample(ctx, item);
}

/* ---- the whole ---- */

struct call_walk *call_walk_new(struct session *s, const struct call_walk_opts *o)
{
	static const struct ordered_pass pass = {
		.worker_size = 1, .wants = wants, .item = on_item, .one_worker = true, .reached = reached,
	};
	struct call_walk *w = xcalloc(1, sizeof(*w));
	const struct arch *arch = machine_arch(session_machine(s));

	w->opts = o;
	w->session = s;
	w->kernel_start = arch ? arch->kernel_start : 1ull << 63;
	w->places = code_places_new(session_machine(s));
	w->syscall = code_function_add(w->places, "[syscall]");
	w->interrupt = code_function_add(w->places, "[interrupt]");
	w->untraced = code_function_add(w->places, "[untraced]");
	find_probes(w);
	session_ordered(s, &pass, w, -1);
	reached(w, UINT64_MAX);
	for (uint32_t i = 0; i < w->threads.nr; i++)
		if (w->threads.v[i])
			cut(w, w->threads.v[i], i);
	return w;
}

void call_walk_free(struct call_walk *w)
{
	if (!w)
		return;
	vec_for(t, &w->threads) {
		if (!*t)
			continue;
		vec_free(&(*t)->frames);
		vec_free(&(*t)->shares);
		free(*t);
	}
	vec_free(&w->threads);
	call_steps_release(&w->steps);
	vec_free(&w->probes);
	code_places_free(w->places);
	free(w);
}

const struct code_places *call_walk_places(const struct call_walk *w)
{
	return w->places;
}

struct call_walk_seen call_walk_seen(const struct call_walk *w)
{
	return w->seen;
}

int walked_call_compare(const void *a, const void *b)
{
	const struct walked_call *x = a, *y = b;

	return compare_numbers(x->thread, y->thread) ?: compare_numbers(x->segment, y->segment) ?:
	       compare_numbers(x->order, y->order);
}
