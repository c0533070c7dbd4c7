/*
 * Defines the sort keys of prec diff -s, such as symbol, dso and comm. Each has a function that writes the key's value for a
 * sample.
 * Layer: diff
 */
#include "core/show/diff/key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/show/diff/match.h"
#include "core/profile/profile.h"

static void put_symbol(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	(void)w;
	buf_puts(out, at->function == UINT32_MAX ? "[unknown]" : match_name(at->match, at->function));
}

static void put_dso(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const char *name = at->function == UINT32_MAX ? "" : match_dso(at->match, at->function);

	(void)w;
	buf_puts(out, *name ? name : "[unknown]");
}

static void put_comm(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	buf_puts(out, profile_string(at->profile, w->comm));
}

static void put_process(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_data *d = profile_data(at->profile);

	if (w->thread == PROFILE_NONE)
		buf_puts(out, "[unknown]");
	else
		buf_puts(out, profile_string(at->profile, d->processes.v[d->threads.v[w->thread].process].name));
}

static void put_cpu(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	(void)at;
	if (w->cpu == PROFILE_NONE)
		buf_puts(out, "-");
	else
		buf_dec(out, w->cpu, 0);
}

static const struct profile_frame *frame_of(const struct diff_at *at, const struct profile_weight *w)
{
	const struct profile_data *d = profile_data(at->profile);

	return w->stack == PROFILE_ROOT ? NULL : &d->frames.v[d->stacks.v[w->stack].frame];
}

static void put_file(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_frame *f = frame_of(at, w);
	const char *file = f ? profile_string(at->profile, f->file) : "", *name = strrchr(file, '/');

	buf_puts(out, *file ? name ? name + 1 : file : "??");
}

static void put_line(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_frame *f = frame_of(at, w);

	put_file(at, w, out);
	if (f && f->file)
		buf_printf(out, ":%u", f->line);
}

static const struct diff_key keys[] = {
	{ "symbol", "sym", "function", .function = true, .put = put_symbol },
	{ "dso", NULL, "file", .put = put_dso },
	{ "comm", NULL, "thread's name", .put = put_comm },
	{ "process", NULL, "process's name", .put = put_process },
	{ "cpu", NULL, "CPU", .cpus = true, .put = put_cpu },
	{ "srcfile", NULL, "source file", .lines = true, .put = put_file },
	{ "srcline", NULL, "source line", .lines = true, .put = put_line },
};

const struct diff_key *diff_key_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if ((strlen(keys[i].name) == len && !strncmp(keys[i].name, name, len)) ||
		    (keys[i].alias && strlen(keys[i].alias) == len && !strncmp(keys[i].alias, name, len)))
			return &keys[i];
	return NULL;
}

/* Appends the names of all keys, for error messages. */
static void put_names(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		buf_printf(out, "%s%s", i ? ", " : "", keys[i].name);
}


int diff_keys_check(const char *names, bool *lines, bool *cpus)
{
	struct buf known = {0};
	unsigned nr = 0;

	for (const char *at = names;; at++) {
		size_t n = strcspn(at, ",");
		const struct diff_key *k = diff_key_find(at, n);

		if (!k) {
			put_names(&known);
			error("there is no key '%.*s' to compare by: known are: %s", (int)n, at, buf_str(&known));
			buf_release(&known);
			return -1;
		}
		if (++nr > DIFF_KEYS_MAX)
			return error("more than %d keys", DIFF_KEYS_MAX);
		*lines |= k->lines;
		*cpus |= k->cpus;
		at += n;
		if (!*at)
			return 0;
	}
}
