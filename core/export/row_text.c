/*
 * Rows for jq, spreadsheets and databases, as JSON lines and as CSV: one a sample, in order of time, with its stack from the
 * outermost function to the innermost; or with --by one for each combination of the values of sort keys.
 * Where a row comes from stands in each, so that files of many hosts can be put into one table.
 * Layer: export
 */
#include "core/export/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/export/cells.h"
#include "core/format/event_table.h"

struct stack_text { size_t at, len; };	/* in .text; made when first wanted: at 0 is nothing */

struct row_text {
	struct cells cells;
	struct buf text;		/* of stacks, one after another, as cells_list() wants them */
	struct stack_text *stacks;	/* by stack */
	uint32_t *path;
	char recording[96];		/* what rows of one recording have in common, and others have not */
	uint64_t position;		/* of the row in the recording */
};

static void begin(struct export *x, enum cells_form form)
{
	struct row_text *t = x->state;

	t->cells.form = form;
	t->cells.out = &x->out->buf;
}

static void begin_json(struct export *x)
{
	begin(x, CELLS_JSON);
}

static void begin_csv(struct export *x)
{
	begin(x, CELLS_CSV);
}

static void end(struct export *x)
{
	struct row_text *t = x->state;

	cells_release(&t->cells);
	buf_release(&t->text);
	free(t->stacks);
	free(t->path);
}

/* ---- a row a sample ---- */

/* Functions without a symbol are the name of their file in brackets, as in folded stacks. */
static void put_frame(struct row_text *t, const struct profile *p, uint32_t frame, bool first)
{
	struct buf text = {0};

	profile_put_function(p, profile_data(p)->frames.v[frame].function, &text);
	cells_put_element(t->cells.form, &t->text, buf_str(&text), first);
	buf_release(&text);
}

static const struct stack_text *text_of_stack(struct row_text *t, const struct profile *p, uint32_t stack)
{
	const struct profile_data *d = profile_data(p);
	struct stack_text *s = &t->stacks[stack];
	size_t nr = 0;

	if (s->at)
		return s;
	s->at = t->text.len;
	for (uint32_t n = stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent)
		t->path[nr++] = d->stacks.v[n].frame;
	for (size_t i = nr; i-- > 0;)
		put_frame(t, p, t->path[i], i + 1 == nr);
	s->len = t->text.len - s->at;
	return s;
}

static const char *unit_name(enum profile_unit unit)
{
	return unit == PROFILE_NS ? "ns" : unit == PROFILE_BYTES ? "bytes" : "count";
}

static void put_event_cells(struct cells *c, const struct profile *p, const struct profile_event *e)
{
	cells_text(c, "event", profile_string(p, e->name));
	cells_text(c, "unit", unit_name(e->unit));
	if (e->by_frequency)
		cells_number(c, "rate", e->rate);
	else
		cells_none(c, "rate");
}

static void put_thread_cells(struct cells *c, const struct profile *p, const struct profile_weight *w)
{
	const struct profile_data *d = profile_data(p);
	const struct profile_thread *t = &d->threads.v[w->thread];

	cells_signed(c, "pid", (int32_t)d->processes.v[t->process].pid);
	cells_signed(c, "tid", (int32_t)t->tid);
	cells_text(c, "comm", profile_string(p, w->comm));
	if (w->cpu == PROFILE_NONE)
		cells_none(c, "cpu");
	else
		cells_number(c, "cpu", w->cpu);
}

static void put_column_cells(struct cells *c, const struct profile *p, const uint64_t *values)
{
	const struct profile_data *d = profile_data(p);

	for (size_t i = 0; i < d->columns.nr; i++) {
		const char *name = profile_string(p, d->columns.v[i].name);

		if (!values)
			cells_none(c, name);
		else if (d->columns.v[i].text)
			cells_text(c, name, profile_string(p, (uint32_t)values[i]));
		else
			cells_number(c, name, values[i]);
	}
}

/* @s->time UINT64_MAX: not known. @nr: how many samples it is. */
static void put_row(struct export *x, const struct profile_sample *s, uint64_t nr)
{
	struct row_text *t = x->state;
	const struct profile *p = x->profile;
	const struct profile_data *d = profile_data(p);
	const struct profile_weight *w = &d->weights.v[s->weight];
	const struct stack_text *stack = text_of_stack(t, p, w->stack);
	struct cells *c = &t->cells;

	cells_begin_row(c);
	if (s->time == UINT64_MAX)
		cells_none(c, "time");
	else
		cells_number(c, "time", s->time);
	put_event_cells(c, p, &d->events.v[w->event]);
	cells_number(c, "period", s->period);
	cells_number(c, "samples", nr);
	put_thread_cells(c, p, w);
	cells_list(c, "stack", t->text.data + stack->at, stack->len);
	put_column_cells(c, p, s->values);
	cells_text(c, "host", profile_string(p, d->info.hostname));
	cells_text(c, "kernel", profile_string(p, d->info.os_release));
	cells_text(c, "recording", t->recording);
	cells_number(c, "position", t->position++);
	cells_end_row(c);
	outfile_some(x->out);
}

