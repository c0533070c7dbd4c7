/*
 * Sums up the waits of a profile, for prec summary and the HTML page: what threads waited for, in which function, and which thread
 * held the lock. core/profile/wait_frames.c finds the reason of each wait.
 */
#ifndef CORE_SHOW_REPORT_WAIT_ROWS_H
#define CORE_SHOW_REPORT_WAIT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/profile/profile.h"

struct buf;
struct export_wait;

#define SERVICE_THREADS_OF "the JVM"

/*
 * By thread of the profile: true if the thread is one that a Java virtual machine runs for itself, such as a garbage collector.
 * These nearly always wait, so their waits would outweigh those of the program's own threads. NULL: there is no JVM. Owned by the
 * caller.
 */
bool *service_threads(const struct profile *p);

static inline bool is_service_thread(const bool *services, uint32_t thread)
{
	return services && thread != PROFILE_NONE && services[thread];
}

/*
 * The profile must have wait frames, which name the reason of each wait in its call stack (core/profile/wait_frames.c). Waits of a
 * Java virtual machine's own threads are left out.
 *
 * Appends up to three lines, the longest waits first:
 *	   40.12 %     1.71 s  waiting: lock jobs_mutex, in take_job, held by worker-2 (31 %) and 3 more
 * Shares are of @all, ns; rows below 1 % are left out. @width: of the terminal; 0: names are not shortened.
 */
void wait_rows_put(const struct profile *p, uint64_t all, unsigned width, struct buf *out);

/* Fills @out with the @most longest, with whole names, for export_opts.waits. Returns their number. The caller frees the texts. */
size_t wait_rows_list(const struct profile *p, struct export_wait *out, size_t most);

#endif
