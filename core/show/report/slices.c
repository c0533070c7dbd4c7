/*
 * Compares the time that slow requests and usual ones spent in each call stack and thread state, for prec report --slices. A
 * request (slice) lasts from a begin event to an end event (event_pairs.h).
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/read/session.h"
#include "core/sched/wait_path.h"
#include "core/sched/wait_samples.h"
#include "core/sched/wall.h"
#include "core/show/report/event_pairs.h"
#include "core/show/report/named_stacks.h"
#include "core/show/report/wait_cells.h"
#include "core/ui/fit.h"

#define MIDDLE_FROM	400u	/* permille of the slices, by length, that are in the middle */
#define MIDDLE_TO	600u
#define MAX_NAMED	5u	/* requests that are listed one by one */
#define MAX_STACKS	20u

enum slice_group { SLICES_MIDDLE, SLICES_SLOWEST, NR_SLICE_GROUPS = NR_STACK_GROUPS };

/* The state of a thread is a number: enum path_kind; for a wait, PATH_OFF + its enum wait_reason. */
#define NR_PHASES (PATH_OFF + NR_WAIT_REASONS)

struct slice_part {		/* a part of a thread's time that belongs to a slice */
	uint64_t from, to;
	uint64_t reach;		/* the latest .to of this part and earlier ones of the same thread */
	uint32_t tid;
	uint8_t group;
};

struct slices {
	const struct own_table_opts *opts;
	unsigned split;				/* permille */
	struct session *session;
	const struct event *on, *off;		/* .on: the event with samples on the CPU, NULL: none; .off: that with waits */
	struct event_pairs pairs;		/* sorted by length after the last was added, the shortest first */
	struct { size_t first, nr; uint64_t seen; } groups[NR_SLICE_GROUPS];	/* ranges of .pairs; .seen: ns of their parts */
	VEC(struct slice_part) parts;		/* sorted by thread, then by .from */
	struct named_stacks stacks;
	uint64_t phases[NR_PHASES][NR_SLICE_GROUPS];	/* ns */
};

/* ---- which slices ---- */

ORDER(compare_slices, struct event_pair,
	compare_numbers(a->to - a->from, b->to - b->from) ?: compare_numbers(a->from, b->from) ?:
	compare_numbers(a->from_tid, b->from_tid))

/* Two groups are compared: the slices from the 40th to the 60th percentile of length, and the longest slices. */
static void split(struct slices *s)
{
	size_t nr = s->pairs.list.nr, last = (nr * MIDDLE_TO + 999) / 1000;

	vec_sort(&s->pairs.list, compare_slices);
	s->groups[SLICES_SLOWEST].first = MIN((nr * s->split + 999) / 1000, nr - 1);
	s->groups[SLICES_SLOWEST].nr = nr - s->groups[SLICES_SLOWEST].first;
	s->groups[SLICES_MIDDLE].first = nr * MIDDLE_FROM / 1000;
	s->groups[SLICES_MIDDLE].nr = MAX(last, s->groups[SLICES_MIDDLE].first + 1) - s->groups[SLICES_MIDDLE].first;
}

/* ---- their parts ---- */

/*
 * If a slice ends in the thread in which it began, it consists of this thread's time. Otherwise it consists of the time of the
 * threads on its critical path, which follows the wake-ups backwards (core/sched/wait_path.h).
 */

static void add_part(struct slices *s, enum slice_group group, uint32_t tid, uint64_t from, uint64_t to)
{
	if (to > from)
		vec_push(&s->parts, (struct slice_part){ .from = from, .to = to, .tid = tid, .group = (uint8_t)group });
	s->groups[group].seen += to - from;
}

static void add_path(struct slices *s, enum slice_group group, const struct event_pair *slice, const struct wait_lists *lists)
{
	const struct waits *waits = session_waits(s->session);
	uint32_t task = waits_task_at(waits, slice->to_tid, slice->to);
	struct wait_path path = {0};

	if (task != WAIT_NO_TASK)
		wait_path_find(&path, lists, task, slice->from, slice->to);
	vec_for(step, &path.steps)
		add_part(s, group, waits->tasks.v[step->task].tid, step->from, step->to);
	vec_free(&path.steps);
}

