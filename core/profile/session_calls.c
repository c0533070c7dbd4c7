/*
 * Adds the function calls in a hardware trace, and the time of each call, to a profile. call_walk.c finds the calls in the
 * trace. session_profile.c calls session_calls().
 */
#include "core/profile/session_parts.h"

#include <stdlib.h>

#include "core/read/session.h"
#include "core/model/dso.h"
#include "core/profile/call_walk.h"
#include "core/code/code_places.h"

struct open_call { uint64_t end; uint32_t node; int32_t level; };

struct making_calls {
	const struct session_calls_opts *opts;
	struct session *session;
	struct session_threads *threads;
	struct profile_builder *builder;
	const struct code_places *places;
	VEC(struct walked_call) list;
	VEC(struct open_call) open;	/* of the current thread, outermost first */
	VEC(uint32_t) frames;		/* by function: the builder's number, PROFILE_NONE: not added yet */
	uint32_t thread, comm;		/* the builder's numbers */
	uint64_t at;			/* self time is reported up to here */
	struct call_span span;
};

void session_hide_branches(struct session *s)
{
	vec_for(ev, &session_events(s)->events)
		if ((*ev)->attr.type == PERF_TYPE_HARDWARE && (*ev)->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS &&
		    event_shows(*ev, PERF_SAMPLE_ADDR))
			(*ev)->hidden_source = true;
}

static void on_call(void *ctx, const struct call_walk *w, const struct walked_call *call)
{
	struct making_calls *m = ctx;

	vec_push(&m->list, *call);
}

static char level_of(const struct dso *dso)
{
	return dso && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE) ? 'k' : '.';
}

static uint32_t frame_of(struct making_calls *m, uint32_t function)
{
	const struct code_function *f = code_function(m->places, function);
	struct profile_function own = { .dso = m->opts->dso(m->opts->ctx, f->dso), .level = level_of(f->dso) };

	while (m->frames.nr <= function)
		vec_push(&m->frames, PROFILE_NONE);
	if (m->frames.v[function] != PROFILE_NONE)
		return m->frames.v[function];
	if (f->name)
		own.name = profile_add_string(m->builder, f->name);
	if (f->symbol) {
		own.address = f->symbol->start;
		own.size = f->symbol->end - f->symbol->start;
	}
	m->frames.v[function] = profile_add_frame(m->builder, &(struct profile_frame){
		.function = profile_add_function(m->builder, &own), .address = own.address,
	});
	return m->frames.v[function];
}

/* Reports the time from .at to @time as self time of the innermost open call. */
static void report_self(struct making_calls *m, uint64_t time)
{
	uint32_t weight;

	if (m->open.nr && time > m->at) {
		weight = profile_add_weight(m->builder, &(struct profile_weight){
			.event = m->opts->event, .thread = m->thread, .comm = m->comm, .cpu = PROFILE_NONE,
			.stack = m->open.v[m->open.nr - 1].node, .address = PROFILE_NONE, .nr = 1, .period = time - m->at,
		});
		if (m->opts->times)
			profile_add_sample(m->builder, time, weight, time - m->at, NULL);
	}
	m->at = time;
}

/* Ends the open calls at @level and deeper. */
static void close_to(struct making_calls *m, int32_t level)
{
	while (m->open.nr && m->open.v[m->open.nr - 1].level >= level) {
		report_self(m, MAX(m->at, m->open.v[m->open.nr - 1].end));
		m->open.nr--;
	}
}

static void begin_thread(struct making_calls *m, uint32_t number, uint64_t time)
{
	const struct thread *t = machine_thread(session_machine(m->session), number);
	const struct task_context *w = session_thread_context(m->threads, t->pid, t->tid, time);

	m->thread = session_thread(m->threads, number);
	m->comm = profile_add_string(m->builder, w && w->comm ? w->comm : "");
}

static void add_call(struct making_calls *m, const struct walked_call *c, const struct walked_call *before)
{
	bool is_new_thread = !before || before->thread != c->thread;
	uint32_t node;

	close_to(m, is_new_thread || before->segment != c->segment ? INT32_MIN : c->level);
	if (is_new_thread)
		begin_thread(m, c->thread, c->begin);
	report_self(m, c->begin);
	node = profile_add_stack(m->builder, m->open.nr ? m->open.v[m->open.nr - 1].node : PROFILE_ROOT,
				 frame_of(m, c->function));
	vec_push(&m->open, (struct open_call){ c->end, node, c->level });
	profile_add_call(m->builder, &(struct profile_call){ c->begin, c->end, m->thread, node, c->flags });
	m->span.from = MIN(m->span.from, c->begin);
	m->span.to = MAX(m->span.to, c->end);
}

/*
 * call_walk.h reports a call when it ends, so a caller is reported after its callees. Sorting the calls by thread and by
 * walked_call.order puts callers first. Then each tree of calls is added from its root.
 */
struct call_span session_calls(struct session *s, struct session_threads *threads, struct profile_builder *b,
			       const struct session_calls_opts *o)
{
	struct making_calls m = { .opts = o, .session = s, .threads = threads, .builder = b, .span.from = UINT64_MAX };
	struct call_walk *w = call_walk_new(s, &(struct call_walk_opts){
		.filter = o->filter, .insns = true, .call = on_call, .ctx = &m,
	});

	m.places = call_walk_places(w);
	vec_sort(&m.list, walked_call_compare);
	for (size_t i = 0; i < m.list.nr; i++)
		add_call(&m, &m.list.v[i], i ? &m.list.v[i - 1] : NULL);
	close_to(&m, INT32_MIN);
	call_walk_free(w);
	vec_free(&m.list);
	vec_free(&m.open);
	vec_free(&m.frames);
	return m.span;
}
