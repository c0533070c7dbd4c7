/*
 * Lists the intervals (such as waits) and instants (such as losses) of a profile by thread and time. firefox.c writes them as
 * the Firefox Profiler's markers.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_THREAD_MARKERS_H
#define CORE_SHOW_EXPORT_THREAD_MARKERS_H

#include "core/base/vec.h"
#include "core/profile/profile.h"

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
