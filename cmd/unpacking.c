/*
 * Unpacks the tar archive of `perf archive` for prec archive --unpack, and adds its binaries to perf's cache ~/.debug.
 * core/binary/build_id_cache.h writes to the cache. tar(1) reads the archive.
 */
#include "cmd/archiving.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/base/util.h"
#include "core/binary/build_id_cache.h"
#include "core/perfdata/pipe_reader.h"

extern char **environ;

/* Runs tar(1), which unpacks @archive into the temporary directory @dir. Returns 0, or -1 after printing an error. */
static int run_tar(const char *dir, int archive, const char *name)
{
	/* The pattern matches "elf" and "vdso", which are the names of binaries in the cache. */
	const char *argv[] = { "tar", "-x", "-o", "-f", "/dev/stdin", "-C", dir, "--wildcards", "*/[ev][ld]*", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int err, status = 0;
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, archive, STDIN_FILENO);
	err = posix_spawnp(&pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (err)
		return error("cannot run tar, which unpacks '%s': %s", name, strerror(err));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return error("tar could not unpack all of '%s', or found no binaries as perf archive packs them; nothing added",
			     name);
	return 0;
}

/* True if the name is PATH/BUILDID/elf or PATH/BUILDID/vdso. *path is owned by the caller. */
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
	*path = xasprintf("/%.*s", (int)(leaf - digits - 1 - name), name);
	if (id->size == digits / 2 && (*path)[1])
		return true;
	free(*path);
	return false;
}

struct unpacked { unsigned added, had, refused; };

/* Distrusts the archive: adds only regular files at BUILDID/elf or vdso with that build id; no links, the cache makes its own. */
static void add_file(const struct build_id_cache *c, const char *file, const char *name, struct unpacked *sum)
{
	struct build_id id;
	char *path;
	int fd, err;

	if (!is_binary(name, &path, &id))
		return;
	fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : build_id_cache_add(c, path, &id, fd, false);
	if (fd >= 0)
		close(fd);
	path = printable_text(path);
	if (err < 0)
		warning("'%s' is left out: %s", path,
			err == -EINVAL ? "it has another build id than its place says" : strerror(-err));
	*(err < 0 ? &sum->refused : err ? &sum->added : &sum->had) += 1;
	free(path);
}

/* Calls add_file() for each regular file below @dir. If @c is NULL, removes all files and directories instead. */
static void walk(const char *dir, const struct build_id_cache *c, struct unpacked *sum)
{
	char *const roots[] = { (char *)(uintptr_t)dir, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

	if (!tree)
		die("cannot read the directory '%s': %s", dir, strerror(errno));
	for (FTSENT *e; (e = fts_read(tree)); ) {
		if (c && e->fts_info == FTS_F)
			add_file(c, e->fts_path, e->fts_path + strlen(dir) + 1, sum);
		else if (!c && e->fts_info != FTS_D && remove(e->fts_path))
			warning("cannot remove '%s': %s", e->fts_path, strerror(errno));
	}
	fts_close(tree);
}

static int add_files(const char *dir, const char *name)
{
	struct unpacked sum = {0};
	struct build_id_cache c;
	int err = build_id_cache_open(&c, true);

	if (err)
		return error("cannot write to ~/.debug: %s", strerror(-err));
	walk(dir, &c, &sum);
	build_id_cache_close(&c);
	info("added %u binaries to ~/.debug; %u were there, %u left out", sum.added, sum.had, sum.refused);
	return sum.added || sum.had ? 0 : error("'%s' has no binaries as perf archive packs them", name);
}

int unpack_archive(const char *path)
{
	int file = str_eq(path, "-") ? spool(STDIN_FILENO) : open_regular(path), err;	/* a file, because tar seeks in it */
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/prec-archive-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	sigset_t ends, before;

	if (file < 0) {
		free(dir);
		return error("cannot open '%s': %s", path, strerror(-file));
	}
	/* On a signal, tar fails. This process must live on to remove the directory. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	if (!mkdtemp(dir)) {
		err = error("cannot make the directory '%s': %s (TMPDIR chooses where)", dir, strerror(errno));
	} else {
		err = run_tar(dir, file, path);
		if (!err)
			err = add_files(dir, path);
		walk(dir, NULL, NULL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(file);
	free(dir);
	return err;
}
