/*
 * Changes the state of the terminal browser (browser.h): the profile, the view, the filters and the row of the cursor. browse.c,
 * act.c, reload.c and the view_*.c files call it.
 */
#include "core/show/browse/browser.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/ui/fit.h"

void browser_init(struct browser *b, const struct browse_opts *opts, const struct view_ops *const *views)
{
	*b = (struct browser){
		.opts = opts, .own = opts->start.own, .relative = opts->start.relative, .min_percent = opts->start.min_percent,
		.width = 80, .height = 24, .made = 1, .view = VIEW_FUNCTIONS,
	};
	for (enum view_id v = 0; v < NR_VIEWS; v++) {
		b->views[v].ops = views[v];
		b->views[v].chosen = PROFILE_NONE;
		b->views[v].state = xcalloc(1, MAX(views[v]->state_size, 1));
	}
}

void browser_release(struct browser *b)
{
	for (enum view_id v = 0; v < NR_VIEWS; v++) {
		if (b->views[v].ops->release)
			b->views[v].ops->release(&b->views[v]);
		free(b->views[v].state);
	}
	selection_release(&b->selection);
	free(b->difference_rows);
	filters_release(&b->filters);
	model_release(&b->model);
	vec_free(&b->before);
	vec_free(&b->menu.rows);
	buf_release(&b->prompt.text);
	buf_release(&b->prompt.before);
	buf_release(&b->message);
	buf_release(&b->search);
	buf_release(&b->command);
	buf_release(&b->annotated.text);
	code_lines_release(&b->annotated.lines);
	buf_release(&b->edit.path);
}

/* ---- questions ---- */

struct view *browser_view(struct browser *b)
{
	return &b->views[b->view];
}

const struct profile_event *browser_event(const struct browser *b)
{
	return &b->model.d->events.v[b->event];
}

uint32_t browser_next_event(const struct browser *b, bool back)
{
	uint32_t nr = (uint32_t)b->model.d->events.nr, next = b->event;

	do {
		next = (next + (back ? nr - 1 : 1)) % nr;
	} while (next != b->event && !b->model.d->events.v[next].nr);
	return next;
}

/* Includes samples that the command line left out, but not with a time filter, because their times are unknown. */
static uint64_t browser_base(const struct browser *b)
{
	uint64_t base = b->selection.window.period;

	if (b->relative)
		return b->selection.total.period - MIN(b->hidden, b->selection.total.period);
	if (!filters_find(&b->filters, FILTER_TIME))
		add_saturated(&base, browser_event(b)->period_filtered);
	return base;
}

double browser_percent(const struct browser *b, uint64_t period)
{
	uint64_t base = browser_base(b);

	return base ? 100.0 * (double)period / (double)base : 0;
}

uint64_t browser_least(const struct browser *b)
{
	return (uint64_t)(b->min_percent / 100 * (double)browser_base(b));
}

void browser_put_amount(const struct browser *b, uint64_t period, struct buf *out)
{
	if (browser_event(b)->unit == PROFILE_NS)
		put_duration(out, period);
	else
		put_amount(out, period);
}

void browser_say(struct browser *b, const char *fmt, ...)
{
	va_list ap;

	b->message.len = 0;
	va_start(ap, fmt);
	buf_vprintf(&b->message, fmt, ap);
	va_end(ap);
}

/* ---- what is selected ---- */

/* Sums the functions that the text filter hides, because relative percentages leave them out. */
static void sum_hidden(struct browser *b)
{
	const struct browse_filter *text = filters_find(&b->filters, FILTER_TEXT);

	b->hidden = 0;
	b->nr_shown = b->nr_functions = 0;
	for (uint32_t f = 0; f <= b->model.unknown; f++) {
		const char *name = model_function_name(&b->model, f);
		bool has_samples = (b->own ? b->selection.self : b->selection.children)[f].nr;

		b->nr_functions += has_samples;
		if (!text || (name && strstr(name, text->text)))
			b->nr_shown += has_samples;
		else
			add_saturated(&b->hidden, b->selection.self[f].period);
	}
}

void view_put_cursor_on(struct browser *b, struct view *v, uint32_t function)
{
	size_t before = v->cursor;

	if (v->ops->function(b, v) == function)
		return;
	for (size_t i = 0, nr = view_rows(b, v); i < nr; i++) {
		v->cursor = i;
		if (v->ops->function(b, v) == function)
			return;
	}
	v->cursor = before;
}

