/* A parallel loop. Layer: base */
#include "core/base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/util.h"

struct loop {
	void (*fn)(void *ctx, unsigned worker, size_t item);
	void *ctx;
	size_t nr;
	atomic_size_t next;
};

struct worker {
	struct loop *loop;
	unsigned number;
	pthread_t thread;
	bool started;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct loop *l = w->loop;
	size_t item;

	while ((item = atomic_fetch_add(&l->next, 1)) < l->nr)
		l->fn(l->ctx, w->number, item);
	return NULL;
}

unsigned pool_default_jobs(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned)MAX(CPU_COUNT(&set), 1);
}

void pool_run(unsigned jobs, size_t nr, void (*fn)(void *ctx, unsigned worker, size_t item), void *ctx)
{
	struct loop loop = { .fn = fn, .ctx = ctx, .nr = nr };
	struct worker *workers;

	jobs = (unsigned)MAX(MIN(jobs, nr), 1);
	workers = xcalloc(jobs, sizeof(*workers));
	for (unsigned i = 1; i < jobs; i++) {
		workers[i] = (struct worker){ .loop = &loop, .number = i };
		/* One thread fewer is slower, not wrong. */
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	workers[0].loop = &loop;
	work(&workers[0]);
	for (unsigned i = 1; i < jobs; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	free(workers);
}
