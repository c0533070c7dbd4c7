/*
 * Defines the sort keys of prec diff -s, such as symbol, dso and comm. Each key has one function that makes the text of its value
 * for a sample, and another that makes this text as perf diff spells it, for prec diff -c.
 */
#include "core/show/diff/key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/show/diff/match.h"
#include "core/profile/profile.h"

static void put_symbol(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	buf_puts(out, at->function == UINT32_MAX ? "[unknown]" : match_name(at->match, at->function));
}

static void put_dso(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const char *name = at->function == UINT32_MAX ? "" : match_dso(at->match, at->function);

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

/* ---- as perf diff has them, for -c ---- */

/* Returns the function around inlined ones, because perf diff counts their samples for it. */
static const struct profile_function *function_of(const struct profile *profile, const struct profile_weight *w)
{
	static const struct profile_function nowhere = { .dso = PROFILE_NONE, .level = '.' };
	const struct profile_data *d = profile_data(profile);
	const struct profile_function *f = &nowhere;

	for (uint32_t node = w->stack; node != PROFILE_ROOT; node = d->stacks.v[node].parent) {
		f = &d->functions.v[d->frames.v[d->stacks.v[node].frame].function];
		if (!f->inlined)
			break;
	}
	return f;
}

/* Appends "[k] schedule". Code without a symbol is one row per file, as in perf, which shows one of its addresses. */
static void put_perf_symbol(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_function *f = function_of(at->profile, w);

	buf_printf(out, "[%c] %s", f->level, f->name && !f->made ? profile_string(at->profile, f->name) : "[unknown]");
}

static void put_perf_dso(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_function *f = function_of(at->profile, w);

	buf_puts(out, f->dso == PROFILE_NONE ? "[unknown]" :
		 profile_string(at->profile, profile_data(at->profile)->dsos.v[f->dso].name));
}

static void put_perf_cpu(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	buf_printf(out, "%.3d", w->cpu == PROFILE_NONE ? -1 : (int)w->cpu);
}

static const struct diff_key keys[] = {
	{ "symbol", "sym", "function", "Symbol", .function = true, .put = put_symbol, .put_perf = put_perf_symbol },
	{ "dso", NULL, "file", "Shared Object", .put = put_dso, .put_perf = put_perf_dso },
	{ "comm", NULL, "thread's name", "Command", .put = put_comm, .put_perf = put_comm },
	{ "process", NULL, "process's name", "Process", .put = put_process, .put_perf = put_process },
	{ "cpu", NULL, "CPU", "CPU", .cpus = true, .put = put_cpu, .put_perf = put_perf_cpu },
	{ "srcfile", NULL, "source file", "Source File", .lines = true, .put = put_file, .put_perf = put_file },
	{ "srcline", NULL, "source line", "Source:Line", .lines = true, .put = put_line, .put_perf = put_line },
};

static const struct diff_key *find_key(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if ((strlen(keys[i].name) == len && !strncmp(keys[i].name, name, len)) ||
		    (keys[i].alias && strlen(keys[i].alias) == len && !strncmp(keys[i].alias, name, len)))
			return &keys[i];
	return NULL;
}

static void put_names(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		buf_printf(out, "%s%s", i ? ", " : "", keys[i].name);
}

unsigned diff_keys_parse(const struct diff_key **out, const char *names)
{
	unsigned nr = 0;

	for (const char *at = names;; at++) {
		size_t n = strcspn(at, ",");

		out[nr++] = find_key(at, n);
		at += n;
		if (!*at)
			return nr;
	}
}

int diff_keys_check(const char *names, bool *lines, bool *cpus)
{
	struct buf known = {0};
	unsigned nr = 0;

	for (const char *at = names;; at++) {
		size_t n = strcspn(at, ",");
		const struct diff_key *k = find_key(at, n);

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
