/*
 * Writes the samples of a profile as a table for jq, spreadsheets and databases: prec export --format jsonl, csv or parquet.
 * cells.c formats the cells.
 */
#include "core/show/export/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/show/export/cells.h"
#include "core/show/export/formats.h"
#include "core/perfdata/event_table.h"

struct cell_list { size_t at, len; };	/* a list in row_text.text, made when it is first needed; .at 0: not made yet */

struct row_text {
	struct cells cells;
	struct buf text;		/* lists for cells_list(), one after the other: of functions, of stacks */
	struct cell_list *functions, *stacks;	/* by function, by stack */
	uint32_t *path;
	uint32_t *known;		/* by string of the profile: see cells_text_again() */
	uint32_t known_units[PROFILE_BYTES + 1], known_recording;
	char recording[96];		/* names the recording in each row, so that tables of many hosts can be concatenated */
	uint64_t position;		/* number of the row in the recording */
	bool declared;			/* rows: the columns are known */
};

static void begin(struct export *x, enum cells_form form)
{
	struct row_text *t = x->state;

	cells_begin(&t->cells, form, x->out);
}

static void begin_json(struct export *x)
{
	begin(x, CELLS_JSON);
}

static void begin_csv(struct export *x)
{
	begin(x, CELLS_CSV);
}

static void begin_parquet(struct export *x)
{
	begin(x, CELLS_PARQUET);
}

static void end(struct export *x)
{
	struct row_text *t = x->state;

	cells_end(&t->cells);
	buf_release(&t->text);
	free(t->functions);
	free(t->stacks);
	free(t->path);
	free(t->known);
}

/* ---- a row a sample ---- */

/* Begins a list at an offset above 0, because offset 0 stands for a list that is not made yet. */
static void begin_list(struct row_text *t, struct cell_list *m)
{
	buf_fill(&t->text, ' ', CELLS_LIST_STEP - t->text.len % CELLS_LIST_STEP);
	m->at = t->text.len;
}

/* Functions without a symbol are the name of their file in brackets, as in folded stacks. */
static void make_function(struct row_text *t, const struct profile *p, uint32_t function)
{
	struct cell_list *m = &t->functions[function];
	struct buf text = {0};

	if (m->at)
		return;
	begin_list(t, m);
	profile_put_function(p, function, &text);
	cells_put_element(&t->cells, &t->text, buf_str(&text));
	m->len = t->text.len - m->at;
	buf_release(&text);
}

static const struct cell_list *text_of_stack(struct row_text *t, const struct profile *p, uint32_t stack)
{
	const struct profile_data *d = profile_data(p);
	struct cell_list *s = &t->stacks[stack];
	size_t nr = 0;

	if (s->at)
		return s;
	for (uint32_t n = stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent) {
		t->path[nr] = d->frames.v[d->stacks.v[n].frame].function;
		make_function(t, p, t->path[nr++]);
	}
	begin_list(t, s);
	for (size_t i = nr; i-- > 0;) {
		const struct cell_list *f = &t->functions[t->path[i]];

		buf_room(&t->text, f->len + 1);		/* includes the addition */
		cells_add_element(&t->cells, &t->text, t->text.data + f->at, f->len, i + 1 == nr);
	}
	s->len = t->text.len - s->at;
	return s;
}

struct row {
	struct row_text *text;
	struct cells *cells;
	const struct profile *profile;
	const struct profile_data *d;
	const struct profile_sample *sample;	/* .time UINT64_MAX: not known */
	const struct profile_weight *weight;
	const struct profile_event *event;
	const struct profile_thread *thread;
	uint64_t nr;				/* number of samples that it stands for */
};

static void put_time(const struct row *r, const char *name)
{
	if (r->sample->time == UINT64_MAX)
		cells_none(r->cells, name);
	else
		cells_number(r->cells, name, r->sample->time);
}

static void put_string(const struct row *r, const char *name, uint32_t string)
{
	cells_text_again(r->cells, name, profile_string(r->profile, string), &r->text->known[string]);
}

static void put_event(const struct row *r, const char *name)
{
	put_string(r, name, r->event->name);
}

static void put_unit(const struct row *r, const char *name)
{
	cells_text_again(r->cells, name, profile_unit_name(r->event->unit), &r->text->known_units[r->event->unit]);
}

