/* What a survey of all pieces finds out, and what the pieces are told of it. Layer: auxtrace */
#include "auxtrace/survey.h"

#include "auxtrace/intel_pt/stage.h"
#include "core/flow/session.h"

static void *worker_new(void *stage)
{
	return pt_sampler_new_survey(stage);
}

static void worker_free(void *stage, void *worker)
{
	pt_sampler_free(stage, worker);
}

static struct trails *decode(void *stage, void *worker, size_t number)
{
	(void)stage;
	return pt_sampler_survey(worker, number);
}

/* Somebody asks for the trails of threads that do not run in the piece. */
static void lend_to_bystanders(struct pt_stage *stage, size_t number, const struct trails *log)
{
	struct pt_piece *p = &stage->pieces.v[number];
	size_t from, to;

	for (pt_bystanders_of(stage, number, &from, &to); from < to; from++) {
		uint32_t tid = stage->bystanders.list.v[from].tid;

		if (!trails_find(log, tid))
			trails_lend(p->start, stage->trails.v[p->queue->number], tid);
	}
}

/* All that is before piece @number is known. */
static void settle(void *ctx, size_t number, struct trails *log)
{
	struct pt_stage *stage = ctx;
	struct pt_piece *p = &stage->pieces.v[number];

	if (number && p[-1].queue == p->queue) {
		p->insns_before = p[-1].insns_before + p[-1].insns;
		p->insns_before_known = true;
	}
	if (!log)
		return;
	p->start = trails_follow(stage->trails.v[p->queue->number], log);
	lend_to_bystanders(stage, number, log);
	trails_free(log);
}

void pt_survey(struct pt_stage *stage)
{
	static const struct survey_ops ops = { worker_new, worker_free, decode, settle };

	stage->surveyed = true;
	survey(&ops, stage, stage->pieces.nr, session_jobs(stage->session));
}
