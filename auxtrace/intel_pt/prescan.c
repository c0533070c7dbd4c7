/*
 * Starts the passes over an Intel PT trace that come before the synthesis of samples. One finds the state at the start of each
 * part of the trace. Another finds call chains for samples of other events (augment.c).
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/stage.h"

#include "core/base/pool.h"
#include "core/read/session.h"

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

/* The first pass, if it is needed, finds the program's state at the start of each piece (auxtrace/prescan.h). */
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

struct trace_job { struct pt_stage *stage; void **workers; };

static void report_piece(void *ctx, unsigned worker, size_t number)
{
	struct trace_job *t = ctx;
	size_t from, to;

	pt_augmented_samples_of(t->stage, number, &from, &to);
	if (from == to && t->stage->aux.prescanned)
		return;
	if (!t->workers[worker])
		t->workers[worker] = pt_sampler_new_prescan(&t->stage->aux);
	pt_sampler_report(t->workers[worker], number, from, to);
}

/* The second pass finds the call chains and last branches for the samples of other events (augment.c). */
void pt_ask_trace(struct pt_stage *s)
{
	unsigned jobs = session_jobs(s->aux.session);
	struct trace_job t = { .stage = s };

	if (!s->aux.opts.add_chain && !s->aux.opts.add_last_branch)
		return;
	t.workers = xcalloc(jobs, sizeof(*t.workers));
	pool_run(jobs, s->pieces.nr, report_piece, &t);
	for (unsigned i = 0; i < jobs; i++)
		if (t.workers[i])
			pt_sampler_free(&s->aux.source, t.workers[i]);
	free(t.workers);
	augmented_samples_add(&s->augmented, s->aux.session);
}
