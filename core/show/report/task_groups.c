/*
 * Prints the processes and threads of a recording as a tree in which tasks with the same name and parent share a line, for prec
 * report --tasks on a terminal and for prec summary. tasks.c reads the tasks.
 */
#include "core/show/report/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/perfdata/event_table.h"
#include "core/profile/profile.h"
#include "core/read/session.h"
#include "core/sched/wall.h"
#include "core/show/report/tasks_impl.h"
#include "core/ui/fit.h"

#define MAX_DEPTH	40u	/* groups below are left out */
#define NUMBER_WIDTH	10
#define BRIEF_SHARE	100u	/* groups below a hundredth of all are left out of the summary */

/* A line: all processes, or all threads, that have the same name and whose parents are in the same group. */
struct group {
	const char *comm;	/* borrowed */
	bool threads;
	uint64_t period, lived;	/* sums over its members */
	uint64_t all;		/* .period, and the periods of all groups below */
	uint32_t first;		/* the first member, which orders groups with equal sums */
	VEC(uint32_t) members;
};
struct groups { VEC(struct group) list; };
struct numbers { VEC(uint32_t) list; };	/* numbers of tasks */

struct printing {
	const struct tasks *tasks;
	bool brief;		/* for the summary */
	uint64_t *all;		/* by task: its period and those of all tasks below */
	uint64_t nr_left_out;
	bool is_time;
	uint64_t total;		/* with .brief: the period that is 100 % */
	size_t nr_small;	/* with .brief: groups with less than BRIEF_SHARE of it, without a line */
	struct buf *out;
};

/* ---- sums ---- */

static struct numbers roots_of(const struct tasks *t)
{
	struct numbers roots = {0};

	for (uint32_t i = 0; i < t->list.nr; i++)
		if (!t->list.v[i].is_child)
			vec_push(&roots.list, i);
	return roots;
}

/* Sums up children before their parents, without recursion because forks may be deeply nested. Owned by the caller. */
static uint64_t *sum_below(const struct tasks *t)
{
	uint64_t *all = xcalloc(t->list.nr, sizeof(*all));
	struct numbers order = roots_of(t);

	for (size_t at = 0; at < order.list.nr; at++)
		vec_for(child, &t->list.v[order.list.v[at]].children)
			vec_push(&order.list, *child);
	for (size_t i = order.list.nr; i-- > 0;) {
		uint32_t number = order.list.v[i];

		all[number] = t->list.v[number].period;
		vec_for(child, &t->list.v[number].children)
			add_saturated(&all[number], all[*child]);
	}
	vec_free(&order.list);
	return all;
}

/* ---- groups ---- */

/* True for tasks without samples or children of their own. */
static bool is_idle(const struct printing *p, const struct task *task, uint32_t number)
{
	bool has_own = false;

	vec_for(child, &task->children)
		has_own |= p->tasks->list.v[*child].begin > 0;
	return !p->all[number] && !task->begin && !has_own;
}

static const char *name_of(const struct task *task)
{
	return task->comm ? task->comm : "?";
}

/* Sorts by group, and by begin within a group. */
static int by_group(const void *pa, const void *pb, void *tasks)
{
	const uint32_t *na = pa, *nb = pb;
	const struct task *a = &((const struct tasks *)tasks)->list.v[*na], *b = &((const struct tasks *)tasks)->list.v[*nb];
	int order = strcmp(name_of(a), name_of(b));

	order = order ? order : (a->pid != a->tid) - (b->pid != b->tid);
	return order ? order : compare_numbers(*na, *nb);
}

