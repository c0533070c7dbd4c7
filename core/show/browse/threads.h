/*
 * Sums the samples of each thread, for the browser's list of threads (view_threads.c, which defines these functions) and for its
 * timeline (view_timeline.c), which draws a line for each thread.
 */
#ifndef CORE_SHOW_BROWSE_THREADS_H
#define CORE_SHOW_BROWSE_THREADS_H

#include "core/show/browse/browser.h"

struct thread_row {
	uint32_t thread;		/* number in the profile; the last one of the threads with this tid */
	uint32_t tid;
	struct profile_sum sum;
};

struct thread_rows { VEC(struct thread_row) list; };	/* vec_free() */

/* Lists the threads with selected samples, the one with most samples first. Threads with equal tids are one row. */
void thread_rows_make(struct thread_rows *t, const struct browser *b);
void thread_put_name(const struct browser *b, const struct thread_row *row, struct buf *out);

#endif
