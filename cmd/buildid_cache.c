/*
 * prec buildid-cache: lists, adds and removes the copies of binaries in perf's cache ~/.debug. core/binary/build_id_cache.c
 * reads and writes the cache.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/ui/options.h"
#include "core/base/printable.h"
#include "core/base/vec.h"
#include "core/binary/build_id_cache.h"
#include "core/model/line_cache.h"
#include "core/model/load.h"

static const char cache_usage[] = "prec buildid-cache [<options>]";

struct cache_opts {
	const char *add, *remove, *purge;
	bool list, purge_all;
	int verbose;
};

#define OPTS struct cache_opts

static const struct option_desc cache_options[] = {
	OPT_STRING('a', "add", OPTS, add, "files", "keep a copy of each of <files>, with commas between"),
	OPT_STRING('r', "remove", OPTS, remove, "files", "remove the copies of each of <files>, as they are now"),
	OPT_STRING('p', "purge", OPTS, purge, "files", "remove all copies that had the path of one of <files>, whatever build ids they have"),
	OPT_BOOL('P', "purge-all", OPTS, purge_all, "remove all copies, and what is known of lines"),
	OPT_BOOL('l', "list", OPTS, list, "print what is kept: build id and path"),
	OPT_COUNT('v', "verbose", OPTS, verbose, "say more of what is done; of the list, sizes"),
	OPT_END
};

/* One of two files with the same build id may be stripped. */
static bool differs(const struct build_id *id, int fd)
{
	char *path = cache_path(id, "elf");
	struct stat copy, file;
	bool other = path && !stat(path, &copy) && !fstat(fd, &file) && copy.st_size != file.st_size;

	free(path);
	return other;
}

static int add_file(const struct build_id_cache *c, const char *path)
{
	const char *done = "added";
	int fd = open_regular(path), err = MIN(fd, 0);
	char *real = realpath(path, NULL);
	struct build_id id;

	if (!err)
		err = build_id_of_file(&id, path);
	if (err == -ENOENT && fd >= 0)
		error("cannot keep '%s': it has no build id (link it with --build-id)", path);
	else if (!err)
		err = build_id_cache_add(c, real ? real : path, &id, fd, false);
	if (!err && fd >= 0)
		done = "had";
	if (!err && fd >= 0 && differs(&id, fd)) {
		done = "replaced the copy by";
		err = build_id_cache_remove(c, &id);
		err = err ? err : build_id_cache_add(c, real ? real : path, &id, fd, false);
	}
	if (err < 0 && (err != -ENOENT || fd < 0))
		error("cannot keep '%s': %s", path, strerror(-err));
	else if (err >= 0)
		info("%s '%s'", done, path);
	free(real);
	if (fd >= 0)
		close(fd);
	return MIN(err, 0);
}

static int remove_file(const struct build_id_cache *c, const char *path)
{
	struct build_id id;
	int err = build_id_of_file(&id, path);

	if (!err)
		err = build_id_cache_remove(c, &id);
	return err ? error("cannot remove '%s': %s", path, err == -ENOENT ? "there is no copy of it" : strerror(-err)) : 0;
}

struct search { const char *path; VEC(struct build_id) found; };	/* path NULL: any */

static void add_if_matches(void *ctx, const struct cached_file *f)
{
	struct search *s = ctx;

	if (!s->path || str_eq(f->name, s->path + (*s->path == '/')))
		vec_push(&s->found, f->id);
}

/* @path NULL: all. Returns the number removed, or -1 (printed). */
static int purge(const struct build_id_cache *c, const char *path)
{
	struct search search = { .path = path };
	int err = build_id_cache_each(c, add_if_matches, &search), nr = (int)search.found.nr;

	vec_for(id, &search.found)
		err = err ? err : build_id_cache_remove(c, id);
	vec_free(&search.found);
	return err ? error("cannot remove copies: %s", strerror(-err)) : nr;
}

static int purge_path(const struct build_id_cache *c, const char *path)
{
	char *real = realpath(path, NULL);
	int nr = purge(c, real ? real : path);

	if (!nr)
		error("no copy had the path '%s'", real ? real : path);
	free(real);
	return nr > 0 ? 0 : -1;
}

struct listing { struct buf *out; bool sizes; };

static void put_file(void *ctx, const struct cached_file *f)
{
	const struct listing *l = ctx;
	char text[BUILD_ID_TEXT];

	buf_printf(l->out, "%s ", build_id_text(&f->id, text));
	if (l->sizes)
		buf_printf(l->out, "%10" PRIu64 " %s ", f->size, f->kept ? "kept " : "added");
	/* Paths are kept without their first slash; "[kernel.kallsyms]", which perf adds, is none. */
	if (*f->name != '[')
		buf_putc(l->out, '/');
	buf_put_printable(l->out, f->name);
	buf_putc(l->out, '\n');
}

static int print_list(const struct build_id_cache *c, bool sizes)
{
	struct buf out = {0};
	int err = build_id_cache_each(c, put_file, &(struct listing){ &out, sizes });

	if (err) {
		error("cannot read ~/.debug: %s", strerror(-err));
	} else {
		err = write_buf(STDOUT_FILENO, &out);
		check_output(err);
	}
	buf_release(&out);
	return err;
}

typedef int each_file(const struct build_id_cache *c, const char *path);

static int for_files(const struct build_id_cache *c, const char *files, each_file *each)
{
	char *copy = xstrdup(files ? files : ""), *rest = copy, *path;
	int err = 0;

	while ((path = strsep(&rest, ",")))
		if (*path && each(c, path))
			err = -1;
	free(copy);
	return err;
}

static int run(const struct cache_opts *o)
{
	struct build_id_cache c;
	int err = build_id_cache_open(&c, o->add);

	if (err == -ENOENT && !o->add && !o->remove && !o->purge)
		return 0;
	if (err)
		return error("cannot use ~/.debug: %s", err == -EPERM ? "it is another user's, or others may write there" : strerror(-err));
	err |= for_files(&c, o->remove, remove_file);
	err |= for_files(&c, o->purge, purge_path);
	err |= o->purge_all && (purge(&c, NULL) < 0 || line_caches_remove());
	err |= for_files(&c, o->add, add_file);
	if (o->list && print_list(&c, o->verbose))
		err = -1;
	build_id_cache_close(&c);
	return err;
}

int cmd_buildid_cache(int argc, char **argv)
{
	struct cache_opts o = {0};
	int nr_words = 0, first = options_parse(cache_options, &o, cache_usage, true, argc, argv, &nr_words);

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (nr_words || (!o.add && !o.remove && !o.purge && !o.purge_all && !o.list))
		return usage_error("buildid-cache needs -l, -a, -r, -p or -P: %s", cache_usage);
	log_set_level(o.verbose);
	return run(&o) ? 1 : 0;
}
