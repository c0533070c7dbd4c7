/*
 * Creates, names and finishes the files of a recording. recorder_wakes.c decides when a file ends (--switch-output).
 * core/perfdata/data_writer.c writes the contents.
 */
#include "core/record/loop/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/recording_path.h"
#include "core/record/host/kcore_copy.h"

static int begin_part(const struct output *out, struct output_file *f, unsigned number)
{
	char *path = recording_part_path(f->path, number);
	struct data_writer *w;
	int err = data_writer_open_part(&w, path, out->o.zstd_level);

	if (!err)
		vec_push(&f->parts, w);
	free(path);
	return err;
}

static int keep_kernel(const struct output_file *f)
{
	char *dir = recording_kcore_path(f->path);
	int err = kcore_copy(dir);

	free(dir);
	return err;
}

/* Begins to write the file that is open as @fd, and closes @fd. Messages call the file @path. */
static int begin_data(const struct output *out, struct output_file *f, const char *path, int fd, struct event_table *events)
{
	struct data_writer_opts o = { .path = path, .fd = fd, .may_be_killed = true, .zstd_level = out->o.zstd_level,
				     .index = true };
	int err = data_writer_open(&f->writer, &o, events);

	if (fd)
		close(fd);
	return err;
}

static int begin_directory(const struct output *out, struct output_file *f, struct event_table *events)
{
	char *path, *name;
	int fd, err;

	f->path = new_dir_next_to(out->o.path);
	if (!f->path)
		return -1;
	path = recording_data_path(f->path);
	name = recording_data_path(out->o.path);
	fd = new_file_at(AT_FDCWD, path, 0600);
	err = fd < 0 ? error("cannot create '%s': %s", name, strerror(-fd)) : begin_data(out, f, name, fd, events);
	if (!err && out->o.kcore)
		err = keep_kernel(f);
	for (unsigned i = 0; i < out->o.nr_parts && !err; i++)
		err = begin_part(out, f, i);
	free(path);
	free(name);
	return err;
}

static bool is_closed_folder_of(const char *path)
{
	char *copy = xstrdup(path);
	struct stat st;
	bool is = access(dirname(copy), W_OK) && !lstat(path, &st) && S_ISREG(st.st_mode);

	free(copy);
	return is;
}

/* Writes an existing file in place, because this user can write the file, but not its folder. */
static int begin_emptied(const struct output *out, struct output_file *f, struct event_table *events)
{
	const char *path = out->o.path;
	int fd = open_emptied(path);

	f->path = xstrdup(path);
	f->in_place = true;
	if (fd < 0)
		return error("cannot write '%s': %s", path, strerror(-fd));
	warning("'%s' is overwritten: its folder cannot be written, so nothing is kept of it", path);
	return begin_data(out, f, path, fd, events);
}

/*
 * The first file has a temporary name (core/base/new_file.h) until recording has begun, so that a failed start does not replace an
 * old file. A PATH that is not a regular file, such as /dev/null, is written in place.
 */
static int begin_file(const struct output *out, struct output_file *f, struct event_table *events)
{
	struct new_file file;
	int err;

	if (is_closed_folder_of(out->o.path))
		return begin_emptied(out, f, events);
	if (new_file_open(&file, out->o.path, 0600))
		return -1;
	f->in_place = !file.name;
	f->path = xstrdup(f->in_place ? out->o.path : file.name);
	err = begin_data(out, f, out->o.path, file.fd, events);
	free(file.name);
	return err;
}

/* A file that could not be closed may be incomplete. Prints errors; returns 0 or -1. */
static int close_file(struct output_file *f)
{
	int err = data_writer_close(f->writer);

	vec_for(part, &f->parts)
		if (data_writer_close(*part))
			err = -1;
	vec_free(&f->parts);
	free(f->path);
	*f = (struct output_file){0};
	return err;
}

static void abandon(struct output_file *f)
{
	if (f->path && !f->in_place && recording_remove(f->path))
		debug(1, "cannot remove '%s': %s", f->path, strerror(errno));
	close_file(f);
}

/* Begins a file: with a temporary name, or in place. */
static int begin(struct output *out, struct output_file *f, struct event_table *events)
{
	int err;

	*f = (struct output_file){ .in_place = str_eq(out->o.path, "-") };
	if (out->o.nr_parts || out->o.kcore)
		err = begin_directory(out, f, events);
	else if (f->in_place) {
		f->path = xstrdup(out->o.path);
		err = begin_data(out, f, f->path, 0, events);
	} else {
		err = begin_file(out, f, events);
	}
	if (err)
		abandon(f);
	return err;
}

int output_open(struct output *out, const struct output_opts *o, struct event_table *events)
{
	*out = (struct output){ .o = *o };
	if (o->kcore && kcore_check())
		return -1;
	if (!str_eq(o->path, "-") && ((!o->timestamp && recording_check_place(o->path)) || recording_check_old(o->path)))
		return -1;
	return begin(out, &out->file, events);
}

static int move(const char *from, const char *to)
{
	int err = rename_over(from, to);

	return err ? error("cannot rename '%s' to '%s': %s", from, to, strerror(-err)) : 0;
}

/* Gives the current file the output's own name. */
static int use_own_name(struct output *out)
{
	if (move(out->file.path, out->o.path))
		return -1;
	free(out->file.path);
	out->file.path = xstrdup(out->o.path);
	return 0;
}

