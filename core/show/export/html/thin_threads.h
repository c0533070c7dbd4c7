/*
 * Keeps the busiest threads of a profile and merges the others, so that the profile fits into an HTML page. thin.c passes it the
 * number of threads to keep.
 */
#ifndef CORE_SHOW_EXPORT_HTML_THIN_THREADS_H
#define CORE_SHOW_EXPORT_HTML_THIN_THREADS_H

#include "core/base/vec.h"
#include "core/profile/profile.h"

enum thin_scope { THIN_ONE_THREAD, THIN_PROCESS, THIN_NAME, THIN_ALL };	/* threads that one page_thread stands for */

struct page_thread {
	uint32_t thread;		/* number in the profile of the (first) thread that it stands for */
	uint32_t nr;			/* how many threads it stands for */
	enum thin_scope scope;
};

struct thin_threads {			/* thin_threads_release() */
	VEC(struct page_thread) list;	/* in the order of the profile's threads */
	uint32_t *of;			/* by thread of the profile: a number of .list */
	uint32_t nr_merged;		/* threads of the profile that were merged with others */
};

/* For each thread of @p: the largest share (0 to 1) of any event's weight. Owned by the caller. */
float *thin_heat(const struct profile *p);
/* Keeps @most; merges others by process; above 2 * @most left, by name; if still too many, into one. */
void thin_threads(struct thin_threads *t, const struct profile *p, const float *heat, uint32_t most);
void thin_threads_release(struct thin_threads *t);

#endif
