/*
 * Sums the samples of each function (or other sort keys) in each recording of two groups, A and B, and finds the sums that differ
 * by more than chance. statistics.c has the statistical tests.
 */
#include "core/show/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/log.h"
#include "core/perfdata/event_table.h"
#include "core/sched/wall.h"

#define LATE		1.25	/* a sample that comes after more sampling distances than this is late */
#define ANY_ROW		UINT32_MAX	/* samples of no row, such as those of other events; for estimate_row(): the total */
/* With one run on a side, only larger differences are called changed, because one run cannot show how much runs differ. */
#define RUNS_DIFFER	0.05	/* of the row's amount: the layout of code and data and the CPU's frequency differ */
#define OTHERS_DIFFER	0.01	/* of the total: interrupts and other processes disturb the program by chance */

struct cell {				/* the sum of a row in a run */
	double period, variance;
	bool stretched;			/* a stretch (struct stretch) has two samples or more */
};

struct run {
	const struct diff_run *of;
	double divisor;			/* units of work in the run: sums are divided by it */
	uint32_t *rows;			/* by weight: its row; owned */
	VEC(struct cell) cells;		/* by row */
	struct cell total;
};

struct making {
	struct diff *diff;
	const struct diff_opts *opts;
	struct run *runs;		/* those of A first */
	size_t nr;
	struct index by_values;
};

/* ---- rows ---- */

static uint32_t add_row(struct making *m, const struct diff_row *row)
{
	struct diff *d = m->diff;
	uint64_t h = 0;
	uint32_t pos;

	for (unsigned k = 0; k < d->nr_keys; k++)
		h = hash_pair(h, (uintptr_t)row->values[k]);
	index_for(at, &m->by_values, h)
		if (!memcmp(d->rows.v[at].values, row->values, d->nr_keys * sizeof(row->values[0])))
			return at;
	pos = (uint32_t)d->rows.nr;
	index_add(&m->by_values, h, pos);
	vec_push(&d->rows, *row);
	return pos;
}

static uint32_t row_of(struct making *m, size_t run, const struct profile_weight *w, struct buf *text)
{
	struct diff_row row = { .function = UINT32_MAX };
	struct diff_at at = { .match = m->diff->match, .profile = m->runs[run].of->profile,
			      .function = match_of_stack(m->diff->match, run, w->stack) };

	for (unsigned k = 0; k < m->diff->nr_keys; k++) {
		text->len = 0;
		m->diff->keys[k]->put(&at, w, text);
		row.values[k] = intern(m->diff->strings, buf_str(text));
		if (m->diff->keys[k]->function)
			row.function = at.function;
	}
	return add_row(m, &row);
}

static bool is_wanted(const struct making *m, size_t run, uint32_t stack)
{
	const char *symbol = m->opts->only_symbol, *dso = m->opts->only_dso;
	uint32_t function = symbol || dso ? match_of_stack(m->diff->match, run, stack) : UINT32_MAX;

	if (function == UINT32_MAX)
		return !symbol && !dso;
	return (!symbol || str_eq(match_name(m->diff->match, function), symbol)) &&
	       (!dso || str_eq(match_dso(m->diff->match, function), dso));
}

static void make_rows(struct making *m, size_t number)
{
	struct run *run = &m->runs[number];
	const struct profile_data *d = profile_data(run->of->profile);
	struct buf text = {0};

	run->rows = xmalloc(MAX(d->weights.nr, 1) * sizeof(*run->rows));
	for (size_t i = 0; i < d->weights.nr; i++)
		run->rows[i] = d->weights.v[i].event == run->of->event && is_wanted(m, number, d->weights.v[i].stack) ?
			       row_of(m, number, &d->weights.v[i], &text) : ANY_ROW;
	buf_release(&text);
}

/* ---- sums and the error of sampling ---- */

struct stretch {			/* consecutive samples of a thread that are in the same row */
	uint32_t row;
	uint64_t nr, last;		/* .last: the time of the last sample */
	double period;
};

/*
 * The sampling error comes from stretches, not from single samples. While a thread stays in one row, samples at a fixed distance
 * measure its time there to a fraction of that distance, however many samples there are.
 *
 * A stretch of x sampling distances has floor(x) samples, or one more. So the error of its length is at most one distance, and the
 * variance is f * (1 - f) of the distance's square, where f is the fraction of x: at most a quarter. A lone sample may be from a
 * stretch much shorter than a distance, one of many that mostly have no sample. Then f = x is the chance of a sample, about 0, and
 * the variance for each sample is 1 - x: at most one.
 */
