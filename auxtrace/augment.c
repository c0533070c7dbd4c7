/*
 * Adds call chains and last branches from a hardware trace to the samples of other events in the same recording (--itrace=G, L).
 * Layer: auxtrace
 */
#include "auxtrace/augment.h"

#include <stdlib.h>
#include <string.h>

#include "auxtrace/queue.h"

/* ---- gathering ---- */

struct gathering {
	struct augmented_samples *all;
	const struct aux_queues *queues;
};

struct gathered { VEC(struct augmented_sample) list; };	/* the samples of one worker */

/* The number of the queue with the trace of the sample's thread or CPU; AUX_NONE: none. */
static uint32_t queue_of(const struct aux_queues *queues, const struct sample *sample, bool has_cpu)
{
	vec_for(q, &queues->list)
		if (q->tid != AUX_NONE ? q->tid == sample->tid : has_cpu && q->cpu == sample->cpu)
			return q->number;
	return AUX_NONE;
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct gathering *g = ctx;
	struct gathered *w = worker;
	uint64_t type = item->event->layout.type;
	uint32_t queue;

	if (!item->event->added || !(type & PERF_SAMPLE_TID) || !(type & PERF_SAMPLE_IP) ||
	    !(type & (g->all->opts.timeless ? PERF_SAMPLE_AUX : PERF_SAMPLE_TIME)))
		return;
	queue = queue_of(g->queues, item->sample, type & PERF_SAMPLE_CPU);
	if (queue == AUX_NONE)
		return;
	vec_push(&w->list, (struct augmented_sample){ .time = item->at, .position = item->position, .ip = item->sample->ip,
					       .queue = queue, .tid = item->sample->tid });
}

static void merge(void *worker, void *ctx)
{
	struct gathering *g = ctx;
	struct gathered *w = worker;

	vec_for(one, &w->list)
		vec_push(&g->all->list, *one);
	vec_free(&w->list);
}

ORDER(by_queue_and_time, struct augmented_sample,
	compare_numbers(a->queue, b->queue) ?: compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

/* Marks the session's events without call chains, or without branches, as having the ones that are added here. */
static void announce_types(struct session *s, const struct augmented_sample_opts *opts)
{
	uint64_t types = (opts->chain_depth ? PERF_SAMPLE_CALLCHAIN : 0) | (opts->branches ? PERF_SAMPLE_BRANCH_STACK : 0);

	vec_for(ev, &session_events(s)->events)
		session_add_types(s, *ev, types & ~(*ev)->layout.type);
}

void augmented_samples_gather(struct augmented_samples *all, struct session *s, const struct aux_queues *queues,
		       const struct augmented_sample_opts *opts)
{
	static const struct sample_pass pass = { .worker_size = sizeof(struct gathered), .sample = on_sample, .merge = merge };
	struct gathering g = { .all = all, .queues = queues };

	all->opts = *opts;
	announce_types(s, opts);
	session_samples(s, &pass, &g);
	vec_sort(&all->list, by_queue_and_time);
}

void augmented_samples_release(struct augmented_samples *all)
{
	vec_for(one, &all->list)
		free(one->words);
	vec_free(&all->list);
	vec_free(&all->by_position);
}

/* ---- filling samples while the trace is decoded ---- */

size_t augmented_samples_from(const struct augmented_samples *all, uint32_t queue, uint64_t time)
{
	size_t low = 0, high = all->list.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct augmented_sample *one = &all->list.v[mid];

		if (one->queue < queue || (one->queue == queue && one->time < time))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void augmented_samples_report(struct augmented_samples *all, size_t number, const struct thread_stack *stack)
{
	struct augmented_sample *one = &all->list.v[number];
	size_t depth = all->opts.chain_depth ? all->opts.chain_depth + 1 : 0, branches = all->opts.branches;
	uint64_t *words = xcalloc(depth + 3 * branches + 1, sizeof(*words));
	struct branch_entry *branch_entries = xcalloc(branches + 1, sizeof(*branch_entries));

	one->nr_chain = (uint32_t)thread_stack_late_chain(stack, words, depth, one->ip, all->opts.kernel_start);
	one->nr_branch_entries = (uint32_t)thread_stack_late_branches(stack, branch_entries, branches, one->ip,
								      all->opts.kernel_start);
	memcpy(words + one->nr_chain, branch_entries, one->nr_branch_entries * sizeof(*branch_entries));
	one->words = xrealloc(words, (one->nr_chain + 3 * one->nr_branch_entries + 1) * sizeof(*words));
	free(branch_entries);
}

/* ---- adding chains and branches while the session reads samples ---- */

static int compare_position(const struct augmented_samples *all, size_t number, uint64_t position)
{
	uint64_t at = all->list.v[number].position;

	return at < position ? -1 : at > position;
}

static const struct augmented_sample *find(const struct augmented_samples *all, uint64_t position)
{
	size_t low = 0, high = all->by_position.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = compare_position(all, all->by_position.v[mid], position);

		if (!order)
			return &all->list.v[all->by_position.v[mid]];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* A sample that is not in the trace gets a chain of its ip alone. */
static void add(const struct sample_augmenter *augmenter, const struct item *item, struct sample *sample)
{
	const struct augmented_samples *all = (const struct augmented_samples *)augmenter;
	const struct augmented_sample *one = find(all, item->position);
	bool known = one && one->words;

	if (item->event->added & PERF_SAMPLE_CALLCHAIN)
		sample->chain = known ? words_of(one->words, one->nr_chain) : words_of(&sample->ip, 1);
	if (!(item->event->added & PERF_SAMPLE_BRANCH_STACK))
		return;
	sample->branch_nr = known ? one->nr_branch_entries : 0;
	sample->branches = known ? words_of(one->words + one->nr_chain, 3 * one->nr_branch_entries) : (struct words){0};
}

static int by_position(const void *a, const void *b, void *ctx)
{
	const struct augmented_samples *all = ctx;

	return compare_position(all, *(const size_t *)a, all->list.v[*(const size_t *)b].position);
}

void augmented_samples_add(struct augmented_samples *all, struct session *s)
{
	for (size_t i = 0; i < all->list.nr; i++)
		vec_push(&all->by_position, i);
	if (all->list.nr)
		qsort_r(all->by_position.v, all->by_position.nr, sizeof(*all->by_position.v), by_position, all);
	all->augmenter.add = add;
	session_set_augmenter(s, &all->augmenter);
}
