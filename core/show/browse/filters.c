/* Keeps the list of the browser's filters, and sums the samples that pass all filters, by function and by call stack. */
#include "core/show/browse/filters.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/read/filter.h"

/* ---- the stack ---- */

static void remove_at(struct browse_filters *s, size_t at)
{
	free(s->list.v[at].text);
	s->list.nr--;
	memmove(s->list.v + at, s->list.v + at + 1, (s->list.nr - at) * sizeof(*s->list.v));
}

void filters_drop(struct browse_filters *s, enum filter_kind kind)
{
	for (size_t i = s->list.nr; i-- > 0;)
		if (s->list.v[i].kind == kind)
			remove_at(s, i);
}

void filters_push(struct browse_filters *s, struct browse_filter f)
{
	if (f.kind != FILTER_TIME)
		filters_drop(s, f.kind);
	vec_push(&s->list, f);
}

bool filters_pop(struct browse_filters *s)
{
	if (!s->list.nr)
		return false;
	remove_at(s, s->list.nr - 1);
	return true;
}

void filters_release(struct browse_filters *s)
{
	while (filters_pop(s))
		;
	vec_free(&s->list);
}

const struct browse_filter *filters_find(const struct browse_filters *s, enum filter_kind kind)
{
	vec_for(f, &s->list)
		if (f->kind == kind)
			return f;
	return NULL;
}

bool filters_time(const struct browse_filters *s, uint64_t *from, uint64_t *to)
{
	*from = 0;
	*to = UINT64_MAX;
	vec_for(f, &s->list)
		if (f->kind == FILTER_TIME) {
			*from = MAX(*from, f->from);
			*to = MIN(*to, f->to);
		}
	return filters_find(s, FILTER_TIME);
}

static double seconds_since(uint64_t start, uint64_t time)
{
	return time > start ? (double)(time - start) / 1e9 : 0;
}

/* Appends "worker 4242", with the last name of the thread. */
static void put_thread(const struct model *m, uint32_t tid, struct buf *out)
{
	for (uint32_t i = (uint32_t)m->d->threads.nr; i-- > 0;)
		if (m->d->threads.v[i].tid == tid) {
			buf_put_printable(out, profile_string(m->profile, profile_thread_name(m->profile, i)));
			buf_putc(out, ' ');
			break;
		}
	buf_dec(out, tid, 0);
}

void filters_put(const struct browse_filters *s, const struct model *m, struct buf *out)
{
	static const char *const before[] = {
		[FILTER_THREAD] = "thread ", [FILTER_COMM] = "comm ", [FILTER_DSO] = "", [FILTER_SYMBOL] = "", [FILTER_TIME] = "",
		[FILTER_TEXT] = "/",
	};

	vec_for(f, &s->list) {
		buf_puts(out, f > s->list.v ? " > " : "");
		buf_puts(out, before[f->kind]);
		if (f->kind == FILTER_TIME)
			buf_printf(out, "%.6g-%.6g s", seconds_since(m->d->info.first_time, f->from),
				   seconds_since(m->d->info.first_time, f->to));
		else if (f->kind == FILTER_THREAD)
			put_thread(m, f->tid, out);
		else
			buf_put_printable(out, f->text);
	}
}

/* ---- what passes ---- */

struct passing {				/* the filters, by numbers of the profile */
	const struct model *model;
	const struct browse_filter *thread;	/* NULL: none */
	uint32_t comm;				/* a string of the profile; PROFILE_NONE: there is no such filter */
	bool *dsos, *functions;			/* .dsos: by dso; .functions: by function; NULL: all pass */
	bool nothing;				/* no sample passes, because the profile does not have the name */
};

static uint32_t wanted_string(struct passing *p, const struct browse_filters *f, enum filter_kind kind)
{
	const struct browse_filter *found = filters_find(f, kind);
	uint32_t number = found ? model_string(p->model, found->text) : PROFILE_NONE;

	p->nothing |= found && number == PROFILE_NONE;
	return number;
}

static bool *wanted_dsos(const struct model *m, const struct browse_filter *f)
{
	bool *wanted;

	if (!f)
		return NULL;
	wanted = xcalloc(MAX(m->d->dsos.nr, 1), sizeof(*wanted));
	for (size_t i = 0; i < m->d->dsos.nr; i++)
		wanted[i] = str_eq(profile_string(m->profile, m->d->dsos.v[i].name), f->text) ||
			    str_eq(profile_string(m->profile, m->d->dsos.v[i].path), f->text);
	return wanted;
}

/* Returns for each function whether it has the filter's name, with any arguments. */
static bool *wanted_functions(const struct model *m, const struct browse_filter *f)
{
	bool *wanted;

	if (!f)
		return NULL;
	wanted = xcalloc(MAX(m->unknown, 1), sizeof(*wanted));
	for (uint32_t i = 0; i < m->unknown; i++) {
		const char *name = model_function_name(m, i);

		wanted[i] = name && filter_names_symbol(f->text, name);
	}
	return wanted;
}

static bool passes(const struct passing *p, size_t weight)
{
	const struct profile_data *d = p->model->d;
	const struct profile_weight *w = &d->weights.v[weight];
	uint32_t function = p->model->weight_functions[weight];
	uint32_t code = model_code_of(p->model, weight);
	bool known = function < p->model->unknown;

	if (p->thread && (w->thread == PROFILE_NONE || d->threads.v[w->thread].tid != p->thread->tid))
		return false;
	if (p->comm != PROFILE_NONE && w->comm != p->comm)
		return false;
	/* Samples in code that was inlined into a wanted function pass, too. */
	if (p->functions && !(known && p->functions[function]) && !(code < p->model->unknown && p->functions[code]))
		return false;
	return !p->dsos || (known && d->functions.v[function].dso != PROFILE_NONE && p->dsos[d->functions.v[function].dso]);
}

