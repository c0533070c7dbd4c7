/* Implements the SQL table "lines" of prec query. Its rows are source lines with their sample counts. query.c lists all tables. */
#include "core/show/query/query_impl.h"

#include <stdlib.h>

/* An event and a source line (or a function without one). .self: samples in the line; .total: also in functions it calls. */
struct line_row { uint32_t event, frame; struct profile_sum self, total; };

struct line_sums {
	struct line_row *rows;		/* by frame */
	uint32_t *last_stack;		/* by frame: the last stack for which it was counted */
};

/* A line that is in a stack more than once counts once. */
static void add_stack(struct line_sums *sums, const struct profile_data *d, uint32_t stack, const struct profile_sum *sum)
{
	profile_sum_add(&sums->rows[d->stacks.v[stack].frame].self, sum->nr, sum->period);
	for (uint32_t n = stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent) {
		uint32_t frame = d->stacks.v[n].frame;

		if (sums->last_stack[frame] == stack)
			continue;
		sums->last_stack[frame] = stack;
		profile_sum_add(&sums->rows[frame].total, sum->nr, sum->period);
	}
}

static void list_event(struct query *q, uint32_t event, struct profile_sum *selves)
{
	const struct profile_data *d = profile_data(q->profile);
	size_t nr = MAX(d->frames.nr, 1);
	struct line_sums sums = { xcalloc(nr, sizeof(*sums.rows)), xcalloc(nr, sizeof(*sums.last_stack)) };

	profile_sum_stacks(q->profile, event, NULL, selves);
	for (uint32_t i = PROFILE_ROOT + 1; i < d->stacks.nr; i++)
		if (selves[i].nr)
			add_stack(&sums, d, i, &selves[i]);
	for (uint32_t i = 0; i < d->frames.nr; i++) {
		if (!sums.rows[i].total.nr)
			continue;
		sums.rows[i].event = event;
		sums.rows[i].frame = i;
		vec_push(&q->lines, sums.rows[i]);
	}
	free(sums.rows);
	free(sums.last_stack);
}

static struct query_list list_lines(struct query *q)
{
	const struct profile_data *d = profile_data(q->profile);
	struct profile_sum *selves;

	if (q->lines_made)
		return QUERY_LIST(&q->lines);
	q->lines_made = true;
	selves = xcalloc(d->stacks.nr, sizeof(*selves));
	for (uint32_t i = 0; i < d->events.nr; i++)
		if (d->events.v[i].nr)
			list_event(q, i, selves);
	free(selves);
	return QUERY_LIST(&q->lines);
}

/* ---- columns ---- */

static const struct line_row *line_at(const struct query_row *r) { return r->item; }

static const struct profile_frame *frame_at(const struct query_row *r)
{
	return &r->data->frames.v[line_at(r)->frame];
}

static uint32_t line_event(const struct query_row *r) { return r->data->events.v[line_at(r)->event].name; }
static uint32_t line_file(const struct query_row *r) { return frame_at(r)->file; }
static uint32_t line_symbol(const struct query_row *r) { return profile_frame_name(r->profile, line_at(r)->frame); }

static uint32_t line_dso(const struct query_row *r)
{
	uint32_t dso = r->data->functions.v[frame_at(r)->function].dso;

	return dso == PROFILE_NONE ? 0 : r->data->dsos.v[dso].name;
}

static bool line_number(const struct query_row *r, int64_t *out)
{
	*out = frame_at(r)->line;
	return *out != 0;
}

static const struct query_column line_columns[] = {
	{ "event", "its name", "TEXT", .string = line_event },
	{ "file", "source file; null: not known, the row is the function", "TEXT", .string = line_file },
	{ "line", "its line", "INTEGER", .number = line_number },
	{ "symbol", "the function, an inlined one where that is known", "TEXT", .string = line_symbol },
	{ "dso", "the file of its code", "TEXT", .string = line_dso },
	{ "self", "the period of the samples in it", "INTEGER", MEMBER(line_row, self.period), .rule = RULE_MOST },
	{ "total", "the same with what was called there", "INTEGER", MEMBER(line_row, total.period), .rule = RULE_MOST },
	{ "samples", "how many are in it", "INTEGER", MEMBER(line_row, self.nr), .rule = RULE_MOST },
	{ "total_samples", "the same with what was called there", "INTEGER", MEMBER(line_row, total.nr), .rule = RULE_MOST },
};

const struct query_table lines_table = {
	.name = "lines", .about = "lines of source that samples or stacks have", .columns = line_columns,
	.nr_columns = ARRAY_SIZE(line_columns), .parts = PART_PROFILE | PART_CODE | PART_LINES | PART_STACKS, .list = list_lines,
};