ORDER(compare_parts, struct slice_part,
	compare_numbers(a->tid, b->tid) ?: compare_numbers(a->from, b->from) ?: compare_numbers(a->to, b->to) ?:
	compare_numbers(a->group, b->group))

static void find_parts(struct slices *s)
{
	struct wait_lists *lists = wait_lists_new(session_waits(s->session));

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		for (size_t i = 0; i < s->groups[g].nr; i++) {
			const struct event_pair *slice = &s->pairs.list.v[s->groups[g].first + i];

			if (slice->from_tid == slice->to_tid)
				add_part(s, (enum slice_group)g, slice->to_tid, slice->from, slice->to);
			else
				add_path(s, (enum slice_group)g, slice, lists);
		}
	wait_lists_free(lists);
	vec_sort(&s->parts, compare_parts);
	for (size_t i = 0; i < s->parts.nr; i++) {
		struct slice_part *p = &s->parts.v[i], *before = i && p[-1].tid == p->tid ? p - 1 : NULL;

		p->reach = MAX(p->to, before ? before->reach : 0);
	}
}

/* The first part of @tid that ends after @time, or a later one. */
static size_t first_part(const struct slices *s, uint32_t tid, uint64_t time)
{
	const struct slice_part *p = s->parts.v;

	return bisect(i, 0, s->parts.nr, p[i].tid < tid || (p[i].tid == tid && p[i].reach <= time));
}

/* ---- sums ---- */

/* The time of a thread comes from its waits and from its samples on the CPU. */

/* Adds the time [@from, @to) of the thread of @item to the slices that the thread is a part of. */
static void add_span(const struct slices *s, struct named_stacks *stacks, const struct item *item, uint8_t phase, uint64_t from,
		     uint64_t to)
{
	uint32_t tid = sample_owner(item->sample);
	struct stack_sum *sum = NULL;

	for (size_t i = first_part(s, tid, from); i < s->parts.nr && s->parts.v[i].tid == tid && s->parts.v[i].from < to; i++) {
		const struct slice_part *p = &s->parts.v[i];
		uint64_t begin = MAX(from, p->from), end = MIN(to, p->to);

		if (begin >= end)
			continue;
		if (!sum)
			sum = named_stacks_sum(stacks, item, s->opts->max_depth, phase);
		add_saturated(&sum->sums[p->group], end - begin);
	}
}

/* Adds the period of a sample on the CPU. sum_up() scales periods to time. */
static void add_sample(const struct slices *s, struct named_stacks *stacks, const struct item *item)
{
	uint32_t tid = sample_owner(item->sample);

	for (size_t i = first_part(s, tid, item->at); i < s->parts.nr && s->parts.v[i].tid == tid && s->parts.v[i].from <= item->at;
	     i++) {
		const struct slice_part *p = &s->parts.v[i];
		struct stack_sum *sum;

		if (item->at >= p->to)
			continue;
		sum = named_stacks_sum(stacks, item, s->opts->max_depth, PATH_RUNNING);
		add_saturated(&sum->sums[p->group], item_period(item));
	}
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct slices *s = ctx;
	const struct wait *wait = item->sample->wait ? item->sample->wait->wait : NULL;
	uint64_t ready;

	if (item->event == s->on)
		add_sample(s, worker, item);
	if (item->event != s->off || !wait || wait->nr)
		return;
	ready = wait->to - wait_delay(wait);
	add_span(s, worker, item, (uint8_t)(PATH_OFF + item->sample->wait->reason), wait->from, ready);
	add_span(s, worker, item, PATH_READY, ready, wait->to);
}

static void init_worker(void *worker, void *ctx)
{
	named_stacks_init(worker, ((const struct slices *)ctx)->stacks.machine);
}

static void merge_worker(void *worker, void *ctx)
{
	struct slices *s = ctx;

	named_stacks_merge(&s->stacks, worker);
}

