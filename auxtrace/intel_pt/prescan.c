/* What a prescan of all pieces finds out, and what the pieces are told of it. Layer: auxtrace */
#include "auxtrace/prescan.h"

#include "auxtrace/intel_pt/stage.h"
#include "core/flow/session.h"

static void *worker_new(void *stage)
{
	return pt_sampler_new_prescan(stage);
}

static void worker_free(void *stage, void *worker)
{
	pt_sampler_free(stage, worker);
}

static struct thread_stacks *decode(void *stage, void *worker, size_t number)
{
	(void)stage;
	return pt_sampler_prescan(worker, number);
}

/* Somebody asks for the thread stacks of threads that do not run in the piece. */
static void lend_to_augmented_samples(struct pt_stage *stage, size_t number, const struct thread_stacks *log)
{
	struct pt_piece *p = &stage->pieces.v[number];
	size_t from, to;

	for (pt_augmented_samples_of(stage, number, &from, &to); from < to; from++) {
		uint32_t tid = stage->augmented.list.v[from].tid;

		if (!thread_stacks_find(log, tid))
			thread_stacks_lend(p->start, stage->stacks.v[p->queue->number], tid);
	}
}

/* All that is before piece @number is known. */
static void settle(void *ctx, size_t number, struct thread_stacks *log)
{
	struct pt_stage *stage = ctx;
	struct pt_piece *p = &stage->pieces.v[number];

	if (number && p[-1].queue == p->queue) {
		p->insns_before = p[-1].insns_before + p[-1].insns;
		p->insns_before_known = true;
	}
	if (!log)
		return;
	p->start = thread_stacks_follow(stage->stacks.v[p->queue->number], log);
	lend_to_augmented_samples(stage, number, log);
	thread_stacks_free(log);
}

void pt_prescan(struct pt_stage *stage)
{
	static const struct prescan_ops ops = { worker_new, worker_free, decode, settle };

	stage->prescanned = true;
	prescan(&ops, stage, stage->pieces.nr, session_jobs(stage->session));
}
