/*
 * A file is written under the output's own name and renamed when it is finished: PATH.YYYYMMDDhhmmssNN, NN being
 * hundredths of a second, in local time. So a name with a time is always a whole file.
 * Layer: events
 */
#include "core/events/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/format/data_writer.h"
#include "core/format/feature.h"
#include "core/format/recording_path.h"

static int begin_part(struct output *out, unsigned number)
{
	char *path = recording_part_path(out->o.path, number);
	struct data_writer *w;
	int err = data_writer_open_part(&w, path, out->o.zstd_level);

	if (!err)
		vec_push(&out->parts, w);
	free(path);
	return err;
}

static int begin_directory(struct output *out, struct event_table *events)
{
	char *path = recording_data_path(out->o.path);
	struct data_writer_opts o = { .path = path, .zstd_level = out->o.zstd_level };
	int err = mkdir(out->o.path, 0700) ? error("cannot create directory '%s': %s", out->o.path, strerror(errno)) : 0;

	if (!err)
		err = data_writer_open(&out->writer, &o, events);
	for (unsigned i = 0; i < out->o.nr_parts && !err; i++)
		err = begin_part(out, i);
	free(path);
	return err;
}

static int begin_file(struct output *out, struct event_table *events)
{
	struct data_writer_opts o = { .path = out->o.path, .zstd_level = out->o.zstd_level };

	return out->o.nr_parts ? begin_directory(out, events) : data_writer_open(&out->writer, &o, events);
}

int output_open(struct output *out, const struct output_opts *o, struct event_table *events)
{
	*out = (struct output){ .o = *o };
	if (!str_eq(o->path, "-"))
		recording_keep_old(o->path);
	return begin_file(out, events);
}

int output_next(struct output *out, struct event_table *events)
{
	return begin_file(out, events);
}

struct data_writer *output_writer(const struct output *out, size_t i)
{
	return out->parts.nr ? out->parts.v[i] : out->writer;
}

int output_finish_file(struct output *out, struct features *f, struct event_table *events)
{
	vec_for(part, &out->parts)
		data_writer_count_part(out->writer, *part);
	if (out->parts.nr) {
		f->dir_version = DIR_VERSION;
		f->has[FEATURE_DIR_FORMAT] = true;
	}
	return data_writer_finish(out->writer, f, events);
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

static void remove_oldest(struct output *out)
{
	int err;

	if (!out->o.max_files || out->files.nr <= out->o.max_files)
		return;
	err = recording_remove(out->files.v[0]);
	if (err)
		warning("cannot remove '%s': %s", out->files.v[0], strerror(-err));
	free(out->files.v[0]);
	out->files.nr--;
	memmove(out->files.v, out->files.v + 1, out->files.nr * sizeof(*out->files.v));
}

static void close_writers(struct output *out)
{
	data_writer_close(out->writer);
	out->writer = NULL;
	vec_for(part, &out->parts)
		data_writer_close(*part);
	out->parts.nr = 0;
}

int output_close_file(struct output *out)
{
	char *name;

	out->done_bytes = output_bytes(out);
	out->nr_files++;
	close_writers(out);
	name = out->o.timestamp ? new_name(out->o.path) : xstrdup(out->o.path);
	free(out->last);
	out->last = name;
	if (!out->o.timestamp)
		return 0;
	if (rename(out->o.path, name))
		return error("cannot rename '%s' to '%s': %s", out->o.path, name, strerror(errno));
	vec_push(&out->files, xstrdup(name));
	remove_oldest(out);
	return 0;
}

void output_release(struct output *out)
{
	close_writers(out);
	vec_free(&out->parts);
	vec_for(name, &out->files)
		free(*name);
	vec_free(&out->files);
	free(out->last);
	*out = (struct output){0};
}

static uint64_t data_bytes(const struct output *out)
{
	uint64_t bytes = data_writer_size(out->writer);

	vec_for(part, &out->parts)
		bytes += data_writer_size(*part);
	return bytes;
}

bool output_file_is_full(const struct output *out)
{
	return out->o.rotate_bytes && data_bytes(out) >= out->o.rotate_bytes;
}

uint64_t output_bytes(const struct output *out)
{
	uint64_t header = out->writer ? data_writer_offset(out->writer) - data_writer_size(out->writer) : 0;

	return out->done_bytes + (out->writer ? header + data_bytes(out) : 0);
}

bool output_is_full(const struct output *out)
{
	return out->o.max_bytes && output_bytes(out) >= out->o.max_bytes;
}
