/*
 * Starts the threads that run the iterations of a loop. With -v, it also measures the CPU time that more threads would shorten.
 * phase.c prints the rest of a command's CPU time as "serial".
 */
#include "core/base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/util.h"

struct loop {
	void (*fn)(void *ctx, unsigned worker, size_t item);
	void *ctx;
	size_t nr;
	atomic_size_t next;
	bool timed;
};

struct worker {
	struct loop *loop;
	unsigned number;
	pthread_t thread;
	bool started;
	/* If loop.timed: CPU time of the thread, of the calling one only that in items, and in its longest item. */
	uint64_t all_ns, longest_ns;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct loop *l = w->loop;
	size_t item;

	while ((item = atomic_fetch_add(&l->next, 1)) < l->nr) {
		uint64_t from = l->timed ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0, ns;

		l->fn(l->ctx, w->number, item);
		ns = l->timed ? clock_ns(CLOCK_THREAD_CPUTIME_ID) - from : 0;
		w->all_ns += ns;
		w->longest_ns = MAX(w->longest_ns, ns);
	}
	if (w->number)
		w->all_ns = l->timed ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
	return NULL;
}

/* The loop cannot end before its longest item, however many threads run. So the part of it above an equal share is serial. */
static void count_shared(const struct worker *workers, unsigned nr, unsigned jobs)
{
	uint64_t all = 0, longest = 0, serial = 0;

	for (unsigned i = 0; i < nr; i++) {
		all += workers[i].all_ns;
		longest = MAX(longest, workers[i].longest_ns);
	}
	if (jobs > 1 && longest > all / jobs)
		serial = MIN((longest - all / jobs) * jobs / (jobs - 1), all);
	log_add_shared(all - serial);
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
	struct loop loop = { .fn = fn, .ctx = ctx, .nr = nr, .timed = log_level() > 0 };
	struct worker *workers;
	unsigned nr_workers = (unsigned)MAX(MIN(jobs, nr), 1);

	workers = xcalloc(nr_workers, sizeof(*workers));
	for (unsigned i = 1; i < nr_workers; i++) {
		workers[i] = (struct worker){ .loop = &loop, .number = i };
		/* With one thread less the work is only slower. */
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	workers[0].loop = &loop;
	work(&workers[0]);
	for (unsigned i = 1; i < nr_workers; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	count_shared(workers, nr_workers, jobs);
	free(workers);
}
