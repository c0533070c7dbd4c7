/*
 * Copies the samples of all recordings that prec diff compares into one profile, for its terminal browser. Functions that match
 * in A and B (match.h) become one function of that profile.
 */
#include "core/show/diff/joined_profile.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/intern.h"
#include "core/profile/builder.h"

#define DIGITS 52	/* amounts are scaled so that their sum for an event is about 2 to this power */

struct joining {
	struct joined_profile *to;
	struct profile_builder *builder;
	uint32_t threads[NR_SIDES];
	size_t event;
};

struct joining_run { const struct diff_run *of; size_t number; double divisor; };

/* ---- functions ---- */

static uint32_t find_name(const struct joined_profile *j, const char *name, const char *dso, uint64_t h)
{
	index_for(pos, &j->by_name, h)
		if (j->names.v[pos].name == name && j->names.v[pos].dso == dso)
			return pos;
	return INDEX_END;
}

static uint32_t add_name(struct joined_profile *j, const char *name, const char *dso)
{
	uint64_t h;
	uint32_t pos;

	name = name ? intern(j->strings, name) : NULL;
	dso = intern(j->strings, dso);
	h = hash_pair((uintptr_t)name, (uintptr_t)dso);
	pos = find_name(j, name, dso, h);
	if (pos != INDEX_END)
		return pos;
	pos = (uint32_t)j->names.nr;
	index_add(&j->by_name, h, pos);
	vec_push(&j->names, (struct joined_name){ name, dso, PROFILE_NONE });
	return pos;
}

static const char *name_of(const struct match *m, uint32_t function)
{
	return match_is_unnamed(m, function) ? NULL : match_name(m, function);
}

/* Returns the builder's number. The number of its name becomes its address, by which find_functions() finds it. */
static uint32_t add_function(struct joining *j, const struct diff_run *run, uint32_t given, uint32_t name)
{
	const struct profile_data *d = profile_data(run->profile);
	const struct profile_function *f = &d->functions.v[given];
	uint32_t *known = &j->to->names.v[name].function;
	const char *dso = j->to->names.v[name].dso;
	uint32_t text = profile_add_string(j->builder, dso);
	struct profile_dso file = { .path = text, .name = text, .kind = PROFILE_DSO_USER };
	struct profile_function function = { .dso = PROFILE_NONE, .address = name, .level = f->level };

	if (*known != PROFILE_NONE)
		return *known;
	if (f->dso != PROFILE_NONE)
		file.kind = d->dsos.v[f->dso].kind;
	if (*dso)
		function.dso = profile_add_dso(j->builder, &file);
	if (j->to->names.v[name].name)
		function.name = profile_add_string(j->builder, j->to->names.v[name].name);
	return *known = profile_add_function(j->builder, &function);
}

/* An inlined function has the same name as elsewhere, even if its samples count for another function. */
static uint32_t frame_name(struct joining *j, const struct joining_run *run, uint32_t stack)
{
	const struct profile_data *d = profile_data(run->of->profile);
	const struct match *m = j->to->events.v[j->event].match;
	const struct profile_function *f = &d->functions.v[d->frames.v[d->stacks.v[stack].frame].function];
	uint32_t function = match_of_stack(m, run->number, stack);

	return add_name(j->to, f->inlined ? profile_string(run->of->profile, f->name) : name_of(m, function),
			match_dso(m, function));
}

/* ---- stacks and weights ---- */

static bool *used_nodes(const struct diff_run *run, bool *has_chains)
{
	const struct profile_data *d = profile_data(run->profile);
	bool *used = xcalloc(d->stacks.nr, sizeof(*used));

	vec_for(w, &d->weights)
		for (uint32_t n = w->stack; w->event == run->event && n != PROFILE_ROOT && !used[n]; n = d->stacks.v[n].parent)
			used[n] = true;
	for (uint32_t n = 1; n < d->stacks.nr; n++)
		*has_chains |= used[n] && d->stacks.v[n].depth > 1;
	return used;
}

/* Returns their new numbers by the run's. Callers have lower numbers, so they come first. Owned by the caller. */
static uint32_t *add_stacks(struct joining *j, const struct joining_run *run)
{
	const struct profile_data *d = profile_data(run->of->profile);
	bool *used = used_nodes(run->of, &j->to->has_chains);
	uint32_t *stacks = xcalloc(d->stacks.nr, sizeof(*stacks));

	stacks[PROFILE_ROOT] = PROFILE_ROOT;
	for (uint32_t n = 1; n < d->stacks.nr; n++) {
		const struct profile_stack *s = &d->stacks.v[n];
		uint32_t function;

		if (!used[n])
			continue;
		function = add_function(j, run->of, d->frames.v[s->frame].function, frame_name(j, run, n));
		stacks[n] = profile_add_stack(j->builder, stacks[s->parent],
					      profile_add_frame(j->builder, &(struct profile_frame){ .function = function }));
	}
	free(used);
	return stacks;
}

/* @stack's samples count for this function, which can be another than the inlined function there. */
static uint32_t add_address(struct joining *j, const struct joining_run *run, uint32_t stack)
{
	const struct profile_data *d = profile_data(run->of->profile);
	const struct match *m = j->to->events.v[j->event].match;
	uint32_t function = match_of_stack(m, run->number, stack), name, added;

	if (function == UINT32_MAX)
		return PROFILE_NONE;
	name = add_name(j->to, name_of(m, function), match_dso(m, function));
	added = add_function(j, run->of, d->frames.v[d->stacks.v[stack].frame].function, name);
	return profile_add_address(j->builder, &(struct profile_address){
		.function = added, .own = added, .dso = PROFILE_NONE, .address = name });
}

