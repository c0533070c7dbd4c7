/* Adds up the rows of an SQL result by call stack, into a profile that prec query can write as a flame graph (flame.h). */
#include "core/show/query/flame.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/log.h"
#include "core/profile/builder.h"

/* ---- stacks ---- */

static uint32_t string_of(struct flame *f, const struct profile *p, uint32_t string)
{
	return profile_add_string(f->builder, profile_string(p, string));
}

static uint32_t frame_of(struct flame *f, const struct profile *p, uint32_t frame)
{
	const struct profile_data *d = profile_data(p);
	struct profile_frame copy = d->frames.v[frame];
	struct profile_function own = d->functions.v[copy.function];

	if (own.dso != PROFILE_NONE) {
		struct profile_dso dso = d->dsos.v[own.dso];

		dso.path = string_of(f, p, dso.path);
		dso.name = string_of(f, p, dso.name);
		own.dso = profile_add_dso(f->builder, &dso);
	}
	own.name = string_of(f, p, own.name);
	copy.function = profile_add_function(f->builder, &own);
	copy.file = string_of(f, p, copy.file);
	return profile_add_frame(f->builder, &copy);
}

/* The builder's node for stack @stack. Makes the nodes of its callers first. */
static uint32_t node_of(struct flame *f, struct flame_nodes *nodes, const struct profile *p, uint32_t stack)
{
	const struct profile_data *d = profile_data(p);
	VEC(uint32_t) path = {0};
	uint32_t node;

	if (nodes->nr < d->stacks.nr) {
		nodes->v = xrealloc(nodes->v, d->stacks.nr * sizeof(*nodes->v));
		while (nodes->nr < d->stacks.nr)
			nodes->v[nodes->nr++] = PROFILE_NONE;
		nodes->v[PROFILE_ROOT] = PROFILE_ROOT;
	}
	for (; nodes->v[stack] == PROFILE_NONE; stack = d->stacks.v[stack].parent)
		vec_push(&path, stack);
	node = nodes->v[stack];
	while (path.nr) {
		stack = path.v[--path.nr];
		node = nodes->v[stack] = profile_add_stack(f->builder, node, frame_of(f, p, d->stacks.v[stack].frame));
	}
	vec_free(&path);
	return node;
}

/* ---- threads: a result has their names ---- */

static uint32_t thread_of(struct flame *f, uint32_t name)
{
	while (f->threads.nr <= name)
		vec_push(&f->threads, PROFILE_NONE);
	if (f->threads.v[name] == PROFILE_NONE) {
		uint32_t process = profile_add_process(f->builder, ++f->nr_threads, name);

		f->threads.v[name] = profile_add_thread(f->builder, &(struct profile_thread){
			.process = process, .tid = f->nr_threads, .to = UINT64_MAX,
		});
		profile_add_name(f->builder, f->threads.v[name], 0, name);
	}
	return f->threads.v[name];
}

/* ---- the sink ---- */

static bool is_number(enum query_type type)
{
	return type == QUERY_INTEGER || type == QUERY_REAL;
}

static unsigned find_column(const char *const *names, unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++)
		if (names[i] && str_eq(names[i], name))
			return i;
	return FLAME_NO_COLUMN;
}

static bool begin(void *ctx, const char *const *names, const enum query_type *types, unsigned nr)
{
	struct flame *f = ctx;

	if (f->event != PROFILE_NONE)
		return error("the second statement has a result, too, and a flame graph is of one"), false;
	f->stack = find_column(names, nr, "stack");
	f->comm = find_column(names, nr, "comm");
	for (f->number = 0; f->number < nr && (f->number == f->stack || !is_number(types[f->number])); f->number++)
		;
	if (f->stack == FLAME_NO_COLUMN || f->number == nr)
		return error("a flame graph is of a result with a column 'stack' and a number, as of "
			     "SELECT stack, sum(samples) FROM sums GROUP BY stack"), false;
	f->event = profile_add_event(f->builder, &(struct profile_event){
		.name = profile_add_string(f->builder, names[f->number]), .unit = PROFILE_COUNT, .nr_members = 1,
	});
	return true;
}

/* The rounded number; 0: it is no number above 0. */
static uint64_t amount_of(const struct query_value *v)
{
	if (v->type == QUERY_INTEGER)
		return (uint64_t)MAX(v->integer, 0);
	return v->type == QUERY_REAL && v->real > 0 && v->real < 0x1p63 ? (uint64_t)llround(v->real) : 0;
}

static bool row(void *ctx, const struct query_value *values, unsigned nr)
{
	const struct query_value *stack;
	const struct profile *p;
	struct flame *f = ctx;
	uint64_t amount = amount_of(&values[f->number]);
	uint32_t number, recording, comm;

	stack = &values[f->stack];
	p = stack->type == QUERY_INTEGER ? query_stack(f->query, stack->integer, &recording, &number) : NULL;
	if (!p || !amount) {
		f->nr_left_out++;
		return true;
	}
	comm = profile_add_string(f->builder, f->comm != FLAME_NO_COLUMN && values[f->comm].type == QUERY_TEXT ?
					      values[f->comm].text : "all");
	profile_add_weight(f->builder, &(struct profile_weight){
		.event = f->event, .thread = thread_of(f, comm), .comm = comm, .cpu = PROFILE_NONE, .address = PROFILE_NONE,
		.stack = node_of(f, &f->nodes[recording], p, number), .nr = amount, .period = amount,
	});
	return true;
}

static void end(void *ctx)
{
	const struct flame *f = ctx;

	if (f->nr_left_out)
		warning("%llu rows are not in the graph: they have no stack, or no number above 0",
			(unsigned long long)f->nr_left_out);
}

struct query_sink flame_init(struct flame *f, const struct query *q)
{
	*f = (struct flame){ .query = q, .builder = profile_builder_new(), .event = PROFILE_NONE };
	return (struct query_sink){ .begin = begin, .row = row, .end = end, .ctx = f };
}

struct profile *flame_end(struct flame *f)
{
	struct profile *p = profile_builder_finish(f->builder);

	for (size_t i = 0; i < ARRAY_SIZE(f->nodes); i++)
		free(f->nodes[i].v);
	vec_free(&f->threads);
	if (f->event != PROFILE_NONE)
		return p;
	profile_free(p);
	return NULL;
}
