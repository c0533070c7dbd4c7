/*
 * Creates files with O_EXCL under random temporary names, and renames them when they are complete. This is safe even in a
 * directory into which other users may put links, FIFOs and files.
 */
#include "core/base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/util.h"
#include "core/base/file.h"
#include "core/base/log.h"

#define TRIES		16
#define SUFFIX		".new-%016llx"
#define SUFFIX_SIZE	21

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* True if @st is of the file that standard output or standard error is, which may have any owner. */
static bool is_own_output(const struct stat *st)
{
	struct stat own;

	return (!fstat(STDOUT_FILENO, &own) && same_file(st, &own)) || (!fstat(STDERR_FILENO, &own) && same_file(st, &own));
}

static bool has_place(const struct stat *st)
{
	return !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode);
}

/* True if @path is written in place; *st is then about the file there. Follows a link only if its owner is trusted. */
static bool find_place(const char *path, struct stat *st)
{
	struct stat link;

	if (lstat(path, &link) || stat(path, st))
		return false;
	if (S_ISLNK(link.st_mode) && !is_trusted_owner(link.st_uid))
		return false;
	if (is_own_output(st))
		return S_ISLNK(link.st_mode) || has_place(st);
	return has_place(st) && is_trusted_owner(st->st_uid);
}

bool is_written_in_place(const char *path)
{
	struct stat st;

	return find_place(path, &st);
}

/* Checks if @path may be replaced: 0 or -EPERM. */
static int check_replace(const char *path, struct stat *st)
{
	if (lstat(path, st))
		return 0;
	return is_trusted_owner(st->st_uid) ? 0 : -EPERM;
}

int new_file_check(const char *path)
{
	struct stat st;

	if (is_written_in_place(path) || !check_replace(path, &st))
		return 0;
	return error("cannot write '%s': %s there belongs to another user (uid %u); remove it, or write to another place", path,
		     S_ISLNK(st.st_mode) ? "the symbolic link" : S_ISFIFO(st.st_mode) ? "the FIFO" : "what is",
		     (unsigned)st.st_uid);
}

int new_file_at(int dir, const char *name, mode_t mode)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

/* "PATH.new-RANDOM", owned by the caller. The last part of PATH is cut if the name would be longer than NAME_MAX. */
static char *random_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0, leaf = strlen(path + dir);
	unsigned long long number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		die("cannot get random bytes: %s", strerror(errno));
	if (leaf > NAME_MAX - SUFFIX_SIZE)
		leaf = NAME_MAX - SUFFIX_SIZE;
	return xasprintf("%.*s" SUFFIX, (int)(dir + leaf), path, number);
}

static int make_next_to(const char *path, bool is_dir, mode_t mode, char **name)
{
	int fd = -EEXIST;

	for (int i = 0; i < TRIES && fd == -EEXIST; i++) {
		*name = random_name(path);
		fd = !is_dir ? new_file_at(AT_FDCWD, *name, mode) : mkdir(*name, mode) ? -errno : 0;
		if (fd >= 0)
			return fd;
		free(*name);
		*name = NULL;
	}
	return fd;
}

char *new_dir_next_to(const char *path)
{
	char *name = NULL;
	int err;

	if (new_file_check(path))
		return NULL;
	err = is_written_in_place(path) ? -ENOTDIR : make_next_to(path, true, 0700, &name);
	if (err)
		error("cannot create directory '%s': %s", path, strerror(-err));
	return name;
}

/* Opens the file if it is still the one that was checked. Returns a descriptor or -errno. */
static int open_place(const char *path, const struct stat *st)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat is;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &is) && same_file(st, &is))
		return fd;
	close(fd);
	return -EPERM;
}

int open_emptied(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) && is_trusted_owner(st.st_uid) ? 0 : -EPERM;
	if (!err && ftruncate(fd, 0))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int new_file_open(struct new_file *f, const char *path, mode_t mode)
{
	struct stat st;

	*f = (struct new_file){ .fd = -1, .path = path };
	if (new_file_check(path))
		return -1;
	f->fd = find_place(path, &st) ? open_place(path, &st) : make_next_to(path, false, mode, &f->name);
	return f->fd < 0 ? error("cannot write '%s': %s", path, strerror(-f->fd)) : 0;
}

int rename_over(const char *from, const char *to)
{
	struct stat st;
	int err = check_replace(to, &st);

	return err ? err : rename(from, to) ? -errno : 0;
}

int new_file_place(struct new_file *f)
{
	int err = 0;

	if (!f->name) {
		err = close(f->fd) ? -errno : 0;
		f->fd = -1;
		return err;
	}
	/* Syncs before the rename, so that after a power cut either the old file or the whole new file is there. */
	if (!access(f->path, F_OK) && fsync(f->fd) && errno != EINVAL && errno != ENOSYS)
		err = -errno;
	/* Some file systems report a full disk only here. */
	if (close(f->fd) && !err)
		err = -errno;
	f->fd = -1;
	if (!err)
		err = rename_over(f->name, f->path);
	if (err)
		return err;
	free(f->name);
	f->name = NULL;
	return 0;
}

void new_file_release(struct new_file *f)
{
	if (f->name)
		unlink(f->name);
	if (f->fd >= 0)
		close(f->fd);
	free(f->name);
	*f = (struct new_file){ .fd = -1 };
}

int unnamed_file_next_to(const char *path)
{
	char *name;
	int fd = make_next_to(path, false, 0600, &name);

	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

int temporary_file(void)
{
	const char *dir = getenv("TMPDIR");
	char *path = xasprintf("%s/prec", dir && *dir ? dir : "/tmp");
	int fd = unnamed_file_next_to(path);

	free(path);
	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}
