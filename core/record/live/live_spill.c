/*
 * Writes samples that wait to be unwound to an unnamed temporary file, and reads them back. Frees the disk space of samples that
 * are not needed any more by punching holes in the file (fallocate(2)).
 */
#include "core/record/live/live_spill.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"

bool live_spill_has_room(const struct live_spill *s, uint64_t n)
{
	return !s->full && s->waiting <= s->most && n <= s->most - s->waiting;
}

/* Opens the file. Leaves half of the free disk space to others. */
static int open_file(struct live_spill *s)
{
	struct statvfs fs;

	s->fd = temporary_file();
	if (s->fd < 0)
		return -errno;
	s->open = true;
	if (!fstatvfs(s->fd, &fs))
		s->most = MIN(s->most, (uint64_t)fs.f_bavail * fs.f_frsize / 2);
	debug(1, "stacks wait for unwinders in a temporary file, too");
	return 0;
}

static int append(struct live_spill *s, const void *p, size_t n)
{
	int err = s->open ? 0 : open_file(s);

	if (!err && !live_spill_has_room(s, n))
		err = -ENOSPC;
	if (!err && lseek(s->fd, (off_t)s->end, SEEK_SET) < 0)
		err = -errno;
	return err ? err : write_all(s->fd, p, n);
}

int live_spill_put(struct live_spill *s, const void *p, size_t n, uint64_t *at)
{
	int err = append(s, p, n);

	if (err) {
		debug(1, "stacks that wait for unwinders cannot be put into a file: %s", strerror(-err));
		s->full = true;
		return err;
	}
	*at = s->end;
	s->end += n;
	s->waiting += n;
	return 0;
}

void live_spill_read(const struct live_spill *s, void *p, size_t n, uint64_t at)
{
	int64_t got = read_at(s->fd, p, n, at);

	if (got != (int64_t)n)
		die("cannot read a temporary file: %s", got < 0 ? strerror((int)-got) : "it is shorter than it was");
}

/* On a file system without holes, the space is free again only when nothing waits in the file. */
void live_spill_drop(struct live_spill *s, uint64_t at, uint64_t n)
{
	if (at + n == s->end && !ftruncate(s->fd, 0)) {
		s->end = s->waiting = 0;
		s->full = false;
	} else if (!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n)) {
		s->waiting -= n;
	}
}

void live_spill_release(struct live_spill *s)
{
	if (s->open)
		close(s->fd);
	*s = (struct live_spill){0};
}
