/*
 * Lists the samples, intervals (such as waits) and instants (such as losses) of a profile by thread and time, for the export to the
 * Firefox Profiler (firefox.c). Without times only sums of equal samples are known: each sum becomes one sample at time 0.
 */
#ifndef CORE_SHOW_EXPORT_THREAD_SAMPLES_H
#define CORE_SHOW_EXPORT_THREAD_SAMPLES_H

#include "core/base/vec.h"
#include "core/profile/profile.h"

struct thread_sample {
	uint64_t time, period;
	uint32_t weight;	/* number in profile_data.weights */
};

typedef VEC(struct thread_sample) thread_samples;	/* owned: vec_free() */

struct sample_run { const struct thread_sample *v; size_t nr; };	/* samples of one thread and event; borrowed */

/* Collects all samples of @p, sorted by thread, event and time. */
void thread_samples_collect(thread_samples *list, const struct profile *p);
/* The next run of samples; *at is 0 at first. False: there are no more. */
bool thread_samples_next(const thread_samples *list, const struct profile *p, size_t *at, struct sample_run *out);

struct marker {
	uint64_t begin, end;		/* equal for an instant */
	uint64_t value;			/* value of an instant */
	uint32_t thread, cpu, kind;	/* as in struct profile_interval */
	bool instant;
};

typedef VEC(struct marker) thread_markers;	/* owned: vec_free() */

struct marker_run { const struct marker *v; size_t nr; };	/* borrowed */

/* Collects all markers of @p, sorted by thread and time. Markers without a thread come last. */
void thread_markers_collect(thread_markers *list, const struct profile *p);
/* The markers of @thread; with PROFILE_NONE those of no thread. */
struct marker_run thread_markers_of(const thread_markers *list, uint32_t thread);

#endif