int output_begun(struct output *out)
{
	if (str_eq(out->file.path, out->o.path))
		return 0;
	return recording_keep_old(out->o.path) ? -1 : use_own_name(out);
}

int output_begin_next(struct output *out, struct event_table *events)
{
	return begin(out, &out->next, events);
}

struct data_writer *output_writer(const struct output *out, size_t i)
{
	return out->file.parts.nr ? out->file.parts.v[i] : out->file.writer;
}

#define LEAST_ROOM	4096u

void output_keep_room(struct output *out, uint64_t bytes)
{
	if (bytes <= out->room_wanted || out->file.in_place)
		return;
	out->room_wanted = bytes;
	if (!out->room)
		out->room = unnamed_file_next_to(out->o.path);
	if (out->room < 0)
		return;
	for (; bytes > out->room_bytes && bytes >= LEAST_ROOM; bytes /= 2)
		if (!posix_fallocate(out->room, 0, (off_t)bytes)) {
			out->room_bytes = bytes;
			return;
		}
}

void output_give_room(struct output *out, uint64_t left)
{
	if (out->room <= 0 || left >= out->room_bytes)
		return;
	if (ftruncate(out->room, (off_t)left))
		debug(1, "cannot give back the room of '%s': %s", out->o.path, strerror(errno));
	out->room_bytes = out->room_wanted = left;
}

int output_finish_file(struct output *out, struct features *f, struct event_table *events)
{
	output_give_room(out, 0);
	vec_for(part, &out->file.parts)
		data_writer_count_part(out->file.writer, *part);
	if (out->file.parts.nr) {
		f->dir_version = DIR_VERSION;
		f->has[FEATURE_DIR_FORMAT] = true;
	}
	return data_writer_finish(out->file.writer, f, events);
}

/* Returns PATH.YYYYMMDDhhmmssNN (local time, NN: hundredths of a second), the name of a finished file of --switch-output. */
static char *name_at(const char *path, struct timespec t)
{
	char text[32];
	struct tm tm;

	localtime_r(&t.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02ld", path, text, t.tv_nsec / 10000000);
}

/* A name that is not taken: if two files end in one hundredth of a second, the next one. Owned by the caller. */
static char *new_name(const char *path)
{
	struct timespec now;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	for (;;) {
		name = name_at(path, now);
		if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW))
			return name;
		free(name);
		now.tv_nsec += 10000000;
		if (now.tv_nsec >= 1000000000) {
			now.tv_nsec -= 1000000000;
			now.tv_sec++;
		}
	}
}

/* Removes the oldest file. Another process may have removed it already, such as the command of --on-file. */
static void remove_oldest(struct output *out)
{
	int err = recording_remove(out->files.v[0]);

	if (err && err != -ENOENT)
		warning("cannot remove '%s': %s", out->files.v[0], strerror(-err));
	free(out->files.v[0]);
	out->files.nr--;
	memmove(out->files.v, out->files.v + 1, out->files.nr * sizeof(*out->files.v));
}

void output_remove_old(struct output *out, size_t in_use)
{
	while (out->o.max_files && out->files.nr > MAX(out->o.max_files, in_use))
		remove_oldest(out);
}

/* Gives a finished file the name that it keeps. */
static int name_file(struct output *out, const char *path, bool renamed)
{
	char *name = renamed ? new_name(out->o.path) : xstrdup(path);
	int err = renamed ? move(path, name) : 0;

	free(out->last);
	out->last = err ? xstrdup(path) : xstrdup(name);
	if (renamed && !err) {
		vec_push(&out->files, xstrdup(name));
		output_remove_old(out, out->in_use + 1);
	}
	free(name);
	return err;
}

int output_close_file(struct output *out)
{
	bool renamed = out->o.timestamp && !out->file.in_place;
	char *path = xstrdup(out->file.path);
	int err;

	out->done_bytes = output_bytes(out);
	err = close_file(&out->file);
	if (name_file(out, path, renamed))
		err = -1;
	free(path);
	return err;
}

/* The next file takes the output's own name, unless the closed file could not be renamed and still has it. */
int output_next(struct output *out)
{
	int err = output_close_file(out);

	out->file = out->next;
	out->next = (struct output_file){0};
	return str_eq(out->last, out->o.path) || use_own_name(out) ? -1 : err;
}

void output_discard(struct output *out)
{
	abandon(&out->file);
}

void output_release(struct output *out)
{
	/* A file that did not begin is removed. */
	if (out->file.path && !str_eq(out->file.path, out->o.path))
		abandon(&out->file);
	close_file(&out->file);
	close_file(&out->next);
	vec_for(name, &out->files)
		free(*name);
	vec_free(&out->files);
	if (out->room > 0)
		close(out->room);
	free(out->last);
	*out = (struct output){0};
}

static uint64_t data_bytes(const struct output *out)
{
	uint64_t bytes = data_writer_size(out->file.writer);

	vec_for(part, &out->file.parts)
		bytes += data_writer_size(*part);
	return bytes;
}

bool output_file_is_full(const struct output *out)
{
	return out->o.rotate_bytes && data_bytes(out) >= out->o.rotate_bytes;
}

uint64_t output_bytes(const struct output *out)
{
	const struct data_writer *w = out->file.writer;

	return out->done_bytes + (w ? data_writer_offset(w) - data_writer_size(w) + data_bytes(out) : 0);
}

bool output_is_full(const struct output *out)
{
	return out->o.max_bytes && output_bytes(out) >= out->o.max_bytes;
}