static void put_rate(const struct row *r, const char *name)
{
	if (r->event->by_frequency)
		cells_number(r->cells, name, r->event->rate);
	else
		cells_none(r->cells, name);
}

static void put_period(const struct row *r, const char *name)
{
	cells_number(r->cells, name, r->sample->period);
}

static void put_nr(const struct row *r, const char *name)
{
	cells_number(r->cells, name, r->nr);
}

static void put_pid(const struct row *r, const char *name)
{
	cells_signed(r->cells, name, (int32_t)r->d->processes.v[r->thread->process].pid);
}

static void put_tid(const struct row *r, const char *name)
{
	cells_signed(r->cells, name, (int32_t)r->thread->tid);
}

static void put_comm(const struct row *r, const char *name)
{
	put_string(r, name, r->weight->comm);
}

static void put_cpu(const struct row *r, const char *name)
{
	if (r->weight->cpu == PROFILE_NONE)
		cells_none(r->cells, name);
	else
		cells_number(r->cells, name, r->weight->cpu);
}

static void put_stack(const struct row *r, const char *name)
{
	const struct cell_list *s = text_of_stack(r->text, r->profile, r->weight->stack);

	cells_list(r->cells, name, r->text->text.data + s->at, s->len);
}

static void put_host(const struct row *r, const char *name)
{
	put_string(r, name, r->d->info.hostname);
}

static void put_kernel(const struct row *r, const char *name)
{
	put_string(r, name, r->d->info.os_release);
}

static void put_boot(const struct row *r, const char *name)
{
	put_string(r, name, r->d->info.boot_id);
}

static void put_recording(const struct row *r, const char *name)
{
	cells_text_again(r->cells, name, r->text->recording, &r->text->known_recording);
}

static void put_position(const struct row *r, const char *name)
{
	cells_number(r->cells, name, r->text->position++);
}

static const struct column {
	const char *name;
	enum cell_kind kind;
	void (*put)(const struct row *r, const char *name);
} columns[] = {
	{ "time", CELL_NUMBER, put_time },
	{ "event", CELL_TEXT, put_event },
	{ "unit", CELL_TEXT, put_unit },
	{ "rate", CELL_NUMBER, put_rate },
	{ "period", CELL_NUMBER, put_period },
	{ "samples", CELL_NUMBER, put_nr },
	{ "pid", CELL_SIGNED, put_pid },
	{ "tid", CELL_SIGNED, put_tid },
	{ "comm", CELL_TEXT, put_comm },
	{ "cpu", CELL_NUMBER, put_cpu },
	{ "stack", CELL_LIST, put_stack },
	{ "host", CELL_TEXT, put_host },
	{ "kernel", CELL_TEXT, put_kernel },
	{ "boot", CELL_TEXT, put_boot },
	{ "recording", CELL_TEXT, put_recording },
	{ "position", CELL_NUMBER, put_position },
};

static void put_own_columns(const struct row *r)
{
	const uint64_t *values = r->sample->values;

	for (size_t i = 0; i < r->d->columns.nr; i++) {
		const char *name = profile_string(r->profile, r->d->columns.v[i].name);

		if (!values || values[i] == PROFILE_NO_VALUE)
			cells_none(r->cells, name);
		else if (r->d->columns.v[i].is_signed)
			cells_signed(r->cells, name, (int64_t)values[i]);
		else if (r->d->columns.v[i].text)
			put_string(r, name, (uint32_t)values[i]);
		else
			cells_number(r->cells, name, values[i]);
	}
}

static void declare_columns(struct cells *c, const struct profile *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		cells_declare(c, columns[i].name, columns[i].kind);
	vec_for(column, &profile_data(p)->columns)
		cells_declare(c, profile_string(p, column->name),
			      column->text ? CELL_TEXT : column->is_signed ? CELL_SIGNED : CELL_NUMBER);
}

bool row_text_has_column(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (str_eq(columns[i].name, name))
			return true;
	return false;
}

