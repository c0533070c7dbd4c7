/* Copying a pipe to an unlinked file. Layer: format */
#include "core/format/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/util.h"

#define CHUNK (256 * 1024)

int spool_to(int to, int from)
{
	char *chunk = xmalloc(CHUNK);
	unsigned interrupted = 0;
	ssize_t n;
	int err = 0;

	while (!err && (n = read(from, chunk, CHUNK)) != 0) {
		if (n > 0)
			err = write_all(to, chunk, (size_t)n);
		else if (!interrupted_call(n, &interrupted))
			err = -errno;
	}
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
