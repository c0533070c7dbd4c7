/*
 * Reads and writes whole files (file.h). At paths that other users control, it opens only regular files. In a directory to which
 * all users may write, it follows a symbolic link only if its owner is trusted or owns the directory.
 */
#include "core/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/util.h"

#define READ_CHUNK 65536

#define MAX_INTERRUPTED	1000

bool interrupted_call(int64_t result, unsigned *interrupted)
{
	return result < 0 && errno == EINTR && ++*interrupted < MAX_INTERRUPTED;
}

int write_all(int fd, const void *p, size_t n)
{
	unsigned interrupted = 0;
	const char *s = p;

	while (n) {
		ssize_t done = write(fd, s, n);

		if (interrupted_call(done, &interrupted))
			continue;
		if (done < 0)
			return -errno;
		s += done;
		n -= (size_t)done;
	}
	return 0;
}

int write_buf(int fd, struct buf *b)
{
	int err = write_all(fd, b->data, b->len);

	b->len = 0;
	return err;
}

int64_t read_at(int fd, void *p, size_t n, uint64_t offset)
{
	unsigned interrupted = 0;
	size_t got = 0;

	while (got < n) {
		ssize_t done = pread(fd, (char *)p + got, n - got, (off_t)(offset + got));

		if (interrupted_call(done, &interrupted))
			continue;
		if (done < 0)
			return -errno;
		if (!done)
			break;
		got += (size_t)done;
	}
	return (int64_t)got;
}

/* True if @uid is the user who started this root process by sudo, which sets SUDO_UID. */
static bool is_sudo_user(uid_t uid)
{
	const char *text = geteuid() ? NULL : getenv("SUDO_UID");
	char *end;

	return text && *text && strtoul(text, &end, 10) == uid && !*end;
}

bool is_trusted_owner(uid_t uid)
{
	return !uid || uid == geteuid() || is_sudo_user(uid);
}

/* The owner of the directory of @path, if all users may write to this directory; else @otherwise. */
static uid_t owner_of_open_directory(const char *path, uid_t otherwise)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xasprintf("%.*s", (int)MAX(slash - path, 1), path) : xstrdup(".");
	struct stat st;

	if (!stat(dir, &st) && st.st_mode & S_IWOTH)
		otherwise = st.st_uid;
	free(dir);
	return otherwise;
}

int link_flags(const char *path)
{
	struct stat st;

	if (str_starts(path, "/proc/") || str_starts(path, "/sys/"))
		return 0;
	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return O_NOFOLLOW;
	return is_trusted_owner(st.st_uid) || owner_of_open_directory(path, st.st_uid) == st.st_uid ? 0 : O_NOFOLLOW;
}

static int open_regular_as(const char *path, int flags)
{
	struct stat st;
	int fd, err;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	/* Another file may be at @path by now, so the opened one is checked again below. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | link_flags(path) | flags);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int read_file_until(const char *path, struct buf *b, uint64_t until_ns, bool *cut)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | link_flags(path)), err = 0;
	unsigned interrupted = 0;
	bool late = false;
	ssize_t n;

	*cut = false;
	if (fd < 0)
		return -errno;
	for (;;) {
		n = read(fd, buf_room(b, READ_CHUNK), READ_CHUNK);
		if (interrupted_call(n, &interrupted))
			continue;
		if (n <= 0)
			break;
		/* Data after the deadline: this is not the end of the file. */
		*cut = late;
		if (late)
			break;
		b->len += (size_t)n;
		late = until_ns != UINT64_MAX && now_ns() > until_ns;
	}
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

int read_file(const char *path, struct buf *b)
{
	bool cut;

	return read_file_until(path, b, UINT64_MAX, &cut);
}

int open_regular(const char *path)
{
	return open_regular_as(path, 0);
}