/* Makes the current view if it is not up to date. If it was made before, its cursor stays on its function. */
static void make_view(struct browser *b)
{
	struct view *v = browser_view(b);
	uint32_t function = PROFILE_NONE;

	if (v->generation == b->made || (!b->input.profile && b->view != VIEW_HELP))
		return;
	if (v->generation) {
		function = v->ops->function ? v->ops->function(b, v) : PROFILE_NONE;
		v->cursor = v->top = 0;
	}
	v->generation = b->made;
	if (v->ops->make)
		v->ops->make(b, v);
	if (function != PROFILE_NONE)
		view_put_cursor_on(b, v, function);
}

void browser_make(struct browser *b)
{
	sum_hidden(b);
	b->made++;
	make_view(b);
}

static void compare_sides(struct browser *b)
{
	const struct browse_compared *c = b->input.compared;
	const struct browse_filter *symbol = filters_find(&b->filters, FILTER_SYMBOL), *dso = filters_find(&b->filters, FILTER_DSO);

	b->difference = c->compare(c->ctx, b->event, symbol ? symbol->text : NULL, dso ? dso->text : NULL);
	free(b->difference_rows);
	b->difference_rows = xcalloc((size_t)b->model.unknown + 1, sizeof(*b->difference_rows));
	for (size_t i = 0; b->difference && i < b->difference->nr; i++)
		b->difference_rows[MIN(b->difference->rows[i].function, b->model.unknown)] = (uint32_t)i + 1;
}

void browser_select(struct browser *b)
{
	selection_make(&b->selection, &b->model, &b->filters, b->event);
	if (b->input.compared)
		compare_sides(b);
	b->selected++;
	browser_make(b);
}

/* Updates the views after a filter changed. A text filter only hides rows, so the samples are not summed again. */
static void filtered(struct browser *b, enum filter_kind kind)
{
	if (kind == FILTER_TEXT)
		browser_make(b);
	else
		browser_select(b);
}

static void filter(struct browser *b, struct browse_filter f)
{
	filters_push(&b->filters, f);
	filtered(b, f.kind);
}

bool browser_undo(struct browser *b)
{
	enum filter_kind kind = b->filters.list.nr ? b->filters.list.v[b->filters.list.nr - 1].kind : FILTER_TEXT;

	if (!filters_pop(&b->filters))
		return false;
	filtered(b, kind);
	return true;
}

void browser_filter_text(struct browser *b, const char *text)
{
	filters_drop(&b->filters, FILTER_TEXT);
	if (*text)
		filters_push(&b->filters, (struct browse_filter){ .kind = FILTER_TEXT, .text = xstrdup(text) });
	browser_make(b);
}

bool browser_filters_typed(struct browser *b)
{
	return b->prompt.kind == PROMPT_SEARCH && !browser_view(b)->ops->search;
}

void browser_filter_time(struct browser *b, uint64_t from, uint64_t to)
{
	if (from > to)
		return;
	if (browser_event(b)->nr_filtered)
		b->relative = true;
	filter(b, (struct browse_filter){ .kind = FILTER_TIME, .from = from, .to = to });
}

static bool is_same(const struct browse_filter *f, uint32_t tid, const char *text)
{
	return f->tid == tid && (!text || str_eq(f->text, text));
}

void browser_filter(struct browser *b, enum filter_kind kind, uint32_t tid, const char *text)
{
	const struct browse_filter *old = filters_find(&b->filters, kind);

	if (old && is_same(old, tid, text)) {
		filters_drop(&b->filters, kind);
		filtered(b, kind);
		return;
	}
	filter(b, (struct browse_filter){ .kind = kind, .tid = tid, .text = text ? xstrdup(text) : NULL });
}

/* ---- views ---- */

void browser_open(struct browser *b, enum view_id view)
{
	b->view = view;
	if (view == VIEW_HELP) {		/* the help depends on the view from which it is opened */
		b->views[view].generation = 0;
		b->views[view].cursor = b->views[view].top = 0;
	}
	make_view(b);
}

void browser_show(struct browser *b, enum view_id view)
{
	if (view == b->view)
		return;
	/* If the view is already in the history, goes back to it. */
	for (size_t i = 0; i < b->before.nr; i++)
		if (b->before.v[i] == view) {
			b->before.nr = i;
			browser_open(b, view);
			return;
		}
	vec_push(&b->before, b->view);
	browser_open(b, view);
}

