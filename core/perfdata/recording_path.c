/*
 * Builds the path names of a recording's files, such as DIR/data.1. Also checks, renames or removes an old recording at the path
 * of a new one.
 */
#include "core/perfdata/recording_path.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/util.h"
#include "core/perfdata/abi.h"

char *recording_data_path(const char *dir)
{
	return xasprintf("%s/data", dir);
}

char *recording_part_path(const char *dir, unsigned number)
{
	return xasprintf("%s/data.%u", dir, number);
}

char *recording_kcore_path(const char *dir)
{
	return xasprintf("%s/kcore_dir", dir);
}

static bool recording_is_dir(const char *path)
{
	char *data = recording_data_path(path);
	struct stat st;
	bool is = !stat(data, &st) && S_ISREG(st.st_mode);

	free(data);
	return is;
}

/* True if the file begins with a magic of perf.data. The magic of version 1 is the same in both byte orders. */
static bool has_magic(const char *path)
{
	static const uint64_t magics[] = { FILE_MAGIC, FILE_MAGIC_SWAP, FILE_MAGIC_V1 };
	int fd = open_regular(path);
	uint64_t magic;
	bool has = fd >= 0 && read_at(fd, &magic, sizeof(magic), 0) == sizeof(magic);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; has && i < ARRAY_SIZE(magics); i++)
		if (le64toh(magic) == magics[i])
			return true;
	return false;
}

bool recording_begins(const char *path)
{
	char *data;
	bool begins;

	if (!recording_is_dir(path))
		return has_magic(path);
	data = recording_data_path(path);
	begins = has_magic(data);
	free(data);
	return begins;
}

ORDER(by_number, unsigned, compare_numbers(*a, *b))

int recording_parts(const char *dir, struct part_numbers *out)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | link_flags(dir));
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		unsigned number;
		char end;

		if (sscanf(e->d_name, "data.%5u%c", &number, &end) == 1)
			vec_push(&out->list, number);
	}
	closedir(d);
	vec_sort(&out->list, by_number);
	return 0;
}

static int remove_file(char *owned_path)
{
	int err = unlink(owned_path) ? -errno : 0;

	free(owned_path);
	return err;
}

static int remove_kcore(const char *dir)
{
	static const char *const files[] = { "kcore", "kallsyms", "modules" };
	char *kcore = recording_kcore_path(dir);
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && (!err || err == -ENOENT); i++)
		err = remove_file(xasprintf("%s/%s", kcore, files[i]));
	if (!err || err == -ENOENT)
		err = rmdir(kcore) && errno != ENOENT ? -errno : 0;
	free(kcore);
	return err;
}

/* Removes "data" last, so that the directory is still recognized as a recording until then. */
static int remove_dir(const char *dir)
{
	struct part_numbers parts = {0};
	int err = recording_parts(dir, &parts);

	vec_for(number, &parts.list)
		if (!err)
			err = remove_file(recording_part_path(dir, *number));
	vec_free(&parts.list);
	if (!err)
		err = remove_kcore(dir);
	if (!err)
		err = remove_file(recording_data_path(dir));
	if (!err && rmdir(dir))
		err = -errno;
	return err;
}

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

int recording_remove(const char *path)
{
	if (!is_link(path) && recording_is_dir(path))
		return remove_dir(path);
	return unlink(path) ? -errno : 0;
}

/* True if recording_keep_old() renames @path. It does not rename an empty file. */
static bool is_kept(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (recording_is_dir(path) || (S_ISREG(st.st_mode) && st.st_size)) && !is_written_in_place(path);
}

int recording_check_place(const char *path)
{
	struct stat st;

	if (!*path)
		return error("-o needs the name of a file");
	if (new_file_check(path))
		return -1;
	if (stat(path, &st))
		return 0;
	if (S_ISFIFO(st.st_mode))
		return error("'%s' is a FIFO, and a recording's header is written last: give -o - and direct that there", path);
	if (S_ISDIR(st.st_mode) && !recording_is_dir(path))
		return error("'%s' is a directory: give -o the name of a file", path);
	return 0;
}

int recording_check_old(const char *path)
{
	char *old = xasprintf("%s.old", path);
	int err = is_kept(path) ? new_file_check(old) : 0;

	free(old);
	return err;
}

int recording_keep_old(const char *path)
{
	char *old;
	int err;

	if (!is_kept(path))
		return 0;
	old = xasprintf("%s.old", path);
	err = new_file_check(path) || new_file_check(old);
	/* rename(2) replaces neither a file by a directory nor a directory by a file, nor a directory that is not empty. */
	if (!err && (recording_is_dir(path) || recording_is_dir(old)))
		recording_remove(old);
	if (!err && rename(path, old))
		warning("cannot rename '%s' to '%s': %s; it is overwritten", path, old, strerror(errno));
	free(old);
	return err ? -1 : 0;
}