static void add_stretch(struct run *run, const struct stretch *s)
{
	double distance = s->nr ? s->period / (double)s->nr : 0;

	if (!s->nr)
		return;
	run->cells.v[s->row].variance += (s->nr > 1 ? 0.25 : 1) * distance * distance;
	run->cells.v[s->row].stretched |= s->nr > 1;
}

static const struct profile_event *event_of(const struct run *run)
{
	return &profile_data(run->of->profile)->events.v[run->of->event];
}

static bool is_named(const struct diff_run *run, const char *name)
{
	const struct profile_event *e = &profile_data(run->profile)->events.v[run->event];

	return str_eq(profile_string(run->profile, e->name), name);
}

/* True if every hit of the event was recorded, so there is no sampling error. */
static bool is_counted(const struct profile_event *e)
{
	return !e->by_frequency && e->rate <= 1;
}

/* Adds the error of one sample to cells with single samples or none, because 0 samples against 1 is no difference. */
static void add_uncertainty(struct run *run, double distance)
{
	vec_for(c, &run->cells)
		c->variance += c->stretched ? 0 : distance * distance;
}

/*
 * True if @sample continues the stretch. Samples of a clock come at the sampling distance. One comes later only if the thread was
 * off the CPU in between or the timer was late. Then a part of a distance is lost or gained, as at the end of a stretch.
 */
static bool goes_on(const struct stretch *s, uint32_t row, const struct profile_sample *sample, bool clock)
{
	return s->row == row && !(clock && (double)(sample->time - s->last) > LATE * (double)sample->period);
}

static void add_samples(struct run *run, struct stretch *last)
{
	const struct profile_data *d = profile_data(run->of->profile);
	bool clock = event_of(run)->unit == PROFILE_NS && !is_named(run->of, OFF_CPU_NAME) && !is_named(run->of, WALL_EVENT);
	struct profile_cursor cursor;
	struct profile_sample sample;

	for (profile_cursor_init(&cursor, run->of->profile); profile_cursor_next(&cursor, &sample);) {
		const struct profile_weight *w = &d->weights.v[sample.weight];
		uint32_t row = run->rows[sample.weight];
		struct stretch *s = &last[w->thread == PROFILE_NONE ? d->threads.nr : w->thread];

		if (row == ANY_ROW)
			continue;
		if (s->nr && !goes_on(s, row, &sample, clock)) {
			add_stretch(run, s);
			s->nr = 0;
		}
		*s = (struct stretch){ row, s->nr + 1, sample.time, (s->nr ? s->period : 0) + (double)sample.period };
	}
	profile_cursor_release(&cursor);
}

/* Ends the last stretch of each thread. For the total of all rows, the whole thread counts as one stretch. */
static void add_threads(struct run *run, const struct stretch *last, size_t nr_threads, double distance)
{
	for (size_t i = 0; i < nr_threads; i++) {
		add_stretch(run, &last[i]);
		run->total.variance += last[i].nr ? 0.25 * distance * distance : 0;
	}
}

static void sum_up(struct making *m, struct run *run)
{
	const struct profile_data *d = profile_data(run->of->profile);
	const struct profile_event *e = event_of(run);
	struct stretch *last = xcalloc(d->threads.nr + 1, sizeof(*last));
	double distance;
	uint64_t nr = 0;

	vec_reserve(&run->cells, MAX(m->diff->rows.nr, 1));
	run->cells.nr = m->diff->rows.nr;
	memset(run->cells.v, 0, m->diff->rows.nr * sizeof(*run->cells.v));
	for (size_t i = 0; i < d->weights.nr; i++) {
		const struct profile_weight *w = &d->weights.v[i];

		if (run->rows[i] == ANY_ROW)
			continue;
		nr += w->nr;
		run->cells.v[run->rows[i]].period += (double)w->period;
		m->diff->rows.v[run->rows[i]].nr[run->of->side] += w->nr;
		m->diff->total.nr[run->of->side] += w->nr;
		run->total.period += (double)w->period;
	}
	distance = nr ? run->total.period / (double)nr : 0;
	if (!is_counted(e)) {
		add_samples(run, last);
		add_threads(run, last, d->threads.nr + 1, distance);
		add_uncertainty(run, distance);
	}
	free(last);
}

/* ---- units of work ---- */

