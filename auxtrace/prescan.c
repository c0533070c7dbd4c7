/*
 * Decodes the parts of a hardware trace in parallel and in any order, in a pass that makes no samples. Then computes, part by
 * part, the state at the start of each, such as the call stacks.
 * Layer: auxtrace
 */
#include "auxtrace/prescan.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/pool.h"
#include "core/base/util.h"

struct result { struct thread_stacks *stacks; bool done; };

struct prescanning {
	const struct prescan_ops *ops;
	void *stage;
	void **workers;			/* by thread; NULL: it has had no work yet */
	pthread_mutex_t lock;		/* guards the members below */
	struct result *results;		/* by piece */
	size_t nr, next;		/* .nr: number of pieces; .next: the first piece that is not settled */
};

static void prescan_piece(void *ctx, unsigned worker, size_t number)
{
	struct prescanning *s = ctx;
	struct thread_stacks *log;

	if (!s->workers[worker])
		s->workers[worker] = s->ops->worker_new(s->stage);
	log = s->ops->decode(s->stage, s->workers[worker], number);
	pthread_mutex_lock(&s->lock);
	s->results[number] = (struct result){ log, true };
	for (; s->next < s->nr && s->results[s->next].done; s->next++)
		s->ops->settle(s->stage, s->next, s->results[s->next].stacks);
	pthread_mutex_unlock(&s->lock);
}

void prescan(const struct prescan_ops *ops, void *stage, size_t nr, unsigned jobs)
{
	struct prescanning s = { .ops = ops, .stage = stage, .nr = nr, .workers = xcalloc(jobs, sizeof(*s.workers)),
			       .results = xcalloc(MAX(nr, 1), sizeof(*s.results)) };

	pthread_mutex_init(&s.lock, NULL);
	pool_run(jobs, nr, prescan_piece, &s);
	pthread_mutex_destroy(&s.lock);
	for (unsigned i = 0; i < jobs; i++)
		if (s.workers[i])
			ops->worker_free(stage, s.workers[i]);
	free(s.workers);
	free(s.results);
}
