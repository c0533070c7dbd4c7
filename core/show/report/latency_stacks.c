/*
 * Prints the last table of prec report --latency-hist. A row has a call stack of waiting threads, the reason of the wait, and
 * two percentages: its shares in the time of all waits, and of the longest waits.
 * Layer: report
 */
#include "core/show/report/latency_stacks.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/show/report/stack_sums.h"

#define MAX_ROWS	10u
#define MAX_FRAMES	12u
#define INDENT		22u
#define WIDTH		80u

enum { GROUP_ALL, GROUP_LONGEST };

struct latency_stacks {
	const struct latency_stacks_opts *opts;
	const struct event *event;
	const struct machine *machine;
	struct named_stacks stacks;
	struct stack_sums sums;
};

struct stacks_worker { struct named_stacks stacks; struct stack_sums sums; };

static void init_worker(void *worker, void *ctx)
{
	struct stacks_worker *w = worker;

	named_stacks_init(&w->stacks, ((const struct latency_stacks *)ctx)->machine);
}

static void on_wait(void *worker, void *ctx, const struct item *item)
{
	const struct latency_stacks *l = ctx;
	const struct filter *f = l->opts->filter;
	struct stacks_worker *w = worker;
	struct stack_sum *sum;

	if (item->event != l->event || !item->sample->wait || item->sample->wait->wait->nr)
		return;
	if (!filter_is_open(f) && !(filter_in_window(f, item) && filter_item(f, item)))
		return;
	sum = stack_sums_find(&w->sums, named_stacks_add(&w->stacks, item, l->opts->max_depth),
			      (uint8_t)item->sample->wait->reason);
	add_saturated(&sum->sums[GROUP_ALL], item_period(item));
	if (item_period(item) >= l->opts->least)
		add_saturated(&sum->sums[GROUP_LONGEST], item_period(item));
}

static void merge_worker(void *worker, void *ctx)
{
	struct latency_stacks *l = ctx;
	struct stacks_worker *w = worker;

	stack_sums_add(&l->sums, &l->stacks, &w->sums, &w->stacks);
	stack_sums_release(&w->sums);
	named_stacks_release(&w->stacks);
}

/* ---- text ---- */

struct row { const struct stack_sum *sum; char *names; };

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const uint64_t *of = x->sum->sums, *other = y->sum->sums;

	if (of[GROUP_LONGEST] != other[GROUP_LONGEST])
		return compare_numbers(other[GROUP_LONGEST], of[GROUP_LONGEST]);
	if (of[GROUP_ALL] != other[GROUP_ALL])
		return compare_numbers(other[GROUP_ALL], of[GROUP_ALL]);
	return strcmp(x->names, y->names);
}

static void put_row(const struct latency_stacks *l, const struct row *r, const uint64_t *all, struct buf *out)
{
	const char *reason = wait_reason_name((enum wait_reason)r->sum->phase), *separator = l->opts->separator;

	for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
		if (separator)
			buf_printf(out, "%" PRIu64 "%s", r->sum->sums[g], separator);
		else
			buf_printf(out, "%9.2f%% ", all[g] ? 100.0 * (double)r->sum->sums[g] / (double)all[g] : 0);
	buf_puts(out, *reason ? reason : "[unknown]");
	if (separator)
		buf_printf(out, "%s%s", separator, r->names);
	buf_putc(out, '\n');
	if (!separator)
		named_stack_print(&l->stacks, r->sum->stack, INDENT + 2, MAX_FRAMES, WIDTH, out);
}

static void put_table(const struct latency_stacks *l, struct buf *out)
{
	VEC(struct row) rows = {0};
	uint64_t all[NR_STACK_GROUPS] = {0};

	vec_for(sum, &l->sums.list) {
		struct buf names = {0};

		for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
			add_saturated(&all[g], sum->sums[g]);
		named_stack_fold(&l->stacks, sum->stack, &names);
		vec_push(&rows, (struct row){ sum, xstrdup(buf_str(&names)) });
		buf_release(&names);
	}
	vec_sort(&rows, compare_rows);
	for (size_t i = 0; i < rows.nr && (l->opts->separator || i < MAX_ROWS); i++)
		put_row(l, &rows.v[i], all, out);
	if (!l->opts->separator && rows.nr > MAX_ROWS)
		buf_printf(out, "# %zu stacks more: -t prints all\n", rows.nr - MAX_ROWS);
	vec_for(row, &rows)
		free(row->names);
	vec_free(&rows);
}

void latency_stacks_put(struct session *s, const struct latency_stacks_opts *o, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct stacks_worker), .init = init_worker, .sample = on_wait, .merge = merge_worker,
	};
	struct latency_stacks l = { .opts = o, .event = session_waits_event(s), .machine = session_machine(s) };
	struct buf length = {0};

	named_stacks_init(&l.stacks, l.machine);
	session_samples(s, &pass, &l);
	put_length(&length, o->least);
	buf_printf(out, "# Stacks of all waits, and of the slowest 1 %%: %zu of %s and more\n#\n", o->nr, buf_str(&length));
	if (o->separator)
		buf_printf(out, "# All%sSlowest%sReason%sStack\n", o->separator, o->separator, o->separator);
	else
		buf_puts(out, "#      All    Slowest What, and where\n");
	put_table(&l, out);
	buf_release(&length);
	stack_sums_release(&l.sums);
	named_stacks_release(&l.stacks);
}