static int per_event(const struct diff_run *run, const char *name, double *out)
{
	const struct profile_data *d = profile_data(run->profile);

	for (uint32_t i = 0; i < d->events.nr; i++)
		if (str_eq(profile_string(run->profile, d->events.v[i].name), name)) {
			*out = (double)d->events.v[i].period;
			return *out > 0 ? 0 : error("--per: '%s' counted nothing in a recording of %c", name, "AB"[run->side]);
		}
	return error("--per: a recording of %c has no event '%s'", "AB"[run->side], name);
}

/* @total: the sum of the run's rows. */
static int find_divisor(const struct diff_run *run, const struct diff_opts *opts, double total, double *out)
{
	*out = 1;
	switch (opts->per) {
	case PER_RUN:
		break;
	case PER_NUMBER:
		*out = opts->units[run->side];
		break;
	case PER_EVENT:
		return per_event(run, opts->per_event, out);
	case PER_SECOND:
		*out = run->seconds;
		return *out > 0 ? 0 : error("--per=second: a recording of %c has no times", "AB"[run->side]);
	case PER_TOTAL:
		*out = total > 0 ? total : 1;
	}
	return 0;
}

int diff_divisor(const struct diff_run *run, const struct diff_opts *opts, double *out)
{
	return find_divisor(run, opts, (double)profile_data(run->profile)->events.v[run->event].period, out);
}

/* The error of a share shrinks as the share nears 1, because its period is also part of the total. */
static void divide(const struct making *m, struct run *run)
{
	vec_for(c, &run->cells) {
		double rest = m->opts->per == PER_TOTAL ? 1 - c->period / run->divisor : 1;

		c->period /= run->divisor;
		c->variance *= rest * rest / (run->divisor * run->divisor);
	}
	run->total.period /= run->divisor;
	run->total.variance = m->opts->per == PER_TOTAL ? 0 : run->total.variance / (run->divisor * run->divisor);
}

/* ---- differences ---- */

static void estimate_row(const struct making *m, struct diff_row *row, uint32_t number)
{
	double *v = xmalloc(m->nr * sizeof(*v));
	struct side sides[NR_SIDES] = { { v, 0, 0 }, { v + m->diff->nr_runs[SIDE_A], 0, 0 } };

	for (size_t i = 0; i < m->nr; i++) {
		const struct run *run = &m->runs[i];
		const struct cell *c = number == ANY_ROW ? &run->total : &run->cells.v[number];

		v[i] = c->period;
		sides[run->of->side].nr++;
		sides[run->of->side].sampling += c->variance / (double)m->diff->nr_runs[run->of->side];
	}
	for (int side = 0; side < NR_SIDES; side++)
		row->mean[side] = mean_of(sides[side].v, sides[side].nr);
	row->difference = difference_of(&sides[SIDE_A], &sides[SIDE_B]);
	row->ratio = ratio_of(&sides[SIDE_A], &sides[SIDE_B]);
	if (number == ANY_ROW)
		m->diff->noise = sides[SIDE_A].nr > 1 ? noise_of(&sides[SIDE_A]) : INFINITY;
	if (MIN(sides[SIDE_A].nr, sides[SIDE_B].nr) >= PERMUTATION_RUNS && row->difference.p <= 1 - LEVEL)
		row->permuted = permutation_test(&sides[SIDE_A], &sides[SIDE_B]);
	free(v);
}

static bool is_beyond_runs(const struct diff *d, const struct diff_row *row)
{
	double change = fabs(row->difference.value);

	return !d->sampling_only || (change > RUNS_DIFFER * MAX(row->mean[SIDE_A], row->mean[SIDE_B]) &&
				     change > OTHERS_DIFFER * MAX(d->total.mean[SIDE_A], d->total.mean[SIDE_B]));
}

/* Marks the rows that changed. The permutation test must agree, because t is too sure far from the normal distribution. */
static void find_changed(struct making *m)
{
	struct diff *d = m->diff;
	double *p = xmalloc(MAX(d->rows.nr, 1) * sizeof(*p));
	bool *changed = xcalloc(MAX(d->rows.nr, 1), sizeof(*changed));
	double sum = 0;

	for (size_t i = 0; i < d->rows.nr; i++)
		p[i] = d->rows.v[i].difference.p;
	choose_changed(p, d->rows.nr, FALSE_SHARE, changed);
	for (size_t i = 0; i < d->rows.nr; i++) {
		d->rows.v[i].changed = changed[i] && d->rows.v[i].permuted <= 1 - LEVEL && is_beyond_runs(d, &d->rows.v[i]);
		d->nr_changed += d->rows.v[i].changed;
		sum += d->rows.v[i].changed ? d->rows.v[i].difference.value : 0;
	}
	d->total.changed = d->total.difference.p <= 1 - LEVEL && d->total.permuted <= 1 - LEVEL && is_beyond_runs(d, &d->total);
	d->explained = d->total.difference.value != 0 ? sum / d->total.difference.value : 0;
	free(changed);
	free(p);
}

