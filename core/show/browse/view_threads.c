/* Threads and their shares. Layer: browse */
#include <stdlib.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/show/browse/command.h"
#include "core/show/browse/threads.h"
#include "core/show/browse/views.h"

static int by_sum(const void *pa, const void *pb)
{
	const struct thread_row *a = pa, *b = pb;
	int order = compare_numbers(b->sum.period, a->sum.period);

	return order ? order : compare_numbers(a->tid, b->tid);
}

static void sort_rows(struct thread_rows *t)
{
	size_t kept = 0;

	vec_for(row, &t->list)
		if (row->sum.nr)
			t->list.v[kept++] = *row;
	t->list.nr = kept;
	if (kept)
		qsort(t->list.v, kept, sizeof(*t->list.v), by_sum);
}

void thread_rows_make(struct thread_rows *t, const struct browser *b)
{
	const struct profile_data *d = b->model.d;
	uint32_t *rows = xmalloc(MAX(d->threads.nr, 1) * sizeof(*rows));

	t->list.nr = 0;
	/* Threads of one number stand side by side. */
	for (uint32_t i = 0; i < d->threads.nr; i++) {
		if (!i || d->threads.v[i].tid != d->threads.v[i - 1].tid)
			vec_push(&t->list, ((struct thread_row){ .thread = i, .tid = d->threads.v[i].tid }));
		rows[i] = (uint32_t)t->list.nr - 1;
		t->list.v[rows[i]].thread = i;
	}
	for (size_t i = 0; i < d->weights.nr; i++) {
		const struct profile_sum *sum = &b->selection.weights[i];
		struct thread_row *row;

		if (!sum->nr || d->weights.v[i].thread == PROFILE_NONE)
			continue;
		row = &t->list.v[rows[d->weights.v[i].thread]];
		row->sum.nr += sum->nr;
		add_saturated(&row->sum.period, sum->period);
	}
	free(rows);
	sort_rows(t);
}

void thread_put_name(const struct browser *b, const struct thread_row *row, struct buf *out)
{
	const struct profile *p = b->model.profile;

	buf_put_printable(out, profile_string(p, profile_thread_name(p, row->thread, UINT64_MAX)));
}

/* ---- the view ---- */

static void make(struct browser *b, struct view *v)
{
	thread_rows_make(v->state, b);
}

static void release(struct view *v)
{
	vec_free(&((struct thread_rows *)v->state)->list);
}

static size_t count(struct browser *b, const struct view *v)
{
	(void)b;
	return ((const struct thread_rows *)v->state)->list.nr;
}

static void draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y)
{
	struct buf text = {0};

	(void)v;
	buf_printf(&text, "Overhead  %10s  %9s  %8s  %8s  Command", browser_event(b)->unit == PROFILE_NS ? "Time" : "Period",
		   "Samples", "Pid", "Tid");
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t i)
{
	const struct thread_row *row = &((const struct thread_rows *)v->state)->list.v[i];
	const struct profile_data *d = b->model.d;
	struct buf text = {0}, amount = {0};
	unsigned x;

	browser_put_amount(b, row->sum.period, &amount);
	buf_printf(&text, "%7.2f%%  %10s  %9llu  %8u  %8u  ", browser_percent(b, row->sum.period), buf_str(&amount),
		   (unsigned long long)row->sum.nr, d->processes.v[d->threads.v[row->thread].process].pid, row->tid);
	x = canvas_put(c, y, 0, c->width, 0, LOOK_PLAIN, text.data, text.len);
	text.len = 0;
	thread_put_name(b, row, &text);
	canvas_put(c, y, x, c->width - x, v->left, LOOK_PLAIN, text.data, text.len);
	buf_release(&text);
	buf_release(&amount);
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	const struct thread_rows *t = v->state;

	if ((action != ACTION_ENTER && action != ACTION_THREAD && action != ACTION_MENU) || v->cursor >= t->list.nr)
		return false;
	browser_filter(b, FILTER_THREAD, t->list.v[v->cursor].tid, NULL);
	if (action == ACTION_ENTER)
		browser_show(b, VIEW_FUNCTIONS);
	return true;
}

static void command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_threads(b, out);
}

const struct view_ops view_threads = {
	.name = "threads", .state_size = sizeof(struct thread_rows), .make = make, .release = release, .count = count,
	.draw_titles = draw_titles, .draw_row = draw_row, .act = act, .command = command,
};