static bool is_wanted(const struct export *x, uint32_t weight)
{
	return x->opts->event == PROFILE_NONE || profile_data(x->profile)->weights.v[weight].event == x->opts->event;
}

static void put_samples(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct profile_cursor c;
	struct profile_sample s;

	for (profile_cursor_init(&c, x->profile, 0); profile_cursor_next(&c, &s);)
		if (is_wanted(x, s.weight))
			put_row(x, &s, 1);
	profile_cursor_release(&c);
	for (uint32_t i = 0; !d->nr_samples && i < d->weights.nr; i++)
		if (is_wanted(x, i))
			put_row(x, &(struct profile_sample){ .time = UINT64_MAX, .period = d->weights.v[i].period, .weight = i },
				d->weights.v[i].nr);
}

/* The only event's call writes the samples of all: they are in one order of time. */
static void tree(struct export *x, uint32_t event)
{
	const struct profile_data *d = profile_data(x->profile);
	struct row_text *t = x->state;
	uint32_t deepest = 0;

	(void)event;
	if (t->stacks)
		return;
	t->stacks = xcalloc(d->stacks.nr, sizeof(*t->stacks));
	vec_for(s, &d->stacks)
		deepest = MAX(deepest, s->depth);
	t->path = xcalloc(deepest + 1, sizeof(*t->path));
	buf_putc(&t->text, ' ');	/* no stack is at 0 */
	snprintf(t->recording, sizeof(t->recording), "%.64s-%" PRIu64, profile_string(x->profile, d->info.hostname),
		 d->info.first_time);
	put_samples(x);
}

/* ---- rows by sort keys ---- */

/* Of a member of a group that is not alone the names of its sums end in the event's. */
static const char *name_of(struct buf *name, const struct rows *r, const struct row_column *c, uint32_t member)
{
	name->len = 0;
	buf_puts(name, c->key->name);
	if (r->members.nr > 1)
		buf_printf(name, " %s", hist_member(r->hists, r->hist, member)->event->name);
	return buf_str(name);
}

static void put_sum(struct cells *cells, const char *name, const struct row_column *c, struct row_sum n)
{
	double ratio = n.of ? (double)n.sum / (double)n.of : 0;

	if (c->cell == ROW_SHARE)
		cells_fixed(cells, name, 100 * ratio, 6);
	else if (c->cell == ROW_AVERAGE)
		cells_fixed(cells, name, ratio, 6);
	else
		cells_number(cells, name, n.sum);
}

static void put_cells(struct row_text *t, const struct rows *r, const struct entry *e, struct buf *name, struct buf *text)
{
	for (unsigned i = 0; i < r->nr_columns; i++) {
		const struct row_column *c = &r->columns[i];

		if (c->cell == ROW_TEXT) {
			text->len = 0;
			rows_put_text(r, c, e, text);
			cells_text(&t->cells, c->key->name, buf_str(text) + strspn(buf_str(text), " "));
			continue;
		}
		vec_for(member, &r->members)
			put_sum(&t->cells, name_of(name, r, c, *member), c, rows_sum(r, c, e, *member));
	}
}

static void rows(struct export *x, const struct rows *r)
{
	struct row_text *t = x->state;
	struct buf name = {0}, text = {0};

	vec_for(number, &r->hist->sorted) {
		cells_begin_row(&t->cells);
		cells_text(&t->cells, "event", r->hist->event->name);
		put_cells(t, r, &r->hist->entries.v[*number], &name, &text);
		cells_end_row(&t->cells);
		outfile_some(x->out);
	}
	buf_release(&name);
	buf_release(&text);
}

const struct profile_writer jsonl_writer = {
	.name = "jsonl", .suffixes = ".jsonl", .description = "a JSON object a line for each sample, or each row of --by",
	.flags = WRITER_TIMES | WRITER_CPUS, .state_size = sizeof(struct row_text),
	.begin = begin_json, .tree = tree, .rows = rows, .end = end,
};

const struct profile_writer csv_writer = {
	.name = "csv", .suffixes = ".csv", .description = "comma-separated values, for spreadsheets and databases",
	.flags = WRITER_TIMES | WRITER_CPUS, .state_size = sizeof(struct row_text),
	.begin = begin_csv, .tree = tree, .rows = rows, .end = end,
};
