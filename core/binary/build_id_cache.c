/*
 * Adds, lists and removes the copies of binaries in perf's cache ~/.debug, by build id. build_id_cache.h describes the files of
 * the cache.
 */
#include "core/binary/build_id_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/util.h"
#include "core/base/vec.h"

#define LINKS		".build-id"
#define LINES		".lines"
#define NAME_SIZE	4096
#define COPY_CHUNK	(1u << 20)

/* ---- directories ---- */

/* Returns 0 if only this user can write to the directory @fd, because others could place symbolic links in it. */
static int check_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

/* The directory @name in @dir, made if wanted. Returns a descriptor, owned by the caller, or -errno. */
static int enter(int dir, const char *name, bool make)
{
	int fd, err;

	if (make && mkdirat(dir, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	err = check_owner(fd);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* The same for a relative path of several directories, which must not have "..". */
static int enter_path(int dir, const char *path, bool make)
{
	char *copy = xstrdup(path), *rest = copy, *name;
	int fd = dup(dir), next;

	while (fd >= 0 && (name = strsep(&rest, "/"))) {
		if (!*name || str_eq(name, "."))
			continue;
		next = str_eq(name, "..") ? -EPERM : enter(fd, name, make);
		close(fd);
		fd = next;
	}
	free(copy);
	return fd;
}

int build_id_cache_open(struct build_id_cache *c, bool make)
{
	const char *home = getenv("HOME");
	int dir = home && *home ? open(home, O_PATH | O_DIRECTORY | O_CLOEXEC | link_flags(home)) : -1;

	c->fd = -1;
	if (dir < 0)
		return -ENOENT;
	c->fd = enter(dir, ".debug", make);
	close(dir);
	return MIN(c->fd, 0);
}

void build_id_cache_close(struct build_id_cache *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* ---- names ---- */

/* Writes the path "NAME/BUILDID" below the cache. Returns false if @name cannot be part of a path. */
static bool place_of(const char *name, const struct build_id *id, char out[NAME_SIZE])
{
	static const char deleted[] = " (deleted)";
	char text[BUILD_ID_TEXT];
	size_t n = strlen(name), end = sizeof(deleted) - 1;

	while (*name == '/')
		name++, n--;
	if (n > end && str_eq(name + n - end, deleted))
		n -= end;
	if (!n || id->size < 2 || strstr(name, "..") || *name == '.')
		return false;
	return snprintf(out, NAME_SIZE, "%.*s/%s", (int)n, name, build_id_text(id, text)) < NAME_SIZE;
}

/* Opens the directory .build-id/xx for the first byte of the build id; *leaf is the text of the other bytes. Returns as enter(). */
static int enter_links(const struct build_id_cache *c, const char *text, bool make, const char **leaf)
{
	char dir[sizeof(LINKS) + 4];

	snprintf(dir, sizeof(dir), LINKS "/%.2s", text);
	*leaf = text + 2;
	return enter_path(c->fd, dir, make);
}

/* Reads the target of the link @leaf in @links into @out, as a path below the cache. Returns 0 or -errno. */
static int read_link(int links, const char *leaf, char out[NAME_SIZE])
{
	static const char up[] = "../../";
	char target[NAME_SIZE];
	ssize_t n = readlinkat(links, leaf, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (!str_starts(target, up))
		return -EPERM;
	snprintf(out, NAME_SIZE, "%s", target + sizeof(up) - 1);
	return 0;
}

/* ---- adding ---- */

static int copy_bytes(int to, int from)
{
	struct stat st;
	uint8_t *chunk;
	uint64_t at = 0;
	int64_t n = 1;
	int err = 0;

	if (!ioctl(to, FICLONE, from))
		return 0;
	if (fstat(from, &st))
		return -errno;
	while (at < (uint64_t)st.st_size && (n = copy_file_range(from, &(off_t){ (off_t)at }, to, NULL, COPY_CHUNK, 0)) > 0)
		at += (uint64_t)n;
	if (at || !st.st_size)
		return at == (uint64_t)st.st_size ? 0 : n < 0 ? -errno : -EIO;
	/* copy_file_range() fails between file systems on old kernels, and for some file systems. */
	chunk = xmalloc(COPY_CHUNK);
	while (!err && (n = read_at(from, chunk, COPY_CHUNK, at)) > 0) {
		err = write_all(to, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	free(chunk);
	return err ? err : (int)MIN(n, 0);
}

/* Returns 0 if the file has the build id, or -errno. */
static int has_id(int fd, const struct build_id *id)
{
	char path[64];
	struct build_id own;
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = build_id_of_file(&own, path);
	return err == -EMFILE ? err : !err && build_id_equal(&own, id) ? 0 : -EINVAL;
}

#define LEAF_NAME_SIZE	32

/* The name of a file that is not complete. No other user can write in the directory, so a known name is safe. */
static void begun_name(char name[LEAF_NAME_SIZE])
{
	snprintf(name, LEAF_NAME_SIZE, ".leaf.%d", (int)getpid());
}

/* Makes a file in @dir, to be ended with end_leaf(). Returns a descriptor or -errno. */
static int begin_leaf(int dir, unsigned mode)
{
	char name[LEAF_NAME_SIZE];

	begun_name(name);
	unlinkat(dir, name, 0);
	return new_file_at(dir, name, mode);
}

/* Closes @fd, and gives the file its name, or with @err removes it. Returns @err, or -errno. */
static int end_leaf(int dir, int fd, const char *leaf, int err)
{
	char name[LEAF_NAME_SIZE];

	begun_name(name);
	if (!err && renameat(dir, name, dir, leaf))
		err = -errno;
	if (err)
		unlinkat(dir, name, 0);
	close(fd);
	return err;
}

/* Copies the file to "elf" in @dir. The name appears only when the copy is complete. */
static int copy_into(int dir, int fd, const struct build_id *id)
{
	int to = begin_leaf(dir, 0700), err;

	if (to < 0)
		return to;
	err = copy_bytes(to, fd);
	/* If the file was changed since it was recorded, the copy does not have the code that ran. */
	if (!err)
		err = has_id(to, id);
	return end_leaf(dir, to, "elf", err);
}

static int add_link(const struct build_id_cache *c, const char *place, const struct build_id *id)
{
	char text[BUILD_ID_TEXT], target[NAME_SIZE + 8], old[NAME_SIZE];
	const char *leaf;
	int links = enter_links(c, build_id_text(id, text), true, &leaf), err = 0;

	if (links < 0)
		return links;
	snprintf(target, sizeof(target), "../../%s", place);
	if (read_link(links, leaf, old) || !str_eq(old, place)) {
		unlinkat(links, leaf, 0);
		err = symlinkat(target, links, leaf) ? -errno : 0;
	}
	close(links);
	return err;
}

static void mark_kept(int dir)
{
	int fd = new_file_at(dir, "kept", 0600);

	if (fd >= 0)
		close(fd);
	else if (fd == -EEXIST)
		utimensat(dir, "kept", NULL, AT_SYMLINK_NOFOLLOW);
}

/* Uses an existing copy. If @kept, marks it as recently used; else removes the mark, so that record will not remove the copy. */
static bool use_again(const struct build_id_cache *c, const struct build_id *id, bool kept)
{
	char text[BUILD_ID_TEXT], place[NAME_SIZE];
	const char *leaf;
	int links = enter_links(c, build_id_text(id, text), false, &leaf);
	int err = links < 0 ? links : read_link(links, leaf, place), dir = err ? -1 : enter_path(c->fd, place, false);
	bool there = dir >= 0 && !faccessat(dir, "elf", F_OK, AT_SYMLINK_NOFOLLOW);

	if (there && kept)
		utimensat(dir, "kept", NULL, AT_SYMLINK_NOFOLLOW);
	else if (there)
		unlinkat(dir, "kept", 0);
	if (links >= 0)
		close(links);
	if (dir >= 0)
		close(dir);
	return there;
}

/* Removes the directories that are empty now, from the innermost on. */
static void remove_empty(const struct build_id_cache *c, char *place)
{
	char *slash;
	int parent, err;

	while ((slash = strrchr(place, '/'))) {
		*slash = '\0';
		parent = enter_path(c->fd, place, false);
		if (parent < 0)
			return;
		err = unlinkat(parent, slash + 1, AT_REMOVEDIR);
		close(parent);
		if (err)
			return;
	}
	unlinkat(c->fd, place, AT_REMOVEDIR);
}

int build_id_cache_add(const struct build_id_cache *c, const char *name, const struct build_id *id, int fd, bool kept)
{
	char place[NAME_SIZE];
	int dir, err;

	if (!place_of(name, id, place))
		return -ENAMETOOLONG;
	if (use_again(c, id, kept))
		return 0;
	dir = enter_path(c->fd, place, true);
	if (dir < 0)
		return dir;
	err = copy_into(dir, fd, id);
	if (!err && kept)
		mark_kept(dir);
	close(dir);
	if (err)
		remove_empty(c, place);
	else
		err = add_link(c, place, id);
	return err ? err : 1;
}

/* ---- files of a kernel's own description ---- */

bool build_id_cache_has_leaf(const struct build_id_cache *c, const char *name, const char *leaf, const struct build_id *id,
			     int64_t since)
{
	char place[NAME_SIZE];
	int dir = place_of(name, id, place) ? enter_path(c->fd, place, false) : -1;
	struct stat st;
	bool there = dir >= 0 && !fstatat(dir, leaf, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_size &&
		     st.st_mtime >= since;

	if (dir >= 0)
		close(dir);
	return there;
}

int build_id_cache_write(int dir, const char *leaf, const void *data, size_t size)
{
	int fd = begin_leaf(dir, 0600);

	return fd < 0 ? fd : end_leaf(dir, fd, leaf, write_all(fd, data, size));
}

int build_id_cache_put_leaf(const struct build_id_cache *c, const char *name, const char *leaf, const struct build_id *id,
			    const void *data, size_t size)
{
	char place[NAME_SIZE];
	int dir = place_of(name, id, place) ? enter_path(c->fd, place, true) : -ENAMETOOLONG, err;

	if (dir < 0)
		return dir;
	err = build_id_cache_write(dir, leaf, data, size);
	close(dir);
	if (err)
		remove_empty(c, place);
	else
		err = add_link(c, place, id);
	return err;
}

int build_id_cache_lines(const struct build_id_cache *c, bool make)
{
	return enter(c->fd, LINES, make);
}

/* ---- removing ---- */

int build_id_cache_remove(const struct build_id_cache *c, const struct build_id *id)
{
	static const char *const leaves[] = { "elf", "kept", "debug", "vdso", "kallsyms", "probes" };
	char text[BUILD_ID_TEXT], place[NAME_SIZE];
	const char *leaf;
	int links = enter_links(c, build_id_text(id, text), false, &leaf);
	int err = links < 0 ? links : read_link(links, leaf, place), dir;

	if (!err && unlinkat(links, leaf, 0))
		err = -errno;
	if (links >= 0)
		close(links);
	dir = err ? err : enter_path(c->fd, place, false);
	if (dir < 0)
		return dir;
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++)
		unlinkat(dir, leaves[i], 0);
	close(dir);
	remove_empty(c, place);
	return 0;
}

/* ---- what is there ---- */

static bool id_of_text(const char *first, const char *rest, struct build_id *out)
{
	char text[BUILD_ID_TEXT + 1];
	unsigned byte;
	int n = snprintf(text, sizeof(text), "%s%s", first, rest);

	*out = (struct build_id){0};
	if (n < 4 || n % 2 || n > 2 * BUILD_ID_MAX || strspn(text, "0123456789abcdef") != (size_t)n)
		return false;
	for (; out->size < n / 2; out->size++) {
		sscanf(text + 2 * out->size, "%2x", &byte);
		out->data[out->size] = (uint8_t)byte;
	}
	return true;
}

static void report_entry(const struct build_id_cache *c, int links, const char *first, const char *leaf,
			 build_id_cache_each_fn *each, void *ctx)
{
	struct cached_file f = {0};
	char place[NAME_SIZE], *slash;
	struct stat st;
	int dir;

	if (!id_of_text(first, leaf, &f.id) || read_link(links, leaf, place))
		return;
	dir = enter_path(c->fd, place, false);
	if (dir < 0)
		return;
	if (!fstatat(dir, "elf", &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		f.size = (uint64_t)st.st_size;
	f.kept = !fstatat(dir, "kept", &st, AT_SYMLINK_NOFOLLOW);
	if (f.kept)
		f.used_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	close(dir);
	slash = strrchr(place, '/');
	if (slash)
		*slash = '\0';
	f.name = place;
	each(ctx, &f);
}

struct names { VEC(char *) list; };

ORDER(compare_names, char *, strcmp(*a, *b))

/* Returns the names in the directory @fd, sorted, without those that begin with a dot. Closes @fd. */
static struct names list(int fd)
{
	struct names names = {0};
	DIR *dir = fdopendir(fd);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (*d->d_name != '.')
			vec_push(&names.list, xstrdup(d->d_name));
	if (dir)
		closedir(dir);
	else
		close(fd);
	vec_sort(&names.list, compare_names);
	return names;
}

static void names_release(struct names *names)
{
	vec_for(name, &names->list)
		free(*name);
	vec_free(&names->list);
}

int build_id_cache_each(const struct build_id_cache *c, build_id_cache_each_fn *each, void *ctx)
{
	int links = enter(c->fd, LINKS, false), dir;
	struct names first, rest;

	if (links < 0)
		return links == -ENOENT ? 0 : links;
	first = list(dup(links));
	vec_for(f, &first.list) {
		dir = enter(links, *f, false);
		if (dir < 0)
			continue;
		rest = list(dup(dir));
		vec_for(leaf, &rest.list)
			report_entry(c, dir, *f, *leaf, each, ctx);
		names_release(&rest);
		close(dir);
	}
	names_release(&first);
	close(links);
	return 0;
}

/* ---- not too much of it ---- */

struct kept { struct build_id id; uint64_t size, used_ns; };
struct all_kept { VEC(struct kept) list; uint64_t size; };

static void add_kept(void *ctx, const struct cached_file *f)
{
	struct all_kept *all = ctx;

	if (!f->kept)
		return;
	vec_push(&all->list, (struct kept){ f->id, f->size, f->used_ns });
	all->size += f->size;
}

ORDER(compare_kept, struct kept, compare_numbers(a->used_ns, b->used_ns))

void build_id_cache_shrink(const struct build_id_cache *c, uint64_t max)
{
	struct all_kept all = {0};

	build_id_cache_each(c, add_kept, &all);
	vec_sort(&all.list, compare_kept);
	for (size_t i = 0; i < all.list.nr && all.size > max; i++)
		if (!build_id_cache_remove(c, &all.list.v[i].id))
			all.size -= all.list.v[i].size;
	vec_free(&all.list);
}
