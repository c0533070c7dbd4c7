/*
 * Runs the iterations of a loop on several worker threads, for example to decode the parts of a hardware trace. Each worker
 * takes the next iteration until all are done.
 * Layer: base
 */
#ifndef CORE_BASE_POOL_H
#define CORE_BASE_POOL_H

#include <stddef.h>

/* The number of CPUs this process may run on; at least 1. */
unsigned pool_default_jobs(void);

/*
 * Calls fn(ctx, worker, item) once for each iteration, on up to @jobs threads. @item, below @nr, is the number of the iteration.
 * @worker, below @jobs, is the number of the thread. Iterations are started in order, and all are done on return. With one job, or
 * one iteration, fn runs in the calling thread. fn cannot fail, but may store errors in @ctx.
 */
void pool_run(unsigned jobs, size_t nr, void (*fn)(void *ctx, unsigned worker, size_t item), void *ctx);

#endif
