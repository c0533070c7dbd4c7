/*
 * Adds call chains and last branches from an Intel PT trace to samples of other events, such as cycles (--itrace=G, L). An
 * additional pass over the trace finds them before prec synthesizes samples. prescan.c starts this pass.
 */
#include "auxtrace/intel_pt/sampler.h"

/*
 * Between the overflow of a counter and the sample, the kernel's interrupt handler runs. So branches come after those that belong
 * to the sample, and this many are kept in addition. If the kernel is traced, there are some 200; otherwise one, into the kernel.
 */
#define KERNEL_BRANCHES	1024

unsigned pt_late_branches(const struct pt_stage *s, const struct event *origin)
{
	if (!s->aux.opts.add_last_branch)
		return 0;
	return origin->attr.exclude_kernel ? 1 : KERNEL_BRANCHES;
}

/* Returns the time from which on samples belong to piece @number. */
static uint64_t beginning(const struct pt_stage *s, size_t number)
{
	const struct pt_piece *p = &s->pieces.v[number];
	const struct aux_record *aux_record;

	if (!number || p[-1].queue != p->queue)
		return 0;
	if (!s->aux.timeless)
		return s->aux.source.pieces.v[number].time;
	aux_record = aux_queue_record(p->queue, p->from);
	return aux_record ? aux_record->time : 0;
}

void pt_augmented_samples_of(const struct pt_stage *s, size_t number, size_t *from, size_t *to)
{
	const struct pt_piece *p = &s->pieces.v[number];
	bool last = number + 1 == s->pieces.nr || p[1].queue != p->queue;
	uint32_t queue = p->queue->number;

	*from = augmented_samples_from(&s->augmented, queue, beginning(s, number));
	*to = last ? augmented_samples_from(&s->augmented, queue + 1, 0) :
		     augmented_samples_from(&s->augmented, queue, beginning(s, number + 1));
}

/* True if the sample was taken before the current position. */
static bool is_over(struct pt_worker *w, const struct pt_state *s, uint64_t time)
{
	const struct pt_info *info = &w->stage->info;

	if (w->stage->aux.timeless)
		return w->aux.record_time > time;
	return s->tsc && time >= info->time_zero && s->tsc >= pt_info_ticks(info, time - info->time_zero);
}

static void report_next(struct pt_worker *w)
{
	struct augmented_samples *b = &w->stage->augmented;

	augmented_samples_report(b, w->augmented, thread_stacks_find(w->aux.stacks, b->list.v[w->augmented].tid));
	w->augmented++;
}

void pt_report_augmented_samples(struct pt_worker *w, const struct pt_state *s)
{
	while (w->augmented < w->augmented_end && is_over(w, s, w->stage->augmented.list.v[w->augmented].time))
		report_next(w);
}

void pt_end_augmented_samples(struct pt_worker *w)
{
	while (w->augmented < w->augmented_end)
		report_next(w);
}