static void put_row(struct export *x, const struct profile_sample *s, uint64_t nr)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_weight *w = &d->weights.v[s->weight];
	struct row_text *t = x->state;
	struct row r = {
		.text = t, .cells = &t->cells, .profile = x->profile, .d = d, .sample = s, .weight = w,
		.event = &d->events.v[w->event], .thread = &d->threads.v[w->thread], .nr = nr,
	};

	cells_begin_row(&t->cells);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		columns[i].put(&r, columns[i].name);
	put_own_columns(&r);
	cells_end_row(&t->cells);
	outfile_maybe_flush(x->out);
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

	for (profile_cursor_init(&c, x->profile); profile_cursor_next(&c, &s);)
		if (is_wanted(x, s.weight))
			put_row(x, &s, 1);
	profile_cursor_release(&c);
	for (uint32_t i = 0; !d->nr_samples && i < d->weights.nr; i++)
		if (is_wanted(x, i))
			put_row(x, &(struct profile_sample){ .time = UINT64_MAX, .period = d->weights.v[i].period, .weight = i },
				d->weights.v[i].nr);
}

/* Writes the samples of all events on the first call, because all rows are in one order of time. */
static void tree(struct export *x, uint32_t event)
{
	const struct profile_data *d = profile_data(x->profile);
	struct row_text *t = x->state;
	uint32_t deepest = 0;

	if (t->stacks)
		return;
	t->functions = xcalloc(MAX(d->functions.nr, 1), sizeof(*t->functions));
	t->stacks = xcalloc(d->stacks.nr, sizeof(*t->stacks));
	vec_for(s, &d->stacks)
		deepest = MAX(deepest, s->depth);
	t->path = xcalloc(deepest + 1, sizeof(*t->path));
	t->known = xcalloc(MAX(d->nr_strings, 1), sizeof(*t->known));
	declare_columns(&t->cells, x->profile);
	cells_names_stay(&t->cells);
	snprintf(t->recording, sizeof(t->recording), "%.64s-%" PRIu64, profile_string(x->profile, d->info.hostname),
		 d->info.first_time);
	put_samples(x);
}

/* ---- rows by sort keys (--by): the values of the keys, and the sums of the samples with these values ---- */

/* The names of a group's sums end in the event's name, if the group has several members. */
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

/* Declares the minimal columns of a table, in case it has no rows. */
static void declare_row_columns(struct row_text *t, const struct rows *r)
{
	struct buf name = {0};

	cells_declare(&t->cells, "event", CELL_TEXT);
	for (unsigned i = 0; i < r->nr_columns; i++) {
		const struct row_column *c = &r->columns[i];

		if (c->cell == ROW_TEXT)
			cells_declare(&t->cells, c->key->name, CELL_TEXT);
		else
			vec_for(member, &r->members)
				cells_declare(&t->cells, name_of(&name, r, c, *member),
					      c->cell == ROW_SHARE || c->cell == ROW_AVERAGE ? CELL_FIXED : CELL_NUMBER);
	}
	buf_release(&name);
}

static void rows(struct export *x, const struct rows *r)
{
	struct row_text *t = x->state;
	struct buf name = {0}, text = {0};

	if (!r->hist->sorted.nr && !t->declared)
		declare_row_columns(t, r);
	t->declared = true;
	vec_for(number, &r->hist->sorted) {
		cells_begin_row(&t->cells);
		cells_text(&t->cells, "event", r->hist->event->name);
		put_cells(t, r, &r->hist->entries.v[*number], &name, &text);
		cells_end_row(&t->cells);
		outfile_maybe_flush(x->out);
	}
	buf_release(&name);
	buf_release(&text);
}

const struct profile_writer jsonl_writer = {
	.name = "jsonl", .suffixes = ".jsonl", .description = "a JSON object a line for each sample, or each row of --by",
	.flags = WRITER_TIMES | WRITER_CPUS, .state_size = sizeof(struct row_text),
	.begin = begin_json, .tree = tree, .rows = rows, .end = end,
};

const struct profile_writer parquet_writer = {
	.name = "parquet", .suffixes = ".parquet", .description = "the same rows in columns, compressed",
	.flags = WRITER_TIMES | WRITER_CPUS | WRITER_BINARY, .state_size = sizeof(struct row_text),
	.begin = begin_parquet, .tree = tree, .rows = rows, .end = end,
};

const struct profile_writer csv_writer = {
	.name = "csv", .suffixes = ".csv", .description = "comma-separated values, for spreadsheets and databases",
	.flags = WRITER_TIMES | WRITER_CPUS, .state_size = sizeof(struct row_text),
	.begin = begin_csv, .tree = tree, .rows = rows, .end = end,
};
