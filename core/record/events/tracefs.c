/*
 * Finds tracepoints in tracefs, and reads their format files and the kernel's errors about filters. Source:
 * Documentation/trace/events.rst and ftrace.rst of Linux.
 */
#include "core/record/events/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/suggest.h"
#include "core/base/sysfs.h"
#include "core/tracepoint/tracing_data.h"

#define MOUNT_POINT "/sys/kernel/tracing"

/* ---- where ---- */

/* Finds tracefs in /proc/mounts: the second word of the line whose third is "tracefs". NULL: no such line. */
static char *mounted_elsewhere(void)
{
	struct buf b = {0};
	char *found = NULL, *save = NULL;

	if (!read_file("/proc/mounts", &b)) {
		buf_str(&b);
		for (char *line = strtok_r(b.data, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save)) {
			char *words = NULL, *where;

			strtok_r(line, " ", &words);
			where = strtok_r(NULL, " ", &words);
			if (where && words && str_starts(words, "tracefs "))
				found = xstrdup(where);
		}
	}
	buf_release(&b);
	return found;
}

char *tracefs_path(void)
{
	static const char *const usual[] = { "kernel/tracing", "kernel/debug/tracing" };

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		char *path = xasprintf("%s/%s", sysfs_root(), usual[i]), *events = xasprintf("%s/events", path);
		int gone = access(events, F_OK) && errno == ENOENT;

		free(events);
		if (!gone)
			return path;
		free(path);
	}
	return mounted_elsewhere();
}

static char *why_not(const char *tracefs, int err)
{
	if (!tracefs)
		return xstrdup("tracefs is not mounted; 'mount -t tracefs tracefs " MOUNT_POINT "' mounts it");
	if (err == EACCES || err == EPERM)
		return xasprintf("cannot read '%s': only root may; 'mount -o remount,gid=GROUP,mode=750 %s' lets a group, "
				 "until the next boot", tracefs, tracefs);
	return xasprintf("cannot read '%s': %s", tracefs, strerror(err));
}

/* ---- which ---- */

/* Returns the directory of the tracepoint @name, "system:event"; owned by the caller. */
static char *folder_of(const char *tracefs, const char *name)
{
	size_t n = strcspn(name, ":"), m = name[n] ? strcspn(name + n + 1, ":") : 0;

	return xasprintf("%s/events/%.*s/%.*s", tracefs, (int)n, name, (int)m, name[n] ? name + n + 1 : "");
}

static int add(struct tracepoints *out, const char *tracefs, const char *name)
{
	char *folder = folder_of(tracefs, name), *path = xasprintf("%s/id", folder);
	long long id;
	int err = read_int_of(path, &id);

	if (!err)
		vec_push(&out->list, (struct tracepoint){ xstrdup(name), (uint64_t)id });
	free(path);
	free(folder);
	return err;
}

/* Appends the names of tracepoints that match @pattern. Returns 0, or -errno. */
static int read_names(struct names *out, const char *tracefs, const char *pattern)
{
	char *path = xasprintf("%s/available_events", tracefs), *save = NULL;
	struct buf b = {0};
	int err = read_file(path, &b);

	buf_str(&b);
	for (char *name = err ? NULL : strtok_r(b.data, "\n", &save); name; name = strtok_r(NULL, "\n", &save))
		if (!fnmatch(pattern, name, 0))
			names_add(out, name);
	buf_release(&b);
	free(path);
	return err;
}

static int add_matching(struct tracepoints *out, const char *tracefs, const char *pattern)
{
	struct names names = {0};
	int err = read_names(&names, tracefs, pattern), nr = 0;

	vec_for(name, &names.list)
		nr += !add(out, tracefs, *name);
	names_release(&names);
	return err ? err : nr;
}

/* Returns an error message with similar names, or how to list the names. Owned by the caller. */
static char *none_is_called(const char *tracefs, const char *pattern)
{
	struct names names = {0};
	struct buf suggestions = {0};
	char *text;

	read_names(&names, tracefs, "*");
	names_suggest(&suggestions, pattern, strlen(pattern), &names);
	if (!suggestions.len)
		buf_printf(&suggestions, "; 'prec list' shows them");
	text = xasprintf("no tracepoint is called '%s'%s", pattern, buf_str(&suggestions));
	names_release(&names);
	buf_release(&suggestions);
	return text;
}

