/*
 * Implements the SQL table "calls" of prec query. A row is one call of a function with its begin and end, found from the
 * branches of a hardware trace or from probes at function entry and return (core/profile/call_walk.h).
 */
#include "core/show/query/row_lists.h"

#include <stdlib.h>

#include "core/base/log.h"
#include "core/code/code_places.h"
#include "core/model/dso.h"
#include "core/profile/call_walk.h"
#include "core/read/filter.h"
#include "core/read/session.h"

struct call_row { const struct walked_call *call; const char *comm; uint32_t parent, depth; };

struct call_lists {
	struct call_walk *walk;		/* owned; has the names of functions */
	VEC(struct walked_call) calls;	/* sorted by thread, segment and order */
	VEC(struct call_row) rows;	/* parallel to .calls */
	struct row_room room;
};

/* ---- the walk ---- */

static void on_call(void *ctx, const struct call_walk *w, const struct walked_call *call)
{
	struct call_lists *l = ctx;

	if (row_room_reserve(&l->room, sizeof(*call) + sizeof(struct call_row)))
		vec_push(&l->calls, *call);
}

/* Makes a row for each call. Its caller is the last call before it with a lower level in the same thread and segment. */
static void make_rows(struct call_lists *l, const struct machine *m)
{
	VEC(uint32_t) open = {0};
	struct context_cache *cache = context_cache_new(m);

	for (uint32_t i = 0; i < l->calls.nr; i++) {
		const struct walked_call *c = &l->calls.v[i], *before = i ? c - 1 : NULL;
		const struct thread *t = machine_thread(m, c->thread);

		if (before && (before->thread != c->thread || before->segment != c->segment))
			open.nr = 0;
		while (open.nr && l->calls.v[open.v[open.nr - 1]].level >= c->level)
			open.nr--;
		vec_push(&l->rows, ((struct call_row){
			.call = c, .comm = machine_context(cache, t->pid, t->tid, c->begin)->comm, .depth = (uint32_t)open.nr,
			.parent = open.nr ? open.v[open.nr - 1] : UINT32_MAX,
		}));
		vec_push(&open, i);
	}
	context_cache_free(cache);
	vec_free(&open);
}

static void walk(struct query *q, struct call_lists *l)
{
	struct filter *filter = query_filter(q);
	struct call_walk_seen seen;

	if (!filter)
		return;
	row_room_init(&l->room, q);
	l->walk = call_walk_new(q->opts.session, &(struct call_walk_opts){
		.filter = filter, .insns = q->opts.all_branches, .call = on_call, .ctx = l,
	});
	filter_free(filter);
	seen = call_walk_seen(l->walk);
	row_room_check(&l->room, q, "calls");
	if (!seen.branches && !seen.probes && session_trace_records(q->opts.session)->list.nr && !q->opts.decodes_calls) {
		error("no calls were made of the trace: --itrace=cr makes them, --itrace=b with tail calls and instructions");
		query_fail(q);
	}
	vec_sort(&l->calls, walked_call_compare);
	make_rows(l, session_machine(q->opts.session));
}

void call_lists_free(struct call_lists *l)
{
	if (!l)
		return;
	call_walk_free(l->walk);
	vec_free(&l->calls);
	vec_free(&l->rows);
	free(l);
}

static struct query_list list_calls(struct query *q)
{
	if (!q->calls) {
		q->calls = xcalloc(1, sizeof(*q->calls));
		walk(q, q->calls);
	}
	if (!q->first->failed)
		return QUERY_LIST(&q->calls->rows);
	call_lists_free(q->calls);
	q->calls = NULL;
	return (struct query_list){0};
}

/* ---- columns ---- */

static const struct walked_call *call_of(const struct query_row *r) { return ((const struct call_row *)r->item)->call; }

static const struct thread *call_thread(const struct query_row *r)
{
	return machine_thread(session_machine(r->query->opts.session), call_of(r)->thread);
}

static const struct code_function *call_function(const struct query_row *r)
{
	return code_function(call_walk_places(r->query->calls->walk), call_of(r)->function);
}

static bool call_begin(const struct query_row *r, int64_t *out) { return put_time(call_of(r)->begin, out); }
static bool call_end(const struct query_row *r, int64_t *out) { return put_time(call_of(r)->end, out); }

static bool call_duration(const struct query_row *r, int64_t *out)
{
	const struct walked_call *c = call_of(r);

	*out = (int64_t)(c->end - c->begin);
	return c->end >= c->begin;
}

static bool call_pid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)call_thread(r)->pid;
	return true;
}

static bool call_tid(const struct query_row *r, int64_t *out)
{
	*out = (int32_t)call_thread(r)->tid;
	return true;
}

static void call_symbol(const struct query_row *r, sqlite3_context *out) { put_static_text(out, call_function(r)->name); }

static void call_dso(const struct query_row *r, sqlite3_context *out)
{
	if (call_function(r)->dso)
		put_static_text(out, call_function(r)->dso->name);
}

static bool call_insns(const struct query_row *r, int64_t *out)
{
	*out = (int64_t)MIN(call_of(r)->insns, INT64_MAX);
	return r->query->opts.all_branches;
}

static bool has_flag(const struct query_row *r, enum call_flag flag, int64_t *out)
{
	*out = !!(call_of(r)->flags & flag);
	return true;
}

static bool call_began(const struct query_row *r, int64_t *out) { return has_flag(r, CALL_BEGIN_INFERRED, out); }
static bool call_goes_on(const struct query_row *r, int64_t *out) { return has_flag(r, CALL_END_INFERRED, out); }
static bool call_untraced(const struct query_row *r, int64_t *out) { return has_flag(r, CALL_UNTRACED, out); }
static bool call_outermost(const struct query_row *r, int64_t *out) { return has_flag(r, CALL_OUTERMOST, out); }

static const struct query_column call_columns[] = {
	{ "id", "its number; callers have lower ones", "INTEGER", .number = query_row_number },
	{ "parent", "id of the call that it was made in; null: not known", "INTEGER",
	  MEMBER(call_row, parent), .rule = RULE_NUMBER },
	{ "depth", "in calls that are known", "INTEGER", MEMBER(call_row, depth) },
	{ "pid", "process", "INTEGER", .number = call_pid },
	{ "tid", "thread", "INTEGER", .number = call_tid },
	{ "comm", "the thread's name when it began", "TEXT", MEMBER(call_row, comm) },
	{ "begin", "ns", "INTEGER", .number = call_begin },
	{ "end", "ns", "INTEGER", .number = call_end },
	{ "duration", "ns by the clock on the wall", "INTEGER", .number = call_duration },
	{ "symbol", "the function; [syscall], [interrupt], [untraced]: it was elsewhere", "TEXT", .put = call_symbol },
	{ "dso", "its file", "TEXT", .put = call_dso },
	{ "instructions", "that the thread ran meanwhile; null without --itrace=b", "INTEGER", .number = call_insns },
	{ "began_before", "1: it ran already when tracing began", "INTEGER", .number = call_began },
	{ "ended_after", "1: it still ran when tracing ended", "INTEGER", .number = call_goes_on },
	{ "untraced", "1: no call, but time elsewhere", "INTEGER", .number = call_untraced },
	{ "outermost", "1: not within another call of the function", "INTEGER", .number = call_outermost },
};

const struct query_table calls_table = {
	.name = "calls", .about = "calls of a hardware trace (--itrace=cr), or of probes at entry and return",
	.columns = call_columns, .nr_columns = ARRAY_SIZE(call_columns), .list = list_calls, .range = query_one_row,
};