/* Running time is the time that is neither off the CPU nor ready. It is divided among the samples on the CPU. */
static void sum_up(struct slices *s)
{
	uint64_t weights[NR_SLICE_GROUPS] = {0}, off[NR_SLICE_GROUPS] = {0};

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++) {
		vec_for(sum, &s->stacks.sums) {
			if (sum->phase == PATH_RUNNING) {
				add_saturated(&weights[g], sum->sums[g]);
				continue;
			}
			add_saturated(&s->phases[sum->phase][g], sum->sums[g]);
			add_saturated(&off[g], sum->sums[g]);
		}
		s->phases[PATH_RUNNING][g] = s->groups[g].seen - MIN(off[g], s->groups[g].seen);
		vec_for(sum, &s->stacks.sums)
			if (sum->phase == PATH_RUNNING && weights[g])
				sum->sums[g] = (uint64_t)((double)s->phases[PATH_RUNNING][g] *
							  ((double)sum->sums[g] / (double)weights[g]) + 0.5);
	}
}

/* ---- text ---- */

struct cells { double ns[NR_SLICE_GROUPS]; };	/* time in a slice, on average */

static struct cells average(const struct slices *s, const uint64_t *sums)
{
	struct cells c;

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		c.ns[g] = (double)sums[g] / (double)s->groups[g].nr;
	return c;
}

static double more(const struct cells *c)
{
	return c->ns[SLICES_SLOWEST] - c->ns[SLICES_MIDDLE];
}

/* ---- cells ---- */

static void put_cell(const struct slices *s, double ns, struct buf *out)
{
	struct buf text = {0};

	if (s->opts->separator) {
		buf_printf(out, "%.0f%s", ns, s->opts->separator);
		return;
	}
	if (ns <= -0.5)
		buf_putc(&text, '-');
	put_length(&text, (uint64_t)((ns < 0 ? -ns : ns) + 0.5));
	buf_printf(out, "%*s ", (int)WAIT_CELL, buf_str(&text));
	buf_release(&text);
}

static void put_cells(const struct slices *s, const struct cells *c, struct buf *out)
{
	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		put_cell(s, c->ns[g], out);
	put_cell(s, more(c), out);
}

static void put_group_titles(const struct slices *s, const char *last, struct buf *out)
{
	static const char *const titles[] = { "Middle", "Slowest", "More" };

	put_cell_titles(s->opts->separator, titles, ARRAY_SIZE(titles), last, out);
}

/* ---- the tables ---- */

static uint64_t length_at(const struct slices *s, size_t place)
{
	return s->pairs.list.v[place].to - s->pairs.list.v[place].from;
}

static uint64_t percentile(const struct slices *s, unsigned permille)
{
	return length_at(s, percentile_place(s->pairs.list.nr, permille));
}

static void put_lengths(const struct slices *s, struct buf *out)
{
	size_t nr = s->pairs.list.nr;
	uint64_t total = 0;

	vec_for(slice, &s->pairs.list)
		add_saturated(&total, slice->to - slice->from);
	put_spread_titles(s->opts->separator, "", out);
	put_spread(s->opts->separator, &(struct spread){
		nr, total, percentile(s, 500), percentile(s, 900), percentile(s, 990), length_at(s, nr - 1),
	}, out);
	buf_puts(out, "\n\n");
}

static void put_slowest(const struct slices *s, struct buf *out)
{
	struct context_cache *cache = context_cache_new(session_machine(s->session));

	buf_puts(out, "# The slowest\n#\n#    Length              From  Thread\n");
	for (size_t i = 0; i < MIN(s->groups[SLICES_SLOWEST].nr, MAX_NAMED); i++) {
		const struct event_pair *slice = &s->pairs.list.v[s->pairs.list.nr - 1 - i];
		const struct task_context *context = machine_context(cache, UINT32_MAX, slice->from_tid, slice->from);

		put_length_cell(NULL, slice->to - slice->from, out);
		buf_printf(out, "%7" PRIu64 ".%09" PRIu64 "  %s/%" PRIu32 "\n", slice->from / 1000000000, slice->from % 1000000000,
			   context->comm, slice->from_tid);
	}
	buf_putc(out, '\n');
	context_cache_free(cache);
}

struct phase_row { struct cells cells; uint8_t phase; };

ORDER(compare_phases, struct phase_row, compare_numbers(more(&b->cells), more(&a->cells)) ?: compare_numbers(a->phase, b->phase))