int tracepoints_find(struct tracepoints *out, const char *pattern, char **why)
{
	char *tracefs = tracefs_path();
	int nr = -ENODEV;

	if (tracefs && pattern[strcspn(pattern, "*?[")]) {
		nr = add_matching(out, tracefs, pattern);
	} else if (tracefs) {
		nr = add(out, tracefs, pattern);
		nr = nr ? nr : 1;
	}
	if (!nr || nr == -ENOENT) {
		*why = none_is_called(tracefs, pattern);
		nr = -ENOENT;
	} else if (nr < 0) {
		*why = why_not(tracefs, -nr);
	}
	free(tracefs);
	return nr;
}

void tracepoints_release(struct tracepoints *t)
{
	vec_for(p, &t->list)
		free(p->name);
	vec_free(&t->list);
}

/* ---- what they look like ---- */

struct section {
	char *tracefs;
	VEC(struct trace_text) formats;		/* system and text owned here */
};

ORDER(by_text, char *, strcmp(*a, *b))

/* True if two names mean one tracepoint. */
static bool same_tracepoint(const char *a, const char *b)
{
	char *x = folder_of("", a), *y = folder_of("", b);
	bool same = str_eq(x, y);

	free(x);
	free(y);
	return same;
}

/* Returns the contents of a file below tracefs as a string, owned by the caller; "" if it cannot be read. */
static char *text_of(const char *tracefs, const char *path)
{
	char *full = xasprintf("%s/%s", tracefs, path);
	struct buf b = {0};

	if (read_file(full, &b))
		b.len = 0;
	buf_str(&b);
	free(full);
	return b.data;
}

static void add_format(struct section *s, const char *name)
{
	char *folder = folder_of(s->tracefs, name), *path = xasprintf("%s/format", folder);
	struct buf b = {0};

	if (!read_file(path, &b))
		vec_push(&s->formats, (struct trace_text){ xstrndup(name, strcspn(name, ":")), b.data, b.len });
	free(path);
	free(folder);
}

static void write_section(struct buf *out, const struct section *s)
{
	char *page = text_of(s->tracefs, "events/header_page"), *event = text_of(s->tracefs, "events/header_event");
	char *printk = text_of(s->tracefs, "printk_formats");
	struct tracing_source source = {
		.formats = s->formats.v, .nr_formats = s->formats.nr, .header_page = page, .header_event = event,
		.printk_formats = printk, .saved_cmdlines = "", .page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};

	tracing_data_write(&source, out);
	free(page);
	free(event);
	free(printk);
}

void tracefs_section(struct buf *out, const char *const *names, size_t nr)
{
	struct section s = { .tracefs = tracefs_path() };
	const char **sorted = xmalloc((nr + 1) * sizeof(*sorted));

	memcpy(sorted, names, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_text);
	for (size_t i = 0; s.tracefs && i < nr; i++)
		if (!i || !same_tracepoint(sorted[i - 1], sorted[i]))
			add_format(&s, sorted[i]);
	if (s.tracefs)
		write_section(out, &s);
	vec_for(f, &s.formats) {
		free((char *)(uintptr_t)f->system);
		free((char *)(uintptr_t)f->text);
	}
	vec_free(&s.formats);
	free(s.tracefs);
	free(sorted);
}

/* ---- filters ---- */

static void write_filter(const char *path, const char *filter)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* The kernel refuses the filter. The file then has the reason. */
	if (write(fd, filter, strlen(filter)) < 0)
		errno = 0;
	close(fd);
}

/* The file has the filter, a mark under the error, and then the reason on the last line, which is enough. */
static char *last_line(char *text)
{
	char *end = text + strlen(text), *line;

	while (end > text && end[-1] == '\n')
		*--end = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (str_starts(line, "parse_error: "))
		line += strlen("parse_error: ");
	return xstrdup(line);
}

char *tracefs_filter_error(const char *name, const char *filter)
{
	char *tracefs = tracefs_path(), *instance, *folder, *path, *text, *said;

	if (!tracefs)
		return xstrdup("");
	instance = xasprintf("%s/instances/prec-%d", tracefs, (int)getpid());
	folder = folder_of(instance, name);
	path = xasprintf("%s/filter", folder);
	text = NULL;
	if (!mkdir(instance, 0700)) {
		write_filter(path, filter);
		text = text_of(folder, "filter");
		rmdir(instance);
	}
	said = text && !str_eq(text, "none\n") ? last_line(text) : xstrdup("");
	free(text);
	free(path);
	free(folder);
	free(instance);
	free(tracefs);
	return said;
}
