/* In which order pieces are decoded, and what a prescan tells them. Layer: auxtrace */
#include "auxtrace/intel_pt/stage.h"

/* Piece @number begins with what those before it ended with. */
static void follow(struct aux_stage *s, size_t number)
{
	struct pt_piece *p = &((struct pt_stage *)s)->pieces.v[number];

	p->insns_before = p[-1].insns_before + p[-1].insns;
	p->insns_before_known = true;
}

/* Somebody asks for the thread stacks of threads that do not run in the piece. */
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

void pt_choose_order(struct pt_stage *s)
{
	static const struct aux_prescan_ops ops = {
		.worker_new = pt_sampler_new_prescan, .decode = pt_sampler_prescan, .follow = follow,
		.complete = lend_to_augmented_samples,
	};
	bool others = s->branches || s->hold || s->aux.opts.ptwrites || s->aux.opts.power || s->pebs.first;

	aux_stage_order(&s->aux, &ops, s->aux.follow || (s->sums && others), s->carries);
}
