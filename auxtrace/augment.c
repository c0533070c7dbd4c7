/* Adds call chains and last branches from a hardware trace to the samples of other events in the same recording (--itrace=G, L). */
#include "auxtrace/augment.h"

#include <stdlib.h>
#include <string.h>

#include "auxtrace/stage.h"

/* ---- gathering ---- */

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
	const struct augmented_samples *all = ctx;
	struct gathered *w = worker;
	uint64_t type = item->event->layout.type;
	uint32_t queue;

	if (!item->event->added || !(type & PERF_SAMPLE_TID) || !(type & PERF_SAMPLE_IP) ||
	    !(type & (all->stage->timeless ? PERF_SAMPLE_AUX : PERF_SAMPLE_TIME)))
		return;
	queue = queue_of(&all->stage->queues, item->sample, type & PERF_SAMPLE_CPU);
	if (queue == AUX_NONE)
		return;
	vec_push(&w->list, (struct augmented_sample){ .time = item->at, .position = item->position, .ip = item->sample->ip,
					       .queue = queue, .tid = item->sample->tid });
}

static void merge(void *worker, void *ctx)
{
	struct augmented_samples *all = ctx;
	struct gathered *w = worker;

	vec_append(&all->list, &w->list);
	vec_free(&w->list);
}

ORDER(by_queue_and_time, struct augmented_sample,
	compare_numbers(a->queue, b->queue) ?: compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

/* Marks the session's events without call chains, or without branches, as having the ones that are added here. */
static void announce_types(struct session *s, const struct itrace_opts *o)
{
	uint64_t types = (o->add_chain ? PERF_SAMPLE_CALLCHAIN : 0) | (o->add_last_branch ? PERF_SAMPLE_BRANCH_STACK : 0);

	vec_for(ev, &session_events(s)->events)
		session_add_types(s, *ev, types & ~(*ev)->layout.type);
}

void augmented_samples_gather(struct augmented_samples *all, const struct aux_stage *stage)
{
	static const struct sample_pass pass = { .worker_size = sizeof(struct gathered), .sample = on_sample, .merge = merge };

	all->stage = stage;
	announce_types(stage->session, &stage->opts);
	session_samples(stage->session, &pass, all);
	vec_sort(&all->list, by_queue_and_time);
}

void augmented_samples_release(struct augmented_samples *all)
{
	vec_for(one, &all->list)
		free(one->words);
	vec_free(&all->list);
	index_release(&all->by_position);
}

/* ---- filling samples while the trace is decoded ---- */

size_t augmented_samples_from(const struct augmented_samples *all, uint32_t queue, uint64_t time)
{
	const struct augmented_sample *v = all->list.v;

	return bisect(i, 0, all->list.nr, v[i].queue < queue || (v[i].queue == queue && v[i].time < time));
}

void augmented_samples_report(struct augmented_samples *all, size_t number, const struct thread_stack *stack)
{
	struct augmented_sample *one = &all->list.v[number];
	const struct itrace_opts *o = &all->stage->opts;
	uint64_t kernel_start = all->stage->kernel_start;
	size_t depth = o->add_chain ? o->chain_depth + 1 : 0, branches = o->add_last_branch ? o->last_branch_depth : 0;
	uint64_t *words = xcalloc(depth + 3 * branches + 1, sizeof(*words));
	struct branch_entry *branch_entries = xcalloc(branches + 1, sizeof(*branch_entries));

	one->nr_chain = (uint32_t)thread_stack_late_chain(stack, words, depth, one->ip, kernel_start);
	one->nr_branch_entries = (uint32_t)thread_stack_late_branches(stack, branch_entries, branches, one->ip, kernel_start);
	memcpy(words + one->nr_chain, branch_entries, one->nr_branch_entries * sizeof(*branch_entries));
	one->words = xrealloc(words, (one->nr_chain + 3 * one->nr_branch_entries + 1) * sizeof(*words));
	free(branch_entries);
}

/* ---- adding chains and branches while the session reads samples ---- */

static const struct augmented_sample *find(const struct augmented_samples *all, uint64_t position)
{
	uint64_t hash = hash_u64(position);

	index_for(number, &all->by_position, hash)
		if (all->list.v[number].position == position)
			return &all->list.v[number];
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

void augmented_samples_add(struct augmented_samples *all)
{
	for (uint32_t i = 0; i < all->list.nr; i++)
		index_add(&all->by_position, hash_u64(all->list.v[i].position), i);
	all->augmenter.add = add;
	session_set_augmenter(all->stage->session, &all->augmenter);
}
