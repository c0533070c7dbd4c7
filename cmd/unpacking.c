/*
 * The archive is not trusted: only files whose path has a build id where perf's cache has it are read. Each that is a binary with
 * that build id goes where the cache puts it; links are made by the cache, never taken from the archive.
 * Layer: cmd
 */
#include "cmd/unpacking.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/new_file.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/binary/build_id_cache.h"
#include "core/packing/tar.h"

#define PADDING_MAX	(1 << 20)	/* bytes after the end of an archive; tar writes 10,240 at a time */

extern char **environ;

/* ---- decompressing ---- */

/* By the first bytes of what each makes; the program reads standard input and writes standard output. */
static const struct packer { const char *magic; size_t size; const char *program; } packers[] = {
	{ "BZh", 3, "bzip2" }, { "\x1f\x8b", 2, "gzip" }, { "\xfd" "7zXZ", 5, "xz" }, { "\x28\xb5\x2f\xfd", 4, "zstd" },
};

static const char *packer_of(int fd)
{
	char head[8];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	for (size_t i = 0; i < ARRAY_SIZE(packers); i++)
		if (n >= (ssize_t)packers[i].size && !memcmp(head, packers[i].magic, packers[i].size))
			return packers[i].program;
	return NULL;
}

/* Run @program -dc from @from; *out is the end of a pipe to read. Returns its pid or -errno. */
static pid_t run_packer(const char *program, int from, int *out)
{
	char dash[] = "-dc", *name = (char *)(uintptr_t)program, *argv[] = { name, dash, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], err;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	err = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (err)
		close(ends[0]);
	*out = ends[0];
	return err ? -err : pid;
}

/* ---- files ---- */

static bool leads_up(const char *path)
{
	size_t n = strlen(path);

	return strstr(path, "/../") || (n >= 3 && str_eq(path + n - 3, "/.."));
}

/* Is the name PATH/BUILDID/elf, and is that so without ".."? *path is owned by the caller. */
static bool is_binary(const char *name, char **path, struct build_id *id)
{
	char text[2 * BUILD_ID_MAX + 1];
	const char *leaf = strrchr(name, '/');
	size_t digits, n;

	if (!leaf || (!str_eq(leaf, "/elf") && !str_eq(leaf, "/vdso")))
		return false;
	n = (size_t)(leaf - name);
	for (digits = 0; digits < n && leaf[-1 - (ptrdiff_t)digits] != '/'; digits++)
		;
	if (digits < 2 || digits % 2 || digits >= sizeof(text) || digits + 1 >= n)
		return false;
	memcpy(text, leaf - digits, digits);
	text[digits] = '\0';
	*id = (struct build_id){0};
	for (unsigned byte; id->size < digits / 2 && sscanf(text + 2 * id->size, "%2x", &byte) == 1; id->size++)
		id->data[id->size] = (uint8_t)byte;
	while (*name == '.' && name[1] == '/')
		name += 2;
	*path = xasprintf("/%.*s", (int)(leaf - digits - 1 - name), name);
	if (id->size == digits / 2 && (*path)[1] && !leads_up(*path))
		return true;
	free(*path);
	return false;
}

/* Returns 1 if it was added, 0 if it was there, -errno. */
static int add_file(const struct build_id_cache *c, struct tar *t, const char *path, const struct build_id *id)
{
	int fd = temporary_file(), err = fd < 0 ? -errno : tar_copy(t, fd);

	if (!err)
		err = build_id_cache_add(c, path, id, fd, false);
	if (fd >= 0)
		close(fd);
	return err;
}

struct unpacked { unsigned added, had, refused; };

static int add_files(const struct build_id_cache *c, struct tar *t, struct unpacked *sum)
{
	struct build_id id;
	const char *name;
	uint64_t size;
	int found, err;
	char *path;

	while ((found = tar_next(t, &name, &size)) > 0) {
		if (!is_binary(name, &path, &id)) {
			char *shown = printable_text(xstrdup(name));

			debug(1, "'%s' is no binary of the cache", shown);
			free(shown);
			continue;
		}
		err = add_file(c, t, path, &id);
		if (err < 0) {
			path = printable_text(path);
			warning("'%s' is left out: %s", path,
				err == -EINVAL ? "it has another build id than its place says" : strerror(-err));
		}
		*(err < 0 ? &sum->refused : err ? &sum->added : &sum->had) += 1;
		free(path);
	}
	return found;
}

static int unpack_from(int fd, const char *name)
{
	struct unpacked sum = {0};
	struct build_id_cache c;
	struct tar t = { .fd = fd };
	int err = build_id_cache_open(&c, true);

	if (err)
		return error("cannot write to ~/.debug: %s", strerror(-err));
	err = add_files(&c, &t, &sum);
	build_id_cache_close(&c);
	tar_release(&t);
	info("added %u binaries to ~/.debug; %u were there, %u left out", sum.added, sum.had, sum.refused);
	if (err)
		return error("'%s' is not a whole tar archive: %s", name, strerror(-err));
	return sum.added || sum.had ? 0 : error("'%s' has no binaries as perf archive packs them", name);
}

/* Reads the padding of the archive's last block, so that its writer is not stopped early; more than that is no padding. */
static void skip_padding(int fd)
{
	char bytes[4096];

	for (size_t n = 0; n < PADDING_MAX; n += sizeof(bytes)) {
		ssize_t got = read(fd, bytes, sizeof(bytes));

		if (!got || (got < 0 && errno != EINTR))
			return;
	}
}

int unpack_archive(const char *path)
{
	int file = str_eq(path, "-") ? dup(STDIN_FILENO) : open_regular(path), fd = file, err, status;
	const char *program = file >= 0 ? packer_of(file) : NULL;
	pid_t pid = 0;

	if (file < 0)
		return error("cannot open '%s': %s", path, strerror(-file));
	if (program)
		pid = run_packer(program, file, &fd);
	err = pid < 0 ? error("cannot run %s, which unpacks '%s': %s", program, path, strerror(-pid)) : unpack_from(fd, path);
	if (pid > 0) {
		skip_padding(fd);
		close(fd);
	}
	close(file);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !err && (!WIFEXITED(status) || WEXITSTATUS(status)))
		err = error("%s could not unpack all of '%s'", program, path);
	return err;
}