static void forget_row(struct diff_row *row)
{
	row->difference.error = row->ratio.error = INFINITY;
	row->difference.p = row->ratio.p = NAN;
}

/* Removes all errors. Counts have no sampling error, and one run does not show how much runs vary. */
static void forget_errors(struct diff *d)
{
	vec_for(row, &d->rows)
		forget_row(row);
	forget_row(&d->total);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct diff_row *x = a, *y = b;
	const struct diff *d = ctx;
	double of_x = x->changed ? fabs(x->difference.value) : MAX(x->mean[SIDE_A], x->mean[SIDE_B]);
	double of_y = y->changed ? fabs(y->difference.value) : MAX(y->mean[SIDE_A], y->mean[SIDE_B]);

	int order = compare_numbers(y->changed, x->changed) ?: compare_numbers(of_y, of_x);

	for (unsigned k = 0; k < d->nr_keys && !order; k++)
		order = strcmp(x->values[k], y->values[k]);
	return order;
}

/* ---- all of it ---- */

static struct run *add_runs(struct diff *d, const struct diff_run *given, size_t nr)
{
	struct run *runs = xcalloc(nr, sizeof(*runs));
	size_t at = 0;

	for (int side = 0; side < NR_SIDES; side++)
		for (size_t i = 0; i < nr; i++)
			if ((int)given[i].side == side) {
				runs[at++].of = &given[i];
				d->nr_runs[side]++;
				d->damaged[side] |= given[i].damaged;
			}
	d->sampling_only = d->nr_runs[SIDE_A] < 2 || d->nr_runs[SIDE_B] < 2;
	d->unit = profile_data(given[0].profile)->events.v[given[0].event].unit;
	d->waits = is_named(&given[0], OFF_CPU_NAME);
	d->wall = is_named(&given[0], WALL_EVENT);
	d->counted = true;
	for (size_t i = 0; i < nr; i++)
		d->counted &= is_counted(event_of(&runs[i]));
	return runs;
}

static struct match *match_runs(const struct making *m)
{
	struct diff_run *list = xcalloc(m->nr, sizeof(*list));
	struct match *match;

	for (size_t i = 0; i < m->nr; i++)
		list[i] = *m->runs[i].of;
	match = match_new(list, m->nr);
	free(list);
	return match;
}

static int compare(struct making *m)
{
	struct diff *d = m->diff;

	d->match = m->opts->match ? m->opts->match : (d->own_match = match_runs(m));
	for (size_t i = 0; i < m->nr; i++)
		make_rows(m, i);
	for (size_t i = 0; i < m->nr; i++)
		sum_up(m, &m->runs[i]);
	for (size_t i = 0; i < m->nr; i++) {
		struct run *run = &m->runs[i];

		if (find_divisor(run->of, m->opts, run->total.period, &run->divisor))
			return -1;
		divide(m, run);
	}
	for (uint32_t i = 0; i < d->rows.nr; i++)
		estimate_row(m, &d->rows.v[i], i);
	estimate_row(m, &d->total, ANY_ROW);
	find_changed(m);
	if (d->sampling_only && d->counted)
		forget_errors(d);
	if (d->rows.nr)
		qsort_r(d->rows.v, d->rows.nr, sizeof(*d->rows.v), compare_rows, d);
	return 0;
}

int diff_new(struct diff **out, const struct diff_run *runs, size_t nr, const struct diff_opts *opts)
{
	struct diff *d = xcalloc(1, sizeof(*d));
	struct making m = { .diff = d, .opts = opts, .nr = nr };
	int err;

	d->strings = strtab_new();
	d->per = opts->per;
	d->total.function = UINT32_MAX;
	d->nr_keys = diff_keys_parse(d->keys, opts->keys);
	m.runs = add_runs(d, runs, nr);
	err = compare(&m);
	for (size_t i = 0; i < nr; i++) {
		free(m.runs[i].rows);
		vec_free(&m.runs[i].cells);
	}
	free(m.runs);
	index_release(&m.by_values);
	if (err)
		diff_free(d);
	*out = err ? NULL : d;
	return err;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	match_free(d->own_match);
	strtab_free(d->strings);
	vec_free(&d->rows);
	free(d);
}