static void put_phases(const struct slices *s, struct buf *out)
{
	struct phase_row rows[NR_PHASES];
	uint64_t all[NR_SLICE_GROUPS];
	struct cells cells;
	size_t nr = 0;

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		all[g] = s->groups[g].seen;
	for (unsigned p = 0; p < NR_PHASES; p++)
		if (s->phases[p][SLICES_MIDDLE] || s->phases[p][SLICES_SLOWEST])
			rows[nr++] = (struct phase_row){ average(s, s->phases[p]), (uint8_t)p };
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_phases);
	cells = average(s, all);
	put_group_titles(s, "What", out);
	put_cells(s, &cells, out);
	buf_puts(out, "all\n");
	for (size_t i = 0; i < nr; i++) {
		put_cells(s, &rows[i].cells, out);
		put_phase(rows[i].phase, out);
		buf_putc(out, '\n');
	}
	buf_putc(out, '\n');
}

static void put_stack(const void *ctx, const struct stack_sum *sum, struct buf *out)
{
	struct cells cells = average(ctx, sum->sums);

	put_cells(ctx, &cells, out);
	put_phase(sum->phase, out);
}

/* Lists stacks that the slowest requests have more of, the largest difference first. */
static void put_stacks(const struct slices *s, struct buf *out)
{
	struct stack_table t = {
		.stacks = &s->stacks, .separator = s->opts->separator, .most = MAX_STACKS, .indent = 3 * (WAIT_CELL + 1) + 2,
		.put = put_stack, .ctx = s,
	};

	vec_for(sum, &s->stacks.sums) {
		struct cells cells = average(s, sum->sums);

		if (cells.ns[SLICES_MIDDLE] + cells.ns[SLICES_SLOWEST] >= 0.5)
			vec_push(&t.rows, ((struct stack_row){ .sum = sum, .ranks = { more(&cells), 0 } }));
	}
	put_group_titles(s, "What, and where", out);
	stack_table_print(&t, out);
}

static void put_groups(const struct slices *s, struct buf *out)
{
	struct buf from = {0}, to = {0}, slow = {0};
	unsigned slowest = 1000 - s->split;
	size_t first = s->groups[SLICES_MIDDLE].first;

	put_length(&from, length_at(s, first));
	put_length(&to, length_at(s, first + s->groups[SLICES_MIDDLE].nr - 1));
	put_length(&slow, length_at(s, s->groups[SLICES_SLOWEST].first));
	buf_printf(out, "# Time of a request on average: of the %zu in the middle (40 to 60 %%), %s to %s,\n"
		   "# and of the slowest %u.%u %%: %zu of %s and more\n#\n", s->groups[SLICES_MIDDLE].nr, buf_str(&from),
		   buf_str(&to), slowest / 10, slowest % 10, s->groups[SLICES_SLOWEST].nr, buf_str(&slow));
	buf_release(&from);
	buf_release(&to);
	buf_release(&slow);
}

/*
 * The first tables have the lengths of all slices and the slowest slices. The other tables compare the slowest slices with slices
 * of about median length: the average time in a slice for each thread state, and then for each call stack.
 */
static void put_tables(const struct slices *s, struct buf *out)
{
	buf_printf(out, "# Requests from '%s' to '%s'; without the other, and left out: %" PRIu64 "\n#\n", s->pairs.begin,
		   s->pairs.end, s->pairs.nr_alone);
	if (!s->pairs.list.nr) {
		buf_puts(out, "# none\n");
		return;
	}
	put_lengths(s, out);
	if (!s->opts->separator)
		put_slowest(s, out);
	put_groups(s, out);
	put_phases(s, out);
	put_stacks(s, out);
}

int slices_print(struct session *session, const struct own_table_opts *o, const char *pair, unsigned split_at, struct buf *out)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct named_stacks), .init = init_worker, .sample = on_sample, .merge = merge_worker,
		.unwind = o->max_depth,
	};
	struct slices s = {
		.opts = o, .split = split_at, .session = session, .on = session_on_cpu_event(session),
		.off = session_waits_event(session),
	};
	int err = event_pairs_find(&s.pairs, session, "--slices", pair, o->filter);

	named_stacks_init(&s.stacks, session_machine(session));
	if (s.pairs.list.nr) {
		split(&s);
		find_parts(&s);
		session_samples(session, &pass, &s);
		sum_up(&s);
	}
	if (!err)
		put_tables(&s, out);
	vec_free(&s.pairs.list);
	vec_free(&s.parts);
	named_stacks_release(&s.stacks);
	return err;
}
