/*
 * Lists the samples of a recording by thread, event and time, for the export to the Firefox Profiler (firefox.c). Without times
 * only sums of equal samples are known: each sum becomes one sample at time 0.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_THREAD_SAMPLES_H
#define CORE_SHOW_EXPORT_THREAD_SAMPLES_H

#include "core/base/vec.h"
#include "core/profile/profile.h"

struct thread_sample {
	uint64_t time, period;
	uint64_t nr;		/* samples that this one stands for */
	uint32_t weight;	/* number in profile_data.weights */
};

typedef VEC(struct thread_sample) thread_samples;	/* owned: vec_free() */

struct sample_run { const struct thread_sample *v; size_t nr; };	/* samples of one thread and event; borrowed */

void thread_samples_collect(thread_samples *list, const struct profile *p);
/* Sorts by thread, event and time. */
void thread_samples_sort(thread_samples *list, const struct profile *p);
/* The next run of sorted samples; *at is 0 at first. False: there are no more. */
bool thread_samples_next(const thread_samples *list, const struct profile *p, size_t *at, struct sample_run *out);

#endif
