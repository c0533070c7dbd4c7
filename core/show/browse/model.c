/*
 * Fills the arrays with which the browser filters and sums samples fast (model.h), after a profile was read. Also finds a
 * function's name and file, and whether the function is inlined, a kernel function, or a wait.
 */
#include "core/show/browse/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/base/vec.h"
#include "core/show/browse/compared.h"

/* ---- stacks ---- */

static void find_node_functions(struct model *m)
{
	const struct profile_data *d = m->d;

	m->node_functions = xmalloc(d->stacks.nr * sizeof(*m->node_functions));
	m->node_functions[PROFILE_ROOT] = m->unknown;
	for (size_t n = 1; n < d->stacks.nr; n++)
		m->node_functions[n] = d->frames.v[d->stacks.v[n].frame].function;
}

/* Lists the stack nodes of each function, by counting sort. */
static void find_function_nodes(struct model *m)
{
	size_t nr_functions = (size_t)m->unknown + 1;
	uint32_t *next = xcalloc(nr_functions, sizeof(*next));

	m->first_node = xcalloc(nr_functions + 1, sizeof(*m->first_node));
	m->function_nodes = xmalloc(m->d->stacks.nr * sizeof(*m->function_nodes));
	for (size_t n = 1; n < m->d->stacks.nr; n++)
		m->first_node[m->node_functions[n] + 1]++;
	for (size_t f = 0; f < nr_functions; f++) {
		m->first_node[f + 1] += m->first_node[f];
		next[f] = m->first_node[f];
	}
	for (uint32_t n = 1; n < m->d->stacks.nr; n++)
		m->function_nodes[next[m->node_functions[n]]++] = n;
	free(next);
}

struct walk {			/* a depth-first walk through the tree of stack nodes */
	VEC(uint32_t) todo;	/* nodes to visit; with LEAVE: the walk is done with all nodes below it */
	uint32_t *seen;		/* by function: how often it is on the path from the root */
};

#define LEAVE 0x80000000u	/* a flag in .todo: numbers of nodes are smaller */

static void enter(struct model *m, struct walk *w, uint32_t node)
{
	const struct profile_stack *s = &m->d->stacks.v[node];

	m->is_outermost[node] = !w->seen[m->node_functions[node]]++;
	vec_push(&w->todo, node | LEAVE);
	for (uint32_t i = 0; i < s->nr_children; i++)
		vec_push(&w->todo, s->first_child + i);
}

static void find_outermost(struct model *m)
{
	struct walk w = { .seen = xcalloc((size_t)m->unknown + 1, sizeof(*w.seen)) };

	m->is_outermost = xcalloc(m->d->stacks.nr, sizeof(*m->is_outermost));
	vec_push(&w.todo, PROFILE_ROOT);
	while (w.todo.nr) {
		uint32_t node = w.todo.v[--w.todo.nr];

		if (node & LEAVE)
			w.seen[m->node_functions[node & ~LEAVE]]--;
		else
			enter(m, &w, node);
	}
	m->is_outermost[PROFILE_ROOT] = false;
	vec_free(&w.todo);
	free(w.seen);
}

/* ---- weights ---- */

static uint32_t own_function(const struct model *m, const struct profile_weight *w)
{
	uint32_t function = profile_own_function(m->profile, w);

	return function == PROFILE_NONE ? m->unknown : function;
}

static bool is_in_chain(const struct model *m, uint32_t node, uint32_t function)
{
	for (; node != PROFILE_ROOT; node = m->d->stacks.v[node].parent)
		if (m->node_functions[node] == function)
			return true;
	return false;
}

bool model_is_wait(const struct model *m, uint32_t function)
{
	return function < m->unknown && str_eq(model_function_dso(m, function), PROFILE_WAITS);
}

static void find_weights(struct model *m)
{
	size_t nr = m->d->weights.nr;

	m->weight_functions = xmalloc(MAX(nr, 1) * sizeof(*m->weight_functions));
	m->is_outside = xmalloc(MAX(nr, 1) * sizeof(*m->is_outside));
	m->lasts = xmalloc(MAX(nr, 1) * sizeof(*m->lasts));
	for (size_t i = 0; i < nr; i++) {
		const struct profile_weight *w = &m->d->weights.v[i];

		m->weight_functions[i] = own_function(m, w);
		m->is_outside[i] = !is_in_chain(m, w->stack, m->weight_functions[i]);
		m->lasts[i] = m->d->events.v[w->event].lasts || model_is_wait(m, m->weight_functions[i]);
		m->some_last |= m->lasts[i];
	}
}

/* ---- samples ---- */