static void add(const struct printing *p, struct groups *g, uint32_t number)
{
	const struct tasks *t = p->tasks;
	const struct task *task = &t->list.v[number];
	uint64_t begin = task->begin ? task->begin : t->first_time, end = task->ended ? task->end : t->last_time;
	struct group *group = g->list.nr ? &g->list.v[g->list.nr - 1] : NULL;

	if (!group || group->threads != (task->pid != task->tid) || !str_eq(group->comm, name_of(task))) {
		vec_push(&g->list, ((struct group){ .comm = name_of(task), .threads = task->pid != task->tid, .first = number }));
		group = &g->list.v[g->list.nr - 1];
	}
	add_saturated(&group->period, task->period);
	add_saturated(&group->all, p->all[number]);
	add_saturated(&group->lived, end > begin ? end - begin : 0);
	vec_push(&group->members, number);
}

ORDER(by_sum, struct group, compare_numbers(b->all, a->all) ?: compare_numbers(a->first, b->first))

/* ---- printing ---- */

static void put_group(const struct printing *p, const struct group *g, unsigned depth)
{
	const struct task *first = &p->tasks->list.v[g->members.v[0]];
	uint64_t amount = p->brief ? g->all : g->period;
	struct buf period = {0}, lived = {0};

	if (p->is_time)
		put_duration(&period, amount);
	else
		put_amount(&period, amount);
	put_duration(&lived, g->lived);
	if (p->brief)
		buf_printf(p->out, "  %6.2f %%  %9s  %-10s", 100 * (double)amount / (double)p->total, buf_str(&period),
			   buf_str(&lived));
	else
		buf_printf(p->out, "%*s%*s", NUMBER_WIDTH, buf_str(&period), NUMBER_WIDTH, buf_str(&lived));
	buf_fill(p->out, ' ', 2 + (size_t)2 * depth);
	if (p->brief)
		buf_put_printable(p->out, g->comm);
	else
		buf_puts(p->out, g->comm);
	if (g->members.nr > 1)
		buf_printf(p->out, " x %zu%s", (size_t)g->members.nr, g->threads ? " threads" : "");
	else if (!p->brief)
		buf_printf(p->out, "  %s %" PRIu32, g->threads ? "thread" : "process", g->threads ? first->tid : first->pid);
	buf_putc(p->out, '\n');
	buf_release(&period);
	buf_release(&lived);
}

/* Takes over @numbers. */
static void make_groups(struct printing *p, struct numbers *numbers, struct groups *out)
{
	if (numbers->list.nr)
		qsort_r(numbers->list.v, numbers->list.nr, sizeof(*numbers->list.v), by_group, (void *)(uintptr_t)p->tasks);
	vec_for(number, &numbers->list)
		if (is_idle(p, &p->tasks->list.v[*number], *number))
			p->nr_left_out++;
		else
			add(p, out, *number);
	vec_free(&numbers->list);
	vec_sort(&out->list, by_sum);
}

/* The tasks that the members of @g started. Owned by the caller. Frees the list of members. */
static struct numbers children_of(const struct printing *p, struct group *g)
{
	struct numbers below = {0};

	vec_for(member, &g->members)
		vec_for(child, &p->tasks->list.v[*member].children)
			vec_push(&below.list, *child);
	vec_free(&g->members);
	return below;
}

/*
 * Prints @numbers, the tasks below one group, as groups. Takes over @numbers. In the summary, threads have no line, as their tasks
 * are below the thread's process, and of small groups only the processes are counted, and those of @hidden, below a small group.
 */
static void put_groups(struct printing *p, struct numbers *numbers, unsigned depth, unsigned level, bool hidden)
{
	bool deepest = level >= MAX_DEPTH;
	struct groups groups = {0};

	make_groups(p, numbers, &groups);
	vec_for(group, &groups.list) {
		bool shown = !p->brief || (!hidden && group->all && group->all >= p->total / BRIEF_SHARE);
		bool has_line = shown && !(p->brief && group->threads);
		struct numbers below;

		if (has_line)
			put_group(p, group, depth);
		p->nr_small += !shown && group->all && !group->threads;
		below = children_of(p, group);
		if (!deepest || (p->brief && !hidden))
			put_groups(p, &below, depth + has_line, level + 1, !shown || deepest);
		else
			vec_free(&below.list);
	}
	vec_free(&groups.list);
}

