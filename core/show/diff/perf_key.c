/*
 * Defines the key columns of prec diff -c, such as symbol and dso, with the titles and texts of perf diff. key.c has the keys of
 * prec diff's own table.
 * Layer: diff
 */
#include "core/show/diff/perf_key.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/profile/profile.h"

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
static void put_symbol(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_function *f = function_of(at->profile, w);

	buf_printf(out, "[%c] %s", f->level, f->name && !f->made ? profile_string(at->profile, f->name) : "[unknown]");
}

static void put_dso(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	const struct profile_function *f = function_of(at->profile, w);

	buf_puts(out, f->dso == PROFILE_NONE ? "[unknown]" :
		 profile_string(at->profile, profile_data(at->profile)->dsos.v[f->dso].name));
}

static void put_cpu(const struct diff_at *at, const struct profile_weight *w, struct buf *out)
{
	(void)at;
	buf_printf(out, "%.3d", w->cpu == PROFILE_NONE ? -1 : (int)w->cpu);
}

/* Titles as in perf. .put NULL: the value is that of prec's own table (key.c). */
static const struct { const char *name; struct perf_key key; } keys[] = {
	{ "symbol", { "Symbol", put_symbol } },
	{ "dso", { "Shared Object", put_dso } },
	{ "cpu", { "CPU", put_cpu } },
	{ "comm", { "Command", NULL } },
	{ "process", { "Process", NULL } },
	{ "srcfile", { "Source File", NULL } },
	{ "srcline", { "Source:Line", NULL } },
};

static struct perf_key key_of(const struct diff_key *k)
{
	struct perf_key out = { k->title, k->put };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_eq(keys[i].name, k->name))
			out = (struct perf_key){ keys[i].key.title, keys[i].key.put ? keys[i].key.put : k->put };
	return out;
}

unsigned perf_keys_parse(struct perf_key *out, const char *names)
{
	unsigned nr = 0;

	for (const char *at = names;; at++) {
		size_t n = strcspn(at, ",");

		out[nr++] = key_of(diff_key_find(at, n));
		at += n;
		if (!*at)
			return nr;
	}
}
