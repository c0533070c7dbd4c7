/*
 * Runs the iterations of a loop on several worker threads, for example to decode the parts of a hardware trace. Each worker
 * takes the next iteration until all are done.
 */
#ifndef CORE_BASE_POOL_H
#define CORE_BASE_POOL_H

#include <stddef.h>

/* The number of CPUs this process may run on; at least 1. */
unsigned pool_default_jobs(void);

/*
 * Calls fn(ctx, worker, item) once for each @item below @nr, on up to @jobs threads; @worker, below @jobs, is the thread. Starts
 * them in order; returns when all are done. With one job or item, fn runs in the calling thread. fn may store errors in @ctx.
 */
void pool_run(unsigned jobs, size_t nr, void (*fn)(void *ctx, unsigned worker, size_t item), void *ctx);

#endif
