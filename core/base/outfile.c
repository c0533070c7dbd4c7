/* Files that are complete or not there. Layer: base */
#include "core/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"

#define MUCH (1u << 20)

/* Is there something that is no file, such as a pipe? Then it is written as it is. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int open_special(struct outfile *o, const char *path)
{
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? error("cannot write '%s': %s", path, strerror(errno)) : 0;
}

/* Of a symbolic link what it leads to is replaced, not the link. */
static int open_file(struct outfile *o, const char *path)
{
	char *real = realpath(path, NULL);

	o->name = real ? real : xstrdup(path);
	o->temporary = xasprintf("%s.tmp", o->name);
	o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (o->fd >= 0)
		return 0;
	error("cannot write '%s': %s (it is made as '%s')", path, strerror(errno), o->temporary);
	free(o->name);
	free(o->temporary);
	return -1;
}

int outfile_open(struct outfile *o, const char *path)
{
	*o = (struct outfile){ .path = path && !str_eq(path, "-") ? path : NULL, .fd = STDOUT_FILENO };
	if (!o->path)
		return 0;
	if (is_directory(path))
		return error("cannot write '%s': it is a directory", path);
	return is_special(path) ? open_special(o, path) : open_file(o, path);
}

static void write_out(struct outfile *o)
{
	if (!o->err)
		o->err = write_buf(o->fd, &o->buf);
	o->buf.len = 0;
}

void outfile_some(struct outfile *o)
{
	if (o->buf.len >= MUCH)
		write_out(o);
}

static void outfile_release(struct outfile *o)
{
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	buf_release(&o->buf);
	free(o->name);
	free(o->temporary);
	*o = (struct outfile){ .fd = -1 };
}

void outfile_abandon(struct outfile *o)
{
	if (o->temporary)
		unlink(o->temporary);
	outfile_release(o);
}

int outfile_close(struct outfile *o)
{
	int err;

	write_out(o);
	/* A file system may tell only now that there was no room. */
	if (o->path && close(o->fd) && !o->err)
		o->err = -errno;
	if (o->path)
		o->fd = -1;
	if (!o->err && o->temporary && rename(o->temporary, o->name))
		o->err = -errno;
	err = o->err;
	if (!err) {
		outfile_release(o);
		return 0;
	}
	if (o->path)
		error("cannot write '%s': %s", o->path, strerror(-err));
	else
		error("cannot write to standard output: %s", strerror(-err));
	outfile_abandon(o);
	return -1;
}