static void add_run(struct joining *j, const struct joining_run *run)
{
	const struct profile_data *d = profile_data(run->of->profile);
	const struct match *match = j->to->events.v[j->event].match;
	uint32_t *stacks = add_stacks(j, run), *addresses = xmalloc(d->stacks.nr * sizeof(*addresses));
	double scale = j->to->events.v[j->event].scale / run->divisor;

	for (uint32_t n = 0; n < d->stacks.nr; n++)
		addresses[n] = PROFILE_NONE;
	vec_for(w, &d->weights) {
		if (w->event != run->of->event)
			continue;
		if (addresses[w->stack] == PROFILE_NONE)
			addresses[w->stack] = add_address(j, run, w->stack);
		profile_add_weight(j->builder, &(struct profile_weight){
			.event = (uint32_t)j->event, .thread = j->threads[run->of->side], .cpu = PROFILE_NONE, .nr = w->nr,
			.comm = profile_add_string(j->builder, match_comm(match, run->of->side,
									  profile_string(run->of->profile, w->comm))),
			.stack = stacks[w->stack], .address = addresses[w->stack],
			.period = (uint64_t)llround((double)w->period * scale) });
	}
	free(stacks);
	free(addresses);
}

/* ---- events ---- */

static void add_event(struct joining *j, const struct diff_run *run)
{
	const struct profile_event *e = &profile_data(run->profile)->events.v[run->event];

	profile_add_event(j->builder, &(struct profile_event){
		.name = profile_add_string(j->builder, profile_string(run->profile, e->name)), .unit = e->unit,
		.by_frequency = e->by_frequency, .leader = (uint32_t)j->event, .nr_members = 1 });
}

/* Computes the divisor of each run's amounts, and the scale of all, a power of two. */
static int find_scale(struct joined_event *e, const struct diff_opts *opts, double *divisors)
{
	size_t nr_runs[NR_SIDES] = {0};
	double sum = 0;

	for (size_t i = 0; i < e->nr; i++)
		nr_runs[e->runs[i].side]++;
	for (size_t i = 0; i < e->nr; i++) {
		const struct diff_run *run = &e->runs[i];

		if (diff_divisor(run, opts, &divisors[i]))
			return -1;
		divisors[i] *= (double)nr_runs[run->side];
		sum += (double)profile_data(run->profile)->events.v[run->event].period / divisors[i];
	}
	e->scale = ldexp(1, sum > 0 ? DIGITS - ilogb(sum) : 0);
	return 0;
}

static int join_event(struct joining *j, const struct diff_opts *opts)
{
	struct joined_event *e = &j->to->events.v[j->event];
	double *divisors = xcalloc(e->nr, sizeof(*divisors));
	int err = find_scale(e, opts, divisors);

	e->match = match_new(e->runs, e->nr);
	add_event(j, &e->runs[0]);
	for (size_t i = 0; i < e->nr && !err; i++)
		add_run(j, &(struct joining_run){ &e->runs[i], i, divisors[i] });
	free(divisors);
	return err;
}

static void add_sides(struct joining *j)
{
	for (int side = 0; side < NR_SIDES; side++) {
		uint32_t name = profile_add_string(j->builder, side == SIDE_A ? "A" : "B");

		j->threads[side] = profile_add_thread(j->builder, &(struct profile_thread){
			.process = profile_add_process(j->builder, JOINED_PID(side), name), .tid = JOINED_PID(side),
			.to = UINT64_MAX });
		profile_add_name(j->builder, j->threads[side], 0, name);
	}
}

static void find_functions(struct joined_profile *j)
{
	const struct profile_data *d = profile_data(j->profile);

	for (uint32_t f = 0; f < d->functions.nr; f++)
		j->names.v[d->functions.v[f].address].function = f;
}

int joined_profile_new(struct joined_profile **out, const struct diff_run *runs, size_t nr, size_t nr_events,
		       const struct diff_opts *opts)
{
	struct joined_profile *to = xcalloc(1, sizeof(*to));
	struct joining j = { .to = to, .builder = profile_builder_new() };
	int err = 0;

	to->strings = strtab_new();
	add_sides(&j);
	for (size_t e = 0; e < nr_events; e++)
		vec_push(&to->events, (struct joined_event){ .runs = runs + e * nr, .nr = nr });
	for (; j.event < nr_events && !err; j.event++)
		err = join_event(&j, opts);
	to->profile = profile_builder_finish(j.builder);
	find_functions(to);
	if (err)
		joined_profile_free(to);
	*out = err ? NULL : to;
	return err;
}

void joined_profile_free(struct joined_profile *j)
{
	if (!j)
		return;
	vec_for(e, &j->events)
		match_free(e->match);
	vec_free(&j->events);
	vec_free(&j->names);
	index_release(&j->by_name);
	strtab_free(j->strings);
	profile_free(j->profile);
	free(j);
}

uint32_t joined_profile_function(const struct joined_profile *j, size_t event, uint32_t function)
{
	const struct match *m = j->events.v[event].match;
	const char *name, *dso;
	uint32_t pos;

	if (function == UINT32_MAX)
		return PROFILE_NONE;
	name = name_of(m, function) ? intern(j->strings, name_of(m, function)) : NULL;
	dso = intern(j->strings, match_dso(m, function));
	pos = find_name(j, name, dso, hash_pair((uintptr_t)name, (uintptr_t)dso));
	return pos == INDEX_END ? PROFILE_NONE : j->names.v[pos].function;
}
