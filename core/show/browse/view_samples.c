/*
 * Shows the samples of one function in the browser, one row each, in order of time. A row opens to show the call chain of its
 * sample.
 */
#include <stdlib.h>

#include "core/base/printable.h"
#include "core/show/browse/command.h"
#include "core/show/browse/views.h"

struct line {
	size_t sample;		/* number in the model */
	uint32_t node;		/* a frame of its call chain; PROFILE_ROOT: the line of the sample itself */
};

struct samples {		/* the view's state */
	VEC(size_t) list;	/* the shown samples, by their numbers in the model */
	bool *is_open;		/* by index in .list; owned */
	VEC(struct line) lines;
};

/* ---- which ---- */

static const struct profile_weight *weight_of(const struct browser *b, size_t sample)
{
	return &b->model.d->weights.v[b->model.sample_weights[sample]];
}

/* Keeps at most .max_samples samples, at equal distances in the list. */
static void thin_out(struct samples *s, struct browser *b)
{
	size_t nr = s->list.nr;
	uint64_t max = b->opts->max_samples;

	if (!max || nr <= max)
		return;
	for (size_t i = 0; i < max; i++)
		s->list.v[i] = s->list.v[(size_t)((double)i * (double)nr / (double)max)];
	s->list.nr = (size_t)max;
	browser_say(b, "%zu of %zu samples are shown, as --samples asks", s->list.nr, nr);
}

/* By function: has the name and file of @function, because filters do not tell such functions apart. Owned by the caller. */
static bool *functions_named_as(const struct model *m, uint32_t function)
{
	bool *named = xcalloc((size_t)m->unknown + 1, sizeof(*named));
	const struct profile_function *f = m->d->functions.v;

	for (uint32_t i = 0; i < m->unknown; i++)
		named[i] = f[i].name == f[function].name && f[i].dso == f[function].dso;
	return named;
}

static void find_samples(struct samples *s, struct browser *b, uint32_t function)
{
	struct profile_sum *passing = selection_of_all_events(&b->model, &b->filters);
	const struct model *m = &b->model;
	bool *named = functions_named_as(m, function);
	uint64_t from, to, part;

	s->list.nr = 0;
	filters_time(&b->filters, &from, &to);
	for (size_t i = model_first_in(m, from); i < m->nr_samples && m->times[i] <= to; i++)
		if (named[m->weight_functions[m->sample_weights[i]]] && passing[m->sample_weights[i]].nr &&
		    model_part_in(m, i, from, to, &part))
			vec_push(&s->list, i);
	free(passing);
	free(named);
	if (!s->list.nr)
		browser_say(b, "no sample was taken in %s itself", model_function_name(m, function));
	thin_out(s, b);
}

static void list(struct samples *s, const struct browser *b)
{
	s->lines.nr = 0;
	for (size_t i = 0; i < s->list.nr; i++) {
		size_t sample = s->list.v[i];

		vec_push(&s->lines, ((struct line){ sample, PROFILE_ROOT }));
		if (!s->is_open[i])
			continue;
		for (uint32_t n = weight_of(b, sample)->stack; n != PROFILE_ROOT; n = b->model.d->stacks.v[n].parent)
			vec_push(&s->lines, ((struct line){ sample, n }));
	}
}

static void make(struct browser *b, struct view *v)
{
	struct samples *s = v->state;

	if (v->chosen != PROFILE_NONE)
		find_samples(s, b, v->chosen);
	free(s->is_open);
	s->is_open = xcalloc(MAX(s->list.nr, 1), sizeof(*s->is_open));
	list(s, b);
}

static void release(struct view *v)
{
	struct samples *s = v->state;

	vec_free(&s->list);
	vec_free(&s->lines);
	free(s->is_open);
}

static size_t count(struct browser *b, const struct view *v)
{
	return ((const struct samples *)v->state)->lines.nr;
}

/* ---- opening ---- */