void tasks_print_groups(struct session *s, const struct event *event, struct buf *out)
{
	struct tasks t = { .samples = true, .event = event };
	struct printing p = { .tasks = &t, .is_time = event && event_counts_time(event), .out = out };
	struct numbers roots;

	tasks_read(&t, s);
	p.all = sum_below(&t);
	roots = roots_of(&t);
	buf_printf(out, "%*s%*s  Command\n", NUMBER_WIDTH, p.is_time ? "CPU" : "Count", NUMBER_WIDTH, "Lived");
	put_groups(&p, &roots, 0, 0, false);
	if (p.nr_left_out)
		buf_printf(out, "%" PRIu64 " more ran before and have no samples.\n", p.nr_left_out);
	free(p.all);
	tasks_release(&t);
}

/* ---- the summary ---- */

/* Adds the time of each thread of @profile to the task of its tid that had begun by then: tids may be reused. */
static void add_periods(struct tasks *t, const struct profile *profile, uint32_t event)
{
	const struct profile_data *d = profile_data(profile);
	uint64_t *periods = xcalloc(d->threads.nr, sizeof(*periods));

	vec_for(w, &d->weights)
		if (w->event == event && w->thread != PROFILE_NONE)
			add_saturated(&periods[w->thread], w->period);
	for (size_t i = 0; i < d->threads.nr; i++) {
		uint32_t task = periods[i] ? task_at(t, d->threads.v[i].tid, d->threads.v[i].from) : NO_TASK;

		if (task != NO_TASK)
			add_saturated(&t->list.v[task].period, periods[i]);
	}
	free(periods);
}

/* Skips tasks that only started the program, such as the shells above the recorder. Takes over @numbers. */
static struct numbers past_idle(const struct printing *p, struct numbers numbers)
{
	for (;;) {
		uint32_t only = NO_TASK;
		size_t nr = 0;

		vec_for(n, &numbers.list) {
			nr += p->all[*n] > 0;
			only = p->all[*n] ? *n : only;
		}
		if (nr != 1 || p->tasks->list.v[only].period)
			return numbers;
		numbers.list.nr = 0;
		vec_for(child, &p->tasks->list.v[only].children)
			vec_push(&numbers.list, *child);
	}
}

/* The title of the column with the amounts of @event. */
static const char *column_of(const struct profile *profile, uint32_t event)
{
	const struct profile_event *e = &profile_data(profile)->events.v[event];
	const char *name = profile_string(profile, e->name);

	return e->unit != PROFILE_NS ? "count" : str_eq(name, OFF_CPU_NAME) || str_eq(name, WALL_EVENT) ? "time" : "CPU";
}

size_t tasks_print_brief(struct session *s, const struct profile *profile, uint32_t event, struct buf *out)
{
	struct tasks t = {0};
	struct printing p = {
		.tasks = &t, .brief = true, .is_time = profile_data(profile)->events.v[event].unit == PROFILE_NS, .out = out,
	};
	const struct session_counts *counts = session_counts(s);
	struct numbers roots;

	tasks_read(&t, s);
	/* The tasks were read without the samples, which may begin earlier or end later. */
	if (counts->first_time <= counts->last_time) {
		t.first_time = t.first_time ? MIN(t.first_time, counts->first_time) : counts->first_time;
		t.last_time = MAX(t.last_time, counts->last_time);
	}
	add_periods(&t, profile, event);
	p.all = sum_below(&t);
	roots = roots_of(&t);
	vec_for(root, &roots.list)
		add_saturated(&p.total, p.all[*root]);
	roots = past_idle(&p, roots);
	buf_printf(out, "%21s  %-10s  command\n", column_of(profile, event), "lived");
	put_groups(&p, &roots, 0, 0, false);
	free(p.all);
	tasks_release(&t);
	return p.nr_small;
}