int open_regular_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char again[32];
	struct stat st;
	int place, fd;

	if (root < 0) {
		if (lstat(path, &st))
			return -errno;
		return S_ISLNK(st.st_mode) ? -ELOOP : open_regular_as(path, O_NOFOLLOW);
	}
	place = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (place < 0)
		return -errno;
	fd = fstat(place, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : S_ISLNK(st.st_mode) ? -ELOOP : -EINVAL;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (!fd)
		fd = open_regular_as(again, 0);
	close(place);
	return fd;
}

int open_trusted(const char *path, uid_t also)
{
	struct stat st;
	bool follow;
	int fd, err;

	if (lstat(path, &st))
		return -errno;
	follow = S_ISLNK(st.st_mode) && is_trusted_owner(st.st_uid);
	if (S_ISLNK(st.st_mode) && !follow)
		return -EPERM;
	fd = open_regular_as(path, follow ? 0 : O_NOFOLLOW);
	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : st.st_uid == also || is_trusted_owner(st.st_uid) ? 0 : -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Reads all of @fd and closes it. @fd may be -errno of the open, which is returned. */
static int read_whole(int fd, struct buf *b, uint64_t max)
{
	struct stat st;
	int64_t n;

	if (fd < 0)
		return fd;
	n = fstat(fd, &st) ? -errno : (uint64_t)st.st_size > max ? -EFBIG : st.st_size;
	if (n > 0)
		n = read_at(fd, buf_room(b, (size_t)n), (size_t)n, 0);
	if (n > 0)
		b->len += (size_t)n;
	close(fd);
	return n < 0 ? (int)n : 0;
}

int read_regular(const char *path, struct buf *b, uint64_t max)
{
	return read_whole(open_regular(path), b, max);
}

int read_trusted(const char *path, struct buf *b, uint64_t max, uid_t also)
{
	return read_whole(open_trusted(path, also), b, max);
}

char *program_in_path(const char *name)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t n = strcspn(at, ":");
		char *path = xasprintf("%.*s/%s", (int)n, at, name);
		struct stat st;

		if (!access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode))
			return path;
		free(path);
		at += n + (at[n] == ':');
	}
	return NULL;
}

uid_t owner_of_process(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? geteuid() : st.st_uid;
}

int read_at_once(const char *path, struct buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned interrupted = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf_room(b, READ_CHUNK), READ_CHUNK);
	while (interrupted_call(n, &interrupted));
	b->len += n > 0 ? (size_t)n : 0;
	buf_str(b);
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

char *read_line_of(const char *path)
{
	struct buf b = {0};
	int err = read_file(path, &b);

	if (err) {
		buf_release(&b);
		errno = -err;
		return NULL;
	}
	while (b.len && b.data[b.len - 1] == '\n')
		b.len--;
	buf_str(&b);
	return b.data;
}

int read_int_of(const char *path, long long *out)
{
	char *s = read_line_of(path), *end;

	if (!s)
		return -errno;
	errno = 0;
	*out = strtoll(s, &end, 0);
	if (end == s)
		errno = EINVAL;
	free(s);
	return -errno;
}

bool raise_file_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= r.rlim_max)
		return false;
	r.rlim_cur = r.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &r);
}

unsigned files_left(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit r;
	uint64_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_max < nr)
		return 0;
	return (unsigned)MIN(r.rlim_max - nr, UINT_MAX);
}

/* Errors are ignored, because prec works without the advice, too. */
static void advise(const uint8_t *data, uint64_t size, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)data & -page;

	madvise((void *)from, round_up((uintptr_t)data + size - from, page), advice);
}

void pages_release(const uint8_t *data, uint64_t size)
{
	/* The first and the last page may hold other bytes, too. These are read again when needed. */
	advise(data, size, MADV_DONTNEED);
}

void pages_are_scattered(const uint8_t *data, uint64_t size, bool are)
{
	advise(data, size, are ? MADV_RANDOM : MADV_NORMAL);
}

#define SEVERAL	(16u << 10)	/* bytes */

void pages_will_be_read(const uint8_t *data, uint64_t size)
{
	if (size >= SEVERAL)
		advise(data, size, MADV_WILLNEED);
}
