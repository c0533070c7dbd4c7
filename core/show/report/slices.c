/*
 * Compares the time that slow requests and usual ones spent in each call stack and thread state, for prec report --slices. A
 * request (slice) lasts from a begin event to an end event (event_pairs.h). slices_print.c prints the result.
 * Layer: report
 */
#include "core/show/report/slices.h"

#include "core/read/session.h"
#include "core/sched/wall.h"
#include "core/sched/wait_samples.h"
#include "core/sched/wait_path.h"
#include "core/show/report/event_pairs.h"
#include "core/show/report/slices_data.h"

#define MIDDLE_FROM	400u	/* permille of the slices, by length, that are in the middle */
#define MIDDLE_TO	600u

struct slice_worker {
	const struct slices *slices;
	struct named_stacks stacks;
	struct stack_sums sums;
};

/* ---- which slices ---- */

static void on_pair(void *ctx, const struct event_pair *pair)
{
	struct slices *s = ctx;

	vec_push(&s->list, (struct slice){ pair->from, pair->to, pair->from_tid, pair->to_tid });
}

ORDER(compare_slices, struct slice,
	compare_numbers(a->to - a->from, b->to - b->from) ?: compare_numbers(a->from, b->from) ?:
	compare_numbers(a->from_tid, b->from_tid))

/* The number of the first slice, in order of length, with @permille of all @nr before it. */
static size_t place_of(size_t nr, unsigned permille)
{
	return nr * permille / 1000;
}

/* Two groups are compared: the slices from the 40th to the 60th percentile of length, and the longest slices. */
static void split(struct slices *s)
{
	size_t nr = s->list.nr, last = (nr * MIDDLE_TO + 999) / 1000;

	qsort(s->list.v, nr, sizeof(*s->list.v), compare_slices);
	s->groups[SLICES_SLOWEST].first = MIN((nr * s->opts->split + 999) / 1000, nr - 1);
	s->groups[SLICES_SLOWEST].nr = nr - s->groups[SLICES_SLOWEST].first;
	s->groups[SLICES_MIDDLE].first = place_of(nr, MIDDLE_FROM);
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

static void add_path(struct slices *s, enum slice_group group, const struct slice *slice, const struct wait_lists *lists)
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
			const struct slice *slice = &s->list.v[s->groups[g].first + i];

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
	size_t low = 0, high = s->parts.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct slice_part *p = &s->parts.v[middle];

		if (p->tid < tid || (p->tid == tid && p->reach <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- sums ---- */

/* The time of a thread comes from its waits and from its samples on the CPU. */

/* Adds the time [@from, @to) of the thread of @item to the slices that the thread is a part of. */
static void add_span(struct slice_worker *w, const struct item *item, uint8_t phase, uint64_t from, uint64_t to)
{
	const struct slices *s = w->slices;
	uint32_t tid = sample_owner(item->sample);
	struct stack_sum *sum = NULL;

	for (size_t i = first_part(s, tid, from); i < s->parts.nr && s->parts.v[i].tid == tid && s->parts.v[i].from < to; i++) {
		const struct slice_part *p = &s->parts.v[i];
		uint64_t begin = MAX(from, p->from), end = MIN(to, p->to);

		if (begin >= end)
			continue;
		if (!sum)
			sum = stack_sums_find(&w->sums, named_stacks_add(&w->stacks, item, s->opts->max_depth), phase);
		add_saturated(&sum->sums[p->group], end - begin);
	}
}

/* Adds the period of a sample on the CPU. sum_up() scales periods to time. */
static void add_sample(struct slice_worker *w, const struct item *item)
{
	const struct slices *s = w->slices;
	uint32_t tid = sample_owner(item->sample);

	for (size_t i = first_part(s, tid, item->at); i < s->parts.nr && s->parts.v[i].tid == tid && s->parts.v[i].from <= item->at;
	     i++) {
		const struct slice_part *p = &s->parts.v[i];
		uint32_t stack;

		if (item->at >= p->to)
			continue;
		stack = named_stacks_add(&w->stacks, item, s->opts->max_depth);
		add_saturated(&stack_sums_find(&w->sums, stack, PHASE_RUNNING)->sums[p->group], item_period(item));
	}
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	struct slice_worker *w = worker;
	const struct slices *s = ctx;
	const struct wait *wait = item->sample->wait ? item->sample->wait->wait : NULL;
	uint64_t ready;

	if (item->event == s->on)
		add_sample(w, item);
	if (item->event != s->off || !wait || wait->nr)
		return;
	ready = wait->to - wait_delay(wait);
	add_span(w, item, (uint8_t)(PHASE_OFF + item->sample->wait->reason), wait->from, ready);
	add_span(w, item, PHASE_READY, ready, wait->to);
}

static void init_worker(void *worker, void *ctx)
{
	struct slice_worker *w = worker;

	w->slices = ctx;
	named_stacks_init(&w->stacks, session_machine(w->slices->session));
}

static void merge_worker(void *worker, void *ctx)
{
	struct slice_worker *w = worker;
	struct slices *s = ctx;

	stack_sums_add(&s->sums, &s->stacks, &w->sums, &w->stacks);
	stack_sums_release(&w->sums);
	named_stacks_release(&w->stacks);
}

/* Running time is the time that is neither off the CPU nor ready. It is divided among the samples on the CPU. */
static void sum_up(struct slices *s)
{
	uint64_t weights[NR_SLICE_GROUPS] = {0}, off[NR_SLICE_GROUPS] = {0};

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++) {
		vec_for(sum, &s->sums.list) {
			if (sum->phase == PHASE_RUNNING) {
				add_saturated(&weights[g], sum->sums[g]);
				continue;
			}
			add_saturated(&s->phases[sum->phase][g], sum->sums[g]);
			add_saturated(&off[g], sum->sums[g]);
		}
		s->phases[PHASE_RUNNING][g] = s->groups[g].seen - MIN(off[g], s->groups[g].seen);
		vec_for(sum, &s->sums.list)
			if (sum->phase == PHASE_RUNNING && weights[g])
				sum->sums[g] = (uint64_t)((double)s->phases[PHASE_RUNNING][g] *
							  ((double)sum->sums[g] / (double)weights[g]) + 0.5);
	}
}

/* ---- the whole ---- */

static int gather(struct slices *s, struct event_pairs_sums *pairs)
{
	struct sample_pass pass = {
		.worker_size = sizeof(struct slice_worker), .init = init_worker, .sample = on_sample, .merge = merge_worker,
		.unwind = s->opts->max_depth,
	};
	const struct event_pairs_opts o = {
		.option = "--slices", .words = s->opts->pair, .filter = s->opts->filter, .on_pair = on_pair, .ctx = s,
	};

	if (event_pairs_find(s->session, &o, pairs))
		return -1;
	if (!s->list.nr)
		return 0;
	split(s);
	find_parts(s);
	session_samples(s->session, &pass, s);
	sum_up(s);
	return 0;
}

int slices_print(struct session *session, const struct slices_opts *o, struct buf *out)
{
	struct slices s = {
		.opts = o, .session = session, .on = session_on_cpu_event(session), .off = session_waits_event(session),
	};
	struct event_pairs_sums pairs;
	int err;

	named_stacks_init(&s.stacks, session_machine(session));
	err = gather(&s, &pairs);
	if (!err)
		slices_put(&s, &pairs, out);
	vec_free(&s.list);
	vec_free(&s.parts);
	stack_sums_release(&s.sums);
	named_stacks_release(&s.stacks);
	return err;
}
