/*
 * The last close of a tracepoint waits until all CPUs have seen that it is gone (perf_trace_event_unreg() in
 * kernel/trace/trace_event_perf.c), some 10 ms for each, one after the other under a lock: seconds for "-e sys:*".
 * Layer: events
 */
#include "core/events/close_behind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/util.h"

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close all but these: whoever reads our output must not wait for the child to end. */
static void close_others(const int *sorted, size_t nr)
{
	unsigned from = 0;

	for (size_t i = 0; i < nr; i++) {
		if ((unsigned)sorted[i] > from)
			close_range(from, (unsigned)sorted[i] - 1, 0);
		from = (unsigned)sorted[i] + 1;
	}
	close_range(from, ~0u, 0);
}

void close_behind(const int *fds, size_t nr)
{
	int *sorted = xmalloc(MAX(nr, 1) * sizeof(*sorted));

	memcpy(sorted, fds, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_number);
	if (!fork()) {
		close_others(sorted, nr);
		_exit(0);
	}
	free(sorted);
}