/* Moves *line up to the line of its sample, and returns the index of the sample in .list. */
static size_t sample_above(const struct samples *s, size_t *line)
{
	size_t at = 0;

	for (; *line && s->lines.v[*line].node != PROFILE_ROOT; --*line)
		;
	for (size_t i = 0; i < *line; i++)
		at += s->lines.v[i].node == PROFILE_ROOT;
	return at;
}

static void open_all(struct samples *s, const struct browser *b, struct view *v, bool open)
{
	size_t line = v->cursor, at = s->lines.nr ? sample_above(s, &line) : 0;

	for (size_t i = 0; i < s->list.nr; i++)
		s->is_open[i] = open;
	list(s, b);
	for (size_t i = 0; i < s->lines.nr; i++)
		if (s->lines.v[i].node == PROFILE_ROOT && !at--) {
			v->cursor = i;
			return;
		}
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	struct samples *s = v->state;
	size_t at;

	switch (action) {
	case ACTION_OPEN: case ACTION_ENTER: case ACTION_MENU:
		if (v->cursor >= s->lines.nr)
			return true;
		at = sample_above(s, &v->cursor);
		s->is_open[at] = !s->is_open[at];
		list(s, b);
		return true;
	case ACTION_OPEN_ALL: case ACTION_CLOSE_ALL:
		open_all(s, b, v, action == ACTION_OPEN_ALL);
		return true;
	default:
		return false;
	}
}

/* ---- drawing ---- */

static void put_event(const struct browser *b, const struct profile_weight *w, struct buf *out)
{
	if (b->model.d->events.nr < 2)
		return;
	buf_puts(out, "  ");
	buf_put_printable(out, profile_string(b->model.profile, b->model.d->events.v[w->event].name));
}

/* Appends "101.234567  worker 4242  [003]  1000000  inner < outer < main". */
static void put_sample(const struct browser *b, size_t sample, struct buf *out)
{
	const struct profile_weight *w = weight_of(b, sample);
	const struct profile_data *d = b->model.d;
	uint64_t time = b->model.times[sample] - (b->clock ? 0 : MIN(d->info.first_time, b->model.times[sample]));
	const char *before = "  ";

	buf_printf(out, "%5llu.%06llu  ", (unsigned long long)(time / 1000000000), (unsigned long long)(time / 1000 % 1000000));
	buf_put_printable(out, profile_string(b->model.profile, w->comm));
	if (w->thread != PROFILE_NONE)
		buf_printf(out, " %u", d->threads.v[w->thread].tid);
	if (w->cpu != PROFILE_NONE)
		buf_printf(out, "  [%03u]", w->cpu);
	buf_printf(out, "  %llu", (unsigned long long)b->model.periods[sample]);
	put_event(b, w, out);
	for (uint32_t n = w->stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent) {
		const char *name = model_function_name(&b->model, b->model.node_functions[n]);

		buf_puts(out, before);
		buf_put_printable(out, name ? name : "[unknown]");
		before = " < ";
	}
}

static void draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y)
{
	struct buf text = {0};

	buf_printf(&text, "%s  Command Tid  [CPU]  Period%s  Call chain", b->clock ? "       Clock" : "        Time",
		   b->model.d->events.nr > 1 ? "  Event" : "");
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	const struct line *line = &((const struct samples *)v->state)->lines.v[row];
	struct buf text = {0};

	if (line->node == PROFILE_ROOT) {
		put_sample(b, line->sample, &text);
	} else {
		buf_puts(&text, "                ");
		model_put_function(&b->model, b->model.node_functions[line->node], &text);
		buf_puts(&text, "  ");
		buf_put_printable(&text, model_function_dso(&b->model, b->model.node_functions[line->node]));
	}
	canvas_put(c, y, 0, c->width, v->left, LOOK_PLAIN, text.data, text.len);
	buf_release(&text);
}

const struct view_ops view_samples = {
	.name = "samples", .state_size = sizeof(struct samples), .make = make, .release = release, .count = count,
	.draw_titles = draw_titles, .draw_row = draw_row, .act = act, .command = command_put_samples,
	.hints = "+ call chain\0E all of them\0T time\0A clock\0y command\0",
};
