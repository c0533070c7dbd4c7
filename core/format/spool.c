/* Copying a pipe to an unlinked file. Layer: format */
#include "core/format/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/util.h"

#define CHUNK (256 * 1024)

static int temporary_file(void)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	int fd;

	dir = dir && *dir ? dir : "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	path = xasprintf("%s/prec-XXXXXX", dir);	/* file systems without O_TMPFILE */
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	free(path);
	return fd;
}

static int copy(int to, int from)
{
	char *chunk = xmalloc(CHUNK);
	ssize_t n;
	int err = 0;

	while (!err && (n = read(from, chunk, CHUNK)) != 0) {
		if (n > 0)
			err = write_all(to, chunk, (size_t)n);
		else if (errno != EINTR)
			err = -errno;
	}
	free(chunk);
	return err;
}

int spool(int fd)
{
	int tmp = temporary_file(), err;

	if (tmp < 0)
		return tmp;
	err = copy(tmp, fd);
	if (!err)
		return tmp;
	close(tmp);
	return err;
}