static void read_samples(struct model *m)
{
	struct profile_cursor c;
	struct profile_sample s;
	size_t room = (size_t)MAX(m->d->nr_samples, 1);

	m->times = xmalloc(room * sizeof(*m->times));
	m->periods = xmalloc(room * sizeof(*m->periods));
	m->sample_weights = xmalloc(room * sizeof(*m->sample_weights));
	for (profile_cursor_init(&c, m->profile); m->nr_samples < room && profile_cursor_next(&c, &s);) {
		m->times[m->nr_samples] = s.time;
		m->periods[m->nr_samples] = s.period;
		m->sample_weights[m->nr_samples++] = s.weight;
	}
	profile_cursor_release(&c);
}

void model_init(struct model *m, const struct profile *p)
{
	*m = (struct model){ .profile = p, .d = profile_data(p) };
	m->unknown = (uint32_t)m->d->functions.nr;
	find_node_functions(m);
	find_function_nodes(m);
	find_outermost(m);
	find_weights(m);
	read_samples(m);
}

void model_find_sides(struct model *m)
{
	const struct profile_data *d = m->d;

	m->of_b = xcalloc(MAX(d->weights.nr, 1), sizeof(*m->of_b));
	for (size_t i = 0; i < d->weights.nr; i++)
		m->of_b[i] = d->processes.v[d->threads.v[d->weights.v[i].thread].process].pid == BROWSE_PID_B;
}

void model_release(struct model *m)
{
	free(m->of_b);
	free(m->times);
	free(m->periods);
	free(m->sample_weights);
	free(m->weight_functions);
	free(m->is_outside);
	free(m->lasts);
	free(m->node_functions);
	free(m->is_outermost);
	free(m->function_nodes);
	free(m->first_node);
	*m = (struct model){0};
}

/* ---- questions ---- */

size_t model_sample_at(const struct model *m, uint64_t time)
{
	return bisect(i, 0, m->nr_samples, m->times[i] < time);
}

size_t model_first_in(const struct model *m, uint64_t from)
{
	return m->some_last ? 0 : model_sample_at(m, from);
}

bool model_part_in(const struct model *m, size_t sample, uint64_t from, uint64_t to, uint64_t *period)
{
	uint64_t begin = m->times[sample], end;

	*period = m->periods[sample];
	if (!m->lasts[m->sample_weights[sample]] || !*period)
		return begin >= from && begin <= to;
	end = *period < UINT64_MAX - begin ? begin + *period : UINT64_MAX;
	if (begin > to || end <= from)
		return false;
	*period = (end - 1 > to ? to + 1 : end) - MAX(begin, from);
	return true;
}

uint32_t model_string(const struct model *m, const char *text)
{
	uint32_t nr = m->d->nr_strings, at = bisect(i, 0, nr, strcmp(profile_string(m->profile, i), text) < 0);

	return at < nr && str_eq(profile_string(m->profile, at), text) ? at : PROFILE_NONE;
}

const char *model_function_name(const struct model *m, uint32_t function)
{
	uint32_t name = function < m->unknown ? m->d->functions.v[function].name : 0;

	return name ? profile_string(m->profile, name) : NULL;
}

const char *model_function_dso(const struct model *m, uint32_t function)
{
	uint32_t dso = function < m->unknown ? m->d->functions.v[function].dso : PROFILE_NONE;

	return dso == PROFILE_NONE ? "[unknown]" : profile_string(m->profile, m->d->dsos.v[dso].name);
}

uint32_t model_code_of(const struct model *m, size_t weight)
{
	const struct profile_weight *w = &m->d->weights.v[weight];

	return w->address != PROFILE_NONE ? m->d->addresses.v[w->address].function : m->weight_functions[weight];
}

bool model_is_inlined(const struct model *m, uint32_t function)
{
	return function < m->unknown && m->d->functions.v[function].inlined;
}

bool model_is_kernel(const struct model *m, uint32_t function)
{
	return function < m->unknown && m->d->functions.v[function].level == 'k';
}

void model_put_function(const struct model *m, uint32_t function, struct buf *out)
{
	const struct profile_function *f;

	if (function >= m->unknown) {
		buf_puts(out, "[.] [unknown]");
		return;
	}
	f = &m->d->functions.v[function];
	buf_printf(out, "[%c] ", f->level);
	if (!f->name) {
		buf_puts(out, f->address ? "0x" : "");
		buf_hex0(out, f->address, 16);
		return;
	}
	buf_put_printable(out, profile_string(m->profile, f->name));
	buf_puts(out, f->inlined ? " (inlined)" : "");
}
