/*
 * Writes folded stacks, which flamegraph.pl, inferno and speedscope read, for prec export --format folded. Each line is
 * "comm;outermost;...;innermost NUMBER". prec diff --folded writes two numbers (core/show/diff/tree_print.h).
 * Source: stackcollapse-perf.pl of FlameGraph.
 */
#include "core/show/export/writers.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

#define ROOT 0u

struct label_stack { uint32_t parent, label; };
struct folded_line { uint32_t comm, stack; uint64_t number; };

/* Stacks with equal text share a line, such as stacks of threads with one name. So stacks of texts are made first. */
struct folded {
	VEC(uint32_t) labels;			/* by frame: a string of the profile, or UNKNOWN | that of its file */
	VEC(struct label_stack) stacks;		/* [0] is the root */
	struct index by_parent;
	VEC(uint32_t) stack_of;			/* by stack of the profile: a number of .stacks */
	VEC(uint32_t) path;
};

#define UNKNOWN 0x80000000u	/* flag: the function has no name, and the string is that of its file */

/* Returns the string of the function's name, or if it has no name, the string of its file's name. */
static uint32_t label_of(const struct export *x, uint32_t frame)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_function *f = &d->functions.v[d->frames.v[frame].function];

	if (f->name)
		return f->name;
	return UNKNOWN | (f->dso == PROFILE_NONE ? 0 : d->dsos.v[f->dso].name);
}

static uint32_t add_stack(struct folded *f, uint32_t parent, uint32_t label)
{
	uint64_t h = hash_pair(parent, label);

	index_for(pos, &f->by_parent, h)
		if (f->stacks.v[pos].parent == parent && f->stacks.v[pos].label == label)
			return pos;
	index_add(&f->by_parent, h, (uint32_t)f->stacks.nr);
	vec_push(&f->stacks, ((struct label_stack){ parent, label }));
	return (uint32_t)f->stacks.nr - 1;
}

static void begin(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct folded *f = x->state;

	for (uint32_t i = 0; i < d->frames.nr; i++)
		vec_push(&f->labels, label_of(x, i));
	vec_push(&f->stacks, ((struct label_stack){ ROOT, 0 }));
	vec_push(&f->stack_of, ROOT);
	for (size_t i = 1; i < d->stacks.nr; i++)
		vec_push(&f->stack_of, add_stack(f, f->stack_of.v[d->stacks.v[i].parent], f->labels.v[d->stacks.v[i].frame]));
}

/* ---- text ---- */

/* Replaces characters that would end a frame or a line. As in the output of stackcollapse-perf.pl, blanks in comms become '_'. */
static void put_label(struct buf *out, const char *text, bool is_comm)
{
	for (; *text; text++) {
		char c = *text;

		if (c == ';')
			c = ':';
		else if ((unsigned char)c < ' ' || c == 0x7f)
			c = '?';
		else if (c == ' ' && is_comm)
			c = '_';
		buf_putc(out, c);
	}
}

/* A function without a symbol is the name of its file in brackets, as in the output of stackcollapse-perf.pl. */
static void put_frame(const struct export *x, uint32_t label, struct buf *out)
{
	const char *name = profile_string(x->profile, label & ~UNKNOWN);

	if (!(label & UNKNOWN))
		put_label(out, name, false);
	else if (!*name || *name == '[')	/* the name has brackets already */
		put_label(out, *name ? name : "[unknown]", false);
	else {
		buf_putc(out, '[');
		put_label(out, name, false);
		buf_putc(out, ']');
	}
}

static void put_line(const struct export *x, const struct folded_line *line)
{
	struct folded *f = x->state;
	struct buf *out = &x->out->buf;

	f->path.nr = 0;
	for (uint32_t s = line->stack; s != ROOT; s = f->stacks.v[s].parent)
		vec_push(&f->path, f->stacks.v[s].label);
	put_label(out, profile_string(x->profile, line->comm), true);
	while (f->path.nr) {
		buf_putc(out, ';');
		put_frame(x, f->path.v[--f->path.nr], out);
	}
	buf_putc(out, ' ');
	buf_dec(out, line->number, 0);
	buf_putc(out, '\n');
	outfile_maybe_flush(x->out);
}

ORDER(compare_lines, struct folded_line, compare_numbers(a->comm, b->comm) ?: compare_numbers(a->stack, b->stack))

static void tree(struct export *x, uint32_t event)
{
	struct folded *f = x->state;
	VEC(struct folded_line) lines = {0};
	size_t nr = 0;

	vec_for(w, &profile_data(x->profile)->weights)
		if (w->event == event)
			vec_push(&lines, ((struct folded_line){ w->comm, f->stack_of.v[w->stack],
								x->opts->samples ? w->nr : w->period }));
	vec_sort(&lines, compare_lines);
	vec_for(line, &lines) {
		if (nr && !compare_lines(&lines.v[nr - 1], line))
			lines.v[nr - 1].number += line->number;
		else
			lines.v[nr++] = *line;
	}
	for (size_t i = 0; i < nr; i++)
		if (lines.v[i].number)
			put_line(x, &lines.v[i]);
	vec_free(&lines);
}

static void end(struct export *x)
{
	struct folded *f = x->state;

	vec_free(&f->labels);
	vec_free(&f->stacks);
	vec_free(&f->stack_of);
	vec_free(&f->path);
	index_release(&f->by_parent);
}

const struct profile_writer folded_writer = {
	.name = "folded", .suffixes = ".folded", .description = "stacks a line, for flamegraph.pl, inferno, speedscope",
	.flags = WRITER_ONE_EVENT, .state_size = sizeof(struct folded),
	.begin = begin, .tree = tree, .end = end,
};
