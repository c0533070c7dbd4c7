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
	trails_free(log);
}

void pt_survey(struct pt_stage *stage)
{
	static const struct survey_ops ops = { worker_new, worker_free, decode, settle };

	stage->surveyed = true;
	survey(&ops, stage, stage->pieces.nr, session_jobs(stage->session));
}
