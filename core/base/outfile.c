/*
 * Buffers the output of a command, and writes it to standard output or to a new file (new_file.h). The new file replaces an old
 * one of its name only when the output is complete.
 */
#include "core/base/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"

#define MUCH (1u << 20)

/* True if @path, such as /dev/stdout, leads to the file that is standard output. This file is not replaced. */
static bool is_standard_output(const char *path)
{
	struct stat st, own;

	return is_written_in_place(path) && !stat(path, &st) && !fstat(STDOUT_FILENO, &own) && st.st_dev == own.st_dev &&
	       st.st_ino == own.st_ino && S_ISREG(st.st_mode);
}

int outfile_open(struct outfile *o, const char *path)
{
	struct stat st;

	*o = (struct outfile){ .path = path && !str_eq(path, "-") && !is_standard_output(path) ? path : NULL };
	o->file.fd = STDOUT_FILENO;
	if (!o->path)
		return 0;
	if (!lstat(path, &st) && S_ISDIR(st.st_mode))
		return error("cannot write '%s': it is a directory", path);
	return new_file_open(&o->file, path, 0666);
}

static void write_out(struct outfile *o)
{
	if (!o->err)
		o->err = write_buf(o->file.fd, &o->buf);
	o->buf.len = 0;
}

void outfile_maybe_flush(struct outfile *o)
{
	if (o->buf.len >= MUCH)
		write_out(o);
}

void outfile_abandon(struct outfile *o)
{
	if (o->path)
		new_file_release(&o->file);
	buf_release(&o->buf);
	*o = (struct outfile){ .file.fd = -1 };
}

int outfile_close(struct outfile *o)
{
	int err;

	write_out(o);
	if (o->path && !o->err)
		o->err = new_file_place(&o->file);
	err = o->err;
	if (err && o->path)
		error("cannot write '%s': %s", o->path, strerror(-err));
	else if (err)
		error("cannot write to standard output: %s", strerror(-err));
	outfile_abandon(o);
	return err ? -1 : 0;
}

int check_output(int err)
{
	return err && err != -EPIPE ? error("cannot write 'standard output': %s", strerror(-err)) : 0;
}
