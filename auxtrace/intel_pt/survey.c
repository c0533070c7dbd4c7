/*
 * The survey: all pieces are decoded once, in any order, to know what those behind them begin with. Each piece's results
 * are put together with those of all before it as soon as these are there.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/stage.h"

#include <pthread.h>

#include "core/base/pool.h"
#include "core/flow/session.h"

struct result { struct trails *trails; bool done; };

struct survey {
	struct pt_stage *stage;
	void **workers;			/* NULL until they have work */
	pthread_mutex_t lock;		/* of what follows */
	struct result *results;		/* by piece */
	size_t next;			/* all before it are settled */
};

/* All that is before piece @number is known. */
static void settle(struct pt_stage *stage, size_t number, struct trails *log)
{
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

static void survey_piece(void *ctx, unsigned worker, size_t number)
{
	struct survey *s = ctx;
	struct trails *log;

	if (!s->workers[worker])
		s->workers[worker] = pt_sampler_new_survey(s->stage);
	log = pt_sampler_survey(s->workers[worker], number);
	pthread_mutex_lock(&s->lock);
	s->results[number] = (struct result){ log, true };
	for (; s->next < s->stage->pieces.nr && s->results[s->next].done; s->next++)
		settle(s->stage, s->next, s->results[s->next].trails);
	pthread_mutex_unlock(&s->lock);
}

void pt_survey(struct pt_stage *stage)
{
	unsigned jobs = session_jobs(stage->session);
	struct survey s = { .stage = stage, .workers = xcalloc(jobs, sizeof(*s.workers)),
			    .results = xcalloc(MAX(stage->pieces.nr, 1), sizeof(*s.results)) };

	stage->surveyed = true;
	pthread_mutex_init(&s.lock, NULL);
	pool_run(jobs, stage->pieces.nr, survey_piece, &s);
	pthread_mutex_destroy(&s.lock);
	for (unsigned i = 0; i < jobs; i++)
		if (s.workers[i])
			pt_sampler_free(&stage->source, s.workers[i]);
	free(s.workers);
	free(s.results);
}
