/*
 * Copies a pipe to an unlinked temporary file, which can be mapped (spool.h), and shows progress while it waits for input.
 * Layer: perfdata
 */
#include "core/perfdata/spool.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/new_file.h"
#include "core/base/log.h"
#include "core/base/util.h"

#define CHUNK (256 * 1024)
#define LOOK_MS 200	/* time to wait for more before the progress is updated */

void await_input(int fd, uint64_t got)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	do
		progress("reading standard input", got, 0, PROGRESS_BYTES);
	while (!poll(&p, 1, LOOK_MS));
}

int spool_to(int to, int from)
{
	char *chunk = xmalloc(CHUNK);
	unsigned interrupted = 0;
	uint64_t got = 0;
	ssize_t n;
	int err = 0;

	while (!err && (await_input(from, got), n = read(from, chunk, CHUNK)) != 0) {
		if (n > 0)
			err = write_all(to, chunk, (size_t)n);
		else if (!interrupted_call(n, &interrupted))
			err = -errno;
		got += n > 0 ? (uint64_t)n : 0;
	}
	progress_end();
	free(chunk);
	return err;
}

int spool(int fd)
{
	int tmp = temporary_file(), err;

	if (tmp < 0)
		return -errno;
	err = spool_to(tmp, fd);
	if (!err)
		return tmp;
	close(tmp);
	return err;
}
