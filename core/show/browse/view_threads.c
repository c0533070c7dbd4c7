/*
 * Sums the samples of each thread (threads.h), and shows the browser's list of threads. If four or more processes run the same
 * command, one row stands for all their threads until the user opens it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/show/browse/command.h"
#include "core/show/browse/threads.h"
#include "core/show/browse/views.h"

ORDER(by_sum, struct thread_row, compare_numbers(b->sum.period, a->sum.period) ?: compare_numbers(a->tid, b->tid))

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
	/* The profile has threads with equal tids next to each other. They share a row. */
	for (uint32_t i = 0; i < d->threads.nr; i++) {
		if (!i || d->threads.v[i].tid != d->threads.v[i - 1].tid)
			vec_push(&t->list, ((struct thread_row){ .thread = i, .tid = d->threads.v[i].tid }));
		rows[i] = (uint32_t)t->list.nr - 1;
		t->list.v[rows[i]].thread = i;
	}
	for (size_t i = 0; i < d->weights.nr; i++) {
		const struct profile_sum *sum = &b->selection.weights[i];

		if (sum->nr && d->weights.v[i].thread != PROFILE_NONE)
			profile_sum_add(&t->list.v[rows[d->weights.v[i].thread]].sum, sum->nr, sum->period);
	}
	free(rows);
	sort_rows(t);
}

void thread_put_name(const struct browser *b, const struct thread_row *row, struct buf *out)
{
	const struct profile *p = b->model.profile;

	buf_put_printable(out, profile_string(p, profile_thread_name(p, row->thread)));
}

/* ---- the view: many processes of one command are a row that opens ---- */

#define MANY_PROCESSES	4u	/* so many processes of one command share a row */

struct thread_group {		/* the threads of all processes that run one command; or one thread */
	const char *command;	/* borrowed from the profile */
	struct profile_sum sum;
	size_t first, nr;	/* the range in .order of struct threads */
	uint32_t nr_processes;	/* 0: the group is one thread, without a row of its own */
};

struct thread_line { const struct thread_group *group; const struct thread_row *row; };	/* .row NULL: the line of the whole group */

struct threads {
	struct thread_rows rows;
	VEC(const struct thread_row *) order;	/* the rows, by command; those of one command in the order of .rows */
	VEC(struct thread_group) groups;	/* most samples first */
	VEC(struct thread_line) lines;
	VEC(char *) open;			/* owned: commands whose rows are open */
};

static const char *command_of(const struct browser *b, const struct thread_row *row)
{
	const struct profile_data *d = b->model.d;

	return profile_string(b->model.profile, d->processes.v[d->threads.v[row->thread].process].name);
}

static int by_command(const void *pa, const void *pb, void *browser)
{
	const struct thread_row *a = *(const struct thread_row *const *)pa, *b = *(const struct thread_row *const *)pb;

	return strcmp(command_of(browser, a), command_of(browser, b)) ?: compare_numbers((uintptr_t)a, (uintptr_t)b);
}

ORDER(by_group_sum, struct thread_group,
	compare_numbers(b->sum.period, a->sum.period) ?: compare_numbers(a->first, b->first))

static bool is_open(const struct threads *t, const char *command)
{
	vec_for(name, &t->open)
		if (str_eq(*name, command))
			return true;
	return false;
}

static uint32_t process_of(const struct browser *b, const struct thread_row *row)
{
	return b->model.d->threads.v[row->thread].process;
}

ORDER(by_number, uint32_t, compare_numbers(*a, *b))

static uint32_t count_processes(const struct threads *t, const struct browser *b, size_t first, size_t nr)
{
	uint32_t *processes = xcalloc(nr, sizeof(*processes)), found = 0;

	for (size_t i = 0; i < nr; i++)
		processes[i] = process_of(b, t->order.v[first + i]);
	qsort(processes, nr, sizeof(*processes), by_number);
	for (size_t i = 0; i < nr; i++)
		found += !i || processes[i] != processes[i - 1];
	free(processes);
	return found;
}

static void add_groups(struct threads *t, const struct browser *b, size_t first, size_t nr)
{
	struct thread_group all = { .command = command_of(b, t->order.v[first]), .first = first, .nr = nr };

	all.nr_processes = count_processes(t, b, first, nr);
	for (size_t i = first; i < first + nr; i++)
		profile_sum_add(&all.sum, t->order.v[i]->sum.nr, t->order.v[i]->sum.period);
	if (all.nr_processes >= MANY_PROCESSES) {
		vec_push(&t->groups, all);
		return;
	}
	for (size_t i = first; i < first + nr; i++)
		vec_push(&t->groups, ((struct thread_group){ .sum = t->order.v[i]->sum, .first = i, .nr = 1 }));
}

static void list(struct threads *t)
{
	t->lines.nr = 0;
	vec_for(group, &t->groups) {
		bool is_one = !group->nr_processes;

		if (!is_one)
			vec_push(&t->lines, ((struct thread_line){ .group = group }));
		for (size_t i = 0; (is_one || is_open(t, group->command)) && i < group->nr; i++)
			vec_push(&t->lines, ((struct thread_line){ group, t->order.v[group->first + i] }));
	}
}

