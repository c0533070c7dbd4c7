/*
 * A file begins as PATH.next. It takes the output's own name when recording has begun, so that a start that fails
 * leaves what was there, or when the one before is closed: where it cannot be begun, that one goes on. With
 * --switch-output it is renamed when it is finished: PATH.YYYYMMDDhhmmssNN, NN being hundredths of a second, in local
 * time. So a name with a time is always a whole file. What is no file, such as /dev/null, is written as it is.
 * Layer: record
 */
#include "core/record/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/format/data_writer.h"
#include "core/format/feature.h"
#include "core/format/recording_path.h"
#include "core/host/kcore_copy.h"

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

static int begin_directory(const struct output *out, struct output_file *f, struct event_table *events)
{
	char *path = recording_data_path(f->path), *name = recording_data_path(out->o.path);
	struct data_writer_opts o = { .path = path, .name = name, .may_be_killed = true, .zstd_level = out->o.zstd_level };
	int err = mkdir(f->path, 0700) ? error("cannot create directory '%s': %s", f->path, strerror(errno)) : 0;

	if (!err)
		err = data_writer_open(&f->writer, &o, events);
	if (!err && out->o.kcore)
		err = keep_kernel(f);
	for (unsigned i = 0; i < out->o.nr_parts && !err; i++)
		err = begin_part(out, f, i);
	free(path);
	free(name);
	return err;
}

/* @path is taken over. */
static int begin_file(const struct output *out, struct output_file *f, char *path, struct event_table *events)
{
	struct data_writer_opts o = { .path = path, .name = out->o.path, .may_be_killed = true,
				      .zstd_level = out->o.zstd_level };

	*f = (struct output_file){ .path = path };
	return out->o.nr_parts || out->o.kcore ? begin_directory(out, f, events) : data_writer_open(&f->writer, &o, events);
}

/* What could not be closed may not be there. Prints errors; returns 0 or -1. */
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
	if (f->path && recording_remove(f->path))
		debug(1, "cannot remove '%s': %s", f->path, strerror(errno));
	close_file(f);
}

/* Begin a file that stands by. */
static int begin_next(struct output *out, struct output_file *f, struct event_table *events)
{
	char *path = xasprintf("%s.next", out->o.path);
	int err;

	recording_remove(path);		/* of a recorder that was killed right then */
	err = begin_file(out, f, path, events);
	if (err)
		abandon(f);
	return err;
}

static bool is_writable_folder_of(const char *path)
{
	char *copy = xstrdup(path);
	bool is = !access(dirname(copy), W_OK);

	free(copy);
	return is;
}

/* Can another file take this name? */
static bool is_replaceable(const char *path)
{
	struct stat st;

	if (str_eq(path, "-") || !is_writable_folder_of(path))
		return false;
	return stat(path, &st) || S_ISREG(st.st_mode) || recording_is_dir(path);
}

int output_open(struct output *out, const struct output_opts *o, struct event_table *events)
{
	*out = (struct output){ .o = *o };
	if (o->kcore && kcore_check())
		return -1;
	if (is_replaceable(o->path))
		return begin_next(out, &out->file, events);
	if (!str_eq(o->path, "-"))
		recording_keep_old(o->path);
	return begin_file(out, &out->file, xstrdup(o->path), events);
}

static int move(const char *from, const char *to)
{
	return rename(from, to) ? error("cannot rename '%s' to '%s': %s", from, to, strerror(errno)) : 0;
}

/* Let the file that is written have the output's own name. */
static int take_own_name(struct output *out)
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
	recording_keep_old(out->o.path);
	return take_own_name(out);
}

int output_begin_next(struct output *out, struct event_table *events)
{
	return begin_next(out, &out->next, events);
}

struct data_writer *output_writer(const struct output *out, size_t i)
{
	return out->file.parts.nr ? out->file.parts.v[i] : out->file.writer;
}

int output_finish_file(struct output *out, struct features *f, struct event_table *events)
{
	vec_for(part, &out->file.parts)
		data_writer_count_part(out->file.writer, *part);
	if (out->file.parts.nr) {
		f->dir_version = DIR_VERSION;
		f->has[FEATURE_DIR_FORMAT] = true;
	}
	return data_writer_finish(out->file.writer, f, events);
}

static char *name_at(const char *path, struct timespec t)
{
	char text[32];
	struct tm tm;

	localtime_r(&t.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02ld", path, text, t.tv_nsec / 10000000);
}

/* A name that is not taken: where two files end in one hundredth of a second, the next one. Owned by the caller. */
static char *new_name(const char *path)
{
	struct timespec now;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	for (;;) {
		name = name_at(path, now);
		if (access(name, F_OK))
			return name;
		free(name);
		now.tv_nsec += 10000000;
		if (now.tv_nsec >= 1000000000) {
			now.tv_nsec -= 1000000000;
			now.tv_sec++;
		}
	}
}

/* Somebody else may have removed it: who was given it. */
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

/* Give a finished file the name that it keeps. */
static int name_file(struct output *out, const char *path)
{
	char *name = out->o.timestamp ? new_name(out->o.path) : xstrdup(path);
	int err = out->o.timestamp ? move(path, name) : 0;

	free(out->last);
	out->last = err ? xstrdup(path) : xstrdup(name);
	if (out->o.timestamp && !err) {
		vec_push(&out->files, xstrdup(name));
		output_remove_old(out, out->in_use + 1);
	}
	free(name);
	return err;
}

int output_close_file(struct output *out)
{
	char *path = xstrdup(out->file.path);
	int err;

	out->done_bytes = output_bytes(out);
	out->nr_files++;
	err = close_file(&out->file);
	if (name_file(out, path))
		err = -1;
	free(path);
	return err;
}

/* The next file takes the output's own name, unless one that could not be renamed has it still. */
int output_next(struct output *out)
{
	int err = output_close_file(out);

	out->file = out->next;
	out->next = (struct output_file){0};
	return str_eq(out->last, out->o.path) || take_own_name(out) ? -1 : err;
}

void output_discard(struct output *out)
{
	abandon(&out->file);
}

void output_release(struct output *out)
{
	/* One that did not begin is nobody's. */
	if (out->file.path && !str_eq(out->file.path, out->o.path))
		abandon(&out->file);
	close_file(&out->file);
	close_file(&out->next);
	vec_for(name, &out->files)
		free(*name);
	vec_free(&out->files);
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