/* Sums the samples of each weight of an event (PROFILE_NONE: of all events) that are within the time filters. */
static void sum_weights(struct selection *s, const struct model *m, const struct browse_filters *f, uint32_t event)
{
	uint64_t from, to;

	memset(s->weights, 0, MAX(m->d->weights.nr, 1) * sizeof(*s->weights));
	if (!filters_time(f, &from, &to)) {
		for (size_t i = 0; i < m->d->weights.nr; i++)
			if (event == PROFILE_NONE || m->d->weights.v[i].event == event)
				s->weights[i] = (struct profile_sum){ m->d->weights.v[i].nr, m->d->weights.v[i].period };
		return;
	}
	for (size_t i = model_first_in(m, from); i < m->nr_samples && m->times[i] <= to; i++) {
		struct profile_sum one = { 1, 0 };

		/* Time 0 means an unknown time: --time leaves these samples out. */
		if (m->times[i] && (event == PROFILE_NONE || m->d->weights.v[m->sample_weights[i]].event == event) &&
		    model_part_in(m, i, from, to, &one.period))
			profile_sum_add(&s->weights[m->sample_weights[i]], one.nr, one.period);
	}
}

static void filter_weights(struct selection *s, const struct model *m, const struct browse_filters *f)
{
	struct passing p = { .model = m, .thread = filters_find(f, FILTER_THREAD) };

	p.comm = wanted_string(&p, f, FILTER_COMM);
	p.functions = wanted_functions(m, filters_find(f, FILTER_SYMBOL));
	p.dsos = wanted_dsos(m, filters_find(f, FILTER_DSO));
	for (size_t i = 0; i < m->d->weights.nr; i++) {
		if (!s->weights[i].nr)
			continue;
		profile_sum_add(&s->window, s->weights[i].nr, s->weights[i].period);
		if (p.nothing || !passes(&p, i))
			s->weights[i] = (struct profile_sum){0};
	}
	free(p.dsos);
	free(p.functions);
}

struct sum selection_weight(const struct selection *s, const struct model *m, size_t weight)
{
	const struct profile_sum *sum = &s->weights[weight];

	return (struct sum){ .nr = sum->nr, .period = sum->period, .of_b = m->of_b && m->of_b[weight] ? sum->period : 0 };
}

/* .moved is the absolute difference of both sides. */
static void sum_moved(struct selection *s, const struct model *m)
{
	for (size_t n = 0; n < m->d->stacks.nr; n++)
		s->node_self[n].moved = sum_difference(&s->node_self[n]);
	for (size_t f = 0; f <= m->unknown; f++)
		s->self[f].moved = sum_difference(&s->self[f]);
}

static void sum_functions(struct selection *s, const struct model *m)
{
	const struct profile_data *d = m->d;

	for (size_t i = 0; i < d->weights.nr; i++) {
		struct sum one = selection_weight(s, m, i);

		if (!one.nr)
			continue;
		sum_add(&s->total, &one);
		sum_add(&s->self[m->weight_functions[i]], &one);
		if (m->is_outside[i])
			sum_add(&s->children[m->weight_functions[i]], &one);
		sum_add(&s->node_self[d->weights.v[i].stack], &one);
	}
	if (m->of_b)
		sum_moved(s, m);
	memcpy(s->node_total, s->node_self, d->stacks.nr * sizeof(*s->node_total));
	for (size_t n = d->stacks.nr - 1; n > PROFILE_ROOT; n--) {	/* callers have lower numbers */
		if (!s->node_total[n].nr)
			continue;
		sum_add(&s->node_total[d->stacks.v[n].parent], &s->node_total[n]);
		if (m->is_outermost[n])
			sum_add(&s->children[m->node_functions[n]], &s->node_total[n]);
	}
	s->total.moved = s->node_total[PROFILE_ROOT].moved;
}

/* Allocates the tables only once, because freeing and allocating them again would take longer than the sums. */
static void begin(struct selection *s, const struct model *m)
{
	size_t nr_functions = (size_t)m->unknown + 1;

	if (!s->weights) {
		s->weights = xmalloc(MAX(m->d->weights.nr, 1) * sizeof(*s->weights));
		s->node_self = xmalloc(m->d->stacks.nr * sizeof(*s->node_self));
		s->node_total = xmalloc(m->d->stacks.nr * sizeof(*s->node_total));
		s->self = xmalloc(nr_functions * sizeof(*s->self));
		s->children = xmalloc(nr_functions * sizeof(*s->children));
		s->groups = xcalloc(nr_functions, sizeof(*s->groups));
	}
	memset(s->node_self, 0, m->d->stacks.nr * sizeof(*s->node_self));
	memset(s->self, 0, nr_functions * sizeof(*s->self));
	memset(s->children, 0, nr_functions * sizeof(*s->children));
	s->total = (struct sum){0};
	s->window = (struct profile_sum){0};
}

void selection_make(struct selection *s, const struct model *m, const struct browse_filters *f, uint32_t event)
{
	begin(s, m);
	sum_weights(s, m, f, event);
	filter_weights(s, m, f);
	sum_functions(s, m);
}

struct profile_sum *selection_of_all_events(const struct model *m, const struct browse_filters *f)
{
	struct selection s = { .weights = xmalloc(MAX(m->d->weights.nr, 1) * sizeof(*s.weights)) };

	sum_weights(&s, m, f, PROFILE_NONE);
	filter_weights(&s, m, f);
	return s.weights;
}

void selection_release(struct selection *s)
{
	free(s->weights);
	free(s->node_self);
	free(s->node_total);
	free(s->self);
	free(s->children);
	free(s->groups);
	*s = (struct selection){0};
}