static void make(struct browser *b, struct view *v)
{
	struct threads *t = v->state;
	size_t first = 0;

	thread_rows_make(&t->rows, b);
	t->order.nr = t->groups.nr = 0;
	vec_for(row, &t->rows.list)
		vec_push(&t->order, row);
	if (t->order.nr)
		qsort_r(t->order.v, t->order.nr, sizeof(*t->order.v), by_command, b);
	for (size_t i = 1; i <= t->order.nr; i++)
		if (i == t->order.nr || !str_eq(command_of(b, t->order.v[i]), command_of(b, t->order.v[first]))) {
			add_groups(t, b, first, i - first);
			first = i;
		}
	vec_sort(&t->groups, by_group_sum);
	list(t);
}

static void close_all(struct threads *t)
{
	vec_for(name, &t->open)
		free(*name);
	t->open.nr = 0;
}

static void release(struct view *v)
{
	struct threads *t = v->state;

	close_all(t);
	vec_free(&t->open);
	vec_free(&t->lines);
	vec_free(&t->groups);
	vec_free(&t->order);
	vec_free(&t->rows.list);
}

static size_t count(struct browser *b, const struct view *v)
{
	return ((const struct threads *)v->state)->lines.nr;
}

static void draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y)
{
	struct buf text = {0};

	buf_printf(&text, "Overhead  %10s  %9s  %8s  %8s  Command", browser_event(b)->unit == PROFILE_NS ? "Time" : "Period",
		   "Samples", "Pid", "Tid");
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

static void put_line(struct browser *b, const struct threads *t, const struct thread_line *line, struct buf *numbers,
		     struct buf *text)
{
	const struct profile_sum *sum = line->row ? &line->row->sum : &line->group->sum;
	struct buf amount = {0};

	browser_put_amount(b, sum->period, &amount);
	buf_printf(numbers, "%7.2f%%  %10s  %9llu  ", browser_percent(b, sum->period), buf_str(&amount),
		   (unsigned long long)sum->nr);
	buf_release(&amount);
	if (line->row) {
		buf_printf(numbers, "%8u  %8u  ", b->model.d->processes.v[process_of(b, line->row)].pid, line->row->tid);
		buf_puts(text, line->group->nr_processes ? "  " : "");
		thread_put_name(b, line->row, text);
	} else {
		buf_printf(numbers, "%8s  %8s  ", "", "");
		buf_puts(text, is_open(t, line->group->command) ? "- " : "+ ");
		buf_put_printable(text, line->group->command);
		buf_printf(text, " x %u", line->group->nr_processes);
	}
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t i)
{
	const struct threads *t = v->state;
	struct buf numbers = {0}, text = {0};
	unsigned x;

	put_line(b, t, &t->lines.v[i], &numbers, &text);
	x = canvas_put(c, y, 0, c->width, 0, LOOK_PLAIN, numbers.data, numbers.len);
	canvas_put(c, y, x, c->width - x, v->left, LOOK_PLAIN, text.data, text.len);
	buf_release(&numbers);
	buf_release(&text);
}

static void turn(struct threads *t, const char *command)
{
	for (size_t i = 0; i < t->open.nr; i++)
		if (str_eq(t->open.v[i], command)) {
			free(t->open.v[i]);
			t->open.v[i] = t->open.v[--t->open.nr];
			return;
		}
	vec_push(&t->open, xstrdup(command));
}

static bool open_or_close(struct threads *t, const struct thread_line *line, enum action action)
{
	if (action == ACTION_OPEN) {
		if (line->group->nr_processes)
			turn(t, line->group->command);
	} else {
		close_all(t);
		for (size_t i = 0; action == ACTION_OPEN_ALL && i < t->groups.nr; i++)
			if (t->groups.v[i].nr_processes)
				turn(t, t->groups.v[i].command);
	}
	list(t);
	return true;
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	struct threads *t = v->state;
	const struct thread_line *line = v->cursor < t->lines.nr ? &t->lines.v[v->cursor] : NULL;

	if (!line)
		return false;
	if (action == ACTION_OPEN || action == ACTION_OPEN_ALL || action == ACTION_CLOSE_ALL)
		return open_or_close(t, line, action);
	if (action != ACTION_ENTER && action != ACTION_THREAD && action != ACTION_MENU)
		return false;
	if (line->row)
		browser_filter(b, FILTER_THREAD, line->row->tid, NULL);
	else
		browser_filter(b, FILTER_COMM, 0, line->group->command);
	if (action == ACTION_ENTER)
		browser_show(b, VIEW_FUNCTIONS);
	return true;
}

const struct view_ops view_threads = {
	.name = "threads", .state_size = sizeof(struct threads), .make = make, .release = release, .count = count,
	.draw_titles = draw_titles, .draw_row = draw_row, .act = act, .command = command_put_threads,
	.hints = "Enter only this one\0+ open\0E open all\0",
};