bool browser_leave(struct browser *b)
{
	if (!b->before.nr)
		return false;
	browser_open(b, b->before.v[--b->before.nr]);
	return true;
}

void browser_annotated(struct browser *b, uint32_t function, uint64_t selected, const struct buf *text, struct code_lines *lines)
{
	b->is_annotating = false;
	b->annotated.text.len = 0;
	code_lines_release(&b->annotated.lines);
	b->annotated.lines = *lines;
	*lines = (struct code_lines){0};
	b->annotated.function = function;
	b->annotated.selected = selected;
	b->annotated.serial++;
	if (text)
		buf_put(&b->annotated.text, text->data, text->len);
	b->views[VIEW_ANNOTATE].generation = 0;
	if (b->view == VIEW_ANNOTATE)
		make_view(b);
}

/* ---- the cursor ---- */

size_t view_rows(struct browser *b, const struct view *v)
{
	return v->ops->count && (b->input.profile || v == &b->views[VIEW_HELP]) ? v->ops->count(b, v) : 0;
}

void view_follow(struct browser *b, struct view *v, unsigned page)
{
	size_t nr = view_rows(b, v);

	v->page = MAX(page, 1);
	v->cursor = nr ? MIN(v->cursor, nr - 1) : 0;
	if (v->cursor < v->top)
		v->top = v->cursor;
	if (v->cursor >= v->top + v->page)
		v->top = v->cursor - v->page + 1;
	if (v->top && v->top + v->page > nr)
		v->top = nr > v->page ? nr - v->page : 0;
}

/* ---- beginning ---- */

static void start_filter(struct browser *b, enum filter_kind kind, const char *text)
{
	if (text)
		filters_push(&b->filters, (struct browse_filter){ .kind = kind, .text = xstrdup(text) });
}

static void start_filters(struct browser *b)
{
	const struct browse_start *s = &b->opts->start;

	if (s->tid)
		filters_push(&b->filters, (struct browse_filter){ .kind = FILTER_THREAD,
								  .tid = (uint32_t)strtoul(s->tid, NULL, 10) });
	start_filter(b, FILTER_COMM, s->comm);
	start_filter(b, FILTER_DSO, s->dso);
	start_filter(b, FILTER_SYMBOL, s->symbol);
	start_filter(b, FILTER_TEXT, s->text);
}

static uint32_t first_event(const struct browser *b)
{
	const struct profile_data *d = b->model.d;

	for (uint32_t e = 0; b->opts->start.event && e < d->events.nr; e++)
		if (str_eq(profile_string(b->model.profile, d->events.v[e].name), b->opts->start.event))
			return e;
	for (uint32_t e = 0; e < d->events.nr; e++)
		if (d->events.v[e].nr)
			return e;
	return 0;
}

/* True if the first function by total samples has nearly no samples of its own, like _start or clone3. */
static bool first_only_calls(const struct browser *b)
{
	const struct selection *s = &b->selection;
	uint32_t first = 0;

	for (uint32_t f = 1; f <= b->model.unknown; f++)
		if (s->children[f].period > s->children[first].period)
			first = f;
	return s->self[first].period < s->children[first].period / 20;
}

/* Begins with functions sorted by own samples if otherwise the first function would have nearly none of its own. */
static void choose_order(struct browser *b)
{
	if (b->opts->start.own_given || b->own || b->input.compared || !first_only_calls(b))
		return;
	b->own = b->opens_hottest = true;
	b->views[VIEW_FUNCTIONS].generation = 0;	/* the cursor begins at the first row */
	browser_make(b);
}

void browser_load(struct browser *b, const struct browse_input *input, const struct model *model)
{
	b->input = *input;
	b->model = *model;
	b->event = first_event(b);
	b->own |= !input->has_chains;
	b->selection.shown = input->compared ? SHOWN_DIFFERENCE : SHOWN_ALL;
	start_filters(b);
	browser_select(b);
	choose_order(b);
}

void browser_resize(struct browser *b, unsigned width, unsigned height)
{
	b->width = MAX(width, 1);
	b->height = MAX(height, 1);
	b->views[VIEW_FLAME].generation = b->views[VIEW_TIMELINE].generation = b->views[VIEW_HELP].generation = 0;
	b->views[VIEW_ANNOTATE].generation = 0;
	make_view(b);
}
