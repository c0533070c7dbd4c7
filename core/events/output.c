/*
 * A file is written under the output's own name and renamed when it is finished: PATH.YYYYMMDDhhmmssNN, NN being
 * hundredths of a second, in local time. So a name with a time is always a whole file.
 * Layer: events
 */
#include "core/events/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/format/data_writer.h"

static int begin_file(struct output *out, struct event_table *events, bool keep_old)
{
	struct data_writer_opts o = { .path = out->o.path, .keep_old = keep_old, .zstd_level = out->o.zstd_level };

	return data_writer_open(&out->writer, &o, events);
}

int output_open(struct output *out, const struct output_opts *o, struct event_table *events)
{
	*out = (struct output){ .o = *o };
	return begin_file(out, events, true);
}

int output_next(struct output *out, struct event_table *events)
{
	return begin_file(out, events, false);
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
	if (!out->o.max_files || out->files.nr <= out->o.max_files)
		return;
	if (unlink(out->files.v[0]))
		warning("cannot remove '%s': %s", out->files.v[0], strerror(errno));
	free(out->files.v[0]);
	out->files.nr--;
	memmove(out->files.v, out->files.v + 1, out->files.nr * sizeof(*out->files.v));
}

int output_close_file(struct output *out)
{
	char *name;

	out->done_bytes += data_writer_offset(out->writer);
	out->nr_files++;
	data_writer_close(out->writer);
	out->writer = NULL;
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
	data_writer_close(out->writer);
	vec_for(name, &out->files)
		free(*name);
	vec_free(&out->files);
	free(out->last);
	*out = (struct output){0};
}

bool output_file_is_full(const struct output *out)
{
	return out->o.rotate_bytes && data_writer_size(out->writer) >= out->o.rotate_bytes;
}

uint64_t output_bytes(const struct output *out)
{
	return out->done_bytes + (out->writer ? data_writer_offset(out->writer) : 0);
}

bool output_is_full(const struct output *out)
{
	return out->o.max_bytes && output_bytes(out) >= out->o.max_bytes;
}
