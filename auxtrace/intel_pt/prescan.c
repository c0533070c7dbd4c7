/*
 * Starts the passes over an Intel PT trace that come before the synthesis of samples. One finds the state at the start of each
 * part of the trace. Another finds call chains for samples of other events (augment.c).
 */
#include "auxtrace/intel_pt/stage.h"

/* Sets the number of instructions before piece @number from the piece before it. */
static void follow(struct aux_stage *s, size_t number)
{
	struct pt_piece *p = &((struct pt_stage *)s)->pieces.v[number];

	p->insns_before = p[-1].insns_before + p[-1].insns;
	p->insns_before_known = true;
}

/* Adds the stacks of threads that do not run in the piece, but have augmented samples in it. */
static void lend_to_augmented_samples(struct aux_stage *s, size_t number, struct thread_stacks *start,
				      const struct thread_stacks *log)
{
	struct pt_stage *stage = (struct pt_stage *)s;
	size_t from, to;

	for (pt_augmented_samples_of(stage, number, &from, &to); from < to; from++) {
		uint32_t tid = stage->augmented.list.v[from].tid;

		if (!thread_stacks_find(log, tid))
			thread_stacks_lend(start, s->streams.v[s->source.pieces.v[number].stream].stacks, tid);
	}
}

/* The first pass, if it is needed, finds the program's state at the start of each piece (aux_stage_order()). */
void pt_choose_order(struct pt_stage *s)
{
	static const struct aux_prescan_ops ops = {
		.worker_new = pt_sampler_new_prescan, .decode = pt_sampler_prescan, .follow = follow,
		.complete = lend_to_augmented_samples,
	};
	bool others = s->branches || s->hold || s->aux.opts.ptwrites || s->aux.opts.power || s->pebs.first;

	aux_stage_order(&s->aux, &ops, s->aux.follow || (s->sums && others), s->carries);
}

/* ---- samples of others ---- */

static void report_piece(void *ctx, void *worker, size_t number)
{
	struct pt_stage *s = ctx;
	size_t from, to;

	pt_augmented_samples_of(s, number, &from, &to);
	if (from < to || !s->aux.prescanned)
		pt_sampler_report(worker, number, from, to);
}

/* The second pass finds the call chains and last branches for the samples of other events (augment.c). */
void pt_ask_trace(struct pt_stage *s)
{
	if (!s->aux.opts.add_chain && !s->aux.opts.add_last_branch)
		return;
	aux_stage_each(&s->aux, pt_sampler_new_prescan, report_piece, s);
	augmented_samples_add(&s->augmented);
}
