/*
 * Closes events in a child process, so that prec can end at once: closing many tracepoints takes seconds. event_set.c calls it at
 * the end of a recording.
 * Layer: open
 */
#include "core/record/open/close_async.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/util.h"

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes all other descriptors. Otherwise a reader of prec's output would wait for the child to end. */
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

/* Runs in the child. @gate never gets data: read() returns when the parent closes the other end, or ends. */
static void hold(int *fds, size_t nr, int gate)
{
	char c;

	fds[nr] = gate;
	qsort(fds, nr + 1, sizeof(*fds), by_number);
	close_others(fds, nr + 1);
	while (read(gate, &c, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/*
 * The last close of a tracepoint waits until all CPUs have seen that the tracepoint is gone (perf_trace_event_unreg() in
 * kernel/trace/trace_event_perf.c). This takes some 10 ms for each tracepoint, one after the other under a lock, so closing the
 * events of "-e sys:*" takes seconds.
 */
int close_async(const int *fds, size_t nr)
{
	int *to_close = xmalloc((nr + 1) * sizeof(*to_close)), gate[2] = { -1, -1 };
	pid_t pid = -1;

	memcpy(to_close, fds, nr * sizeof(*to_close));
	if (!pipe2(gate, O_CLOEXEC))
		pid = fork();
	if (!pid)
		hold(to_close, nr, gate[0]);
	free(to_close);
	if (gate[0] >= 0)
		close(gate[0]);
	if (pid > 0)
		return gate[1];
	if (gate[1] >= 0)
		close(gate[1]);
	return -1;
}
