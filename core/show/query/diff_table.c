/*
 * Implements the SQL table "diff" of prec query, which compares two recordings. Its rows are the functions that prec diff prints
 * (core/show/diff/diff.h).
 */
#include "core/show/query/row_lists.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/log.h"
#include "core/profile/session_profile.h"
#include "core/read/filter.h"
#include "core/show/diff/diff.h"

struct event_row { const char *event; struct diff_row row; };

struct diff_lists {
	struct profile *profiles[NR_SIDES];		/* owned */
	VEC(struct diff *) diffs;			/* owned: one for each event that both recordings have */
	VEC(struct event_row) rows;
};

/* ---- the comparison ---- */

static struct profile *profile_of(struct query *q)
{
	struct profile_query want = { .max_depth = q->opts.max_depth, .inlines = q->opts.inlines, .times = true };
	struct filter *filter = query_filter(q);
	struct profile *p;

	if (!filter)
		return NULL;
	want.filter = filter;
	p = profile_of_session(q->opts.session, &want);
	filter_free(filter);
	findings_unite(&q->found, profile_findings(p));
	return p;
}

static uint32_t find_event(const struct profile *p, const char *name)
{
	const struct profile_data *d = profile_data(p);

	for (uint32_t i = 0; i < d->events.nr; i++)
		if (str_eq(profile_string(p, d->events.v[i].name), name))
			return i;
	return PROFILE_NONE;
}

static void add_event(struct query *q, struct diff_lists *l, uint32_t event)
{
	const struct profile_data *a = profile_data(l->profiles[SIDE_A]);
	const char *name = profile_string(l->profiles[SIDE_A], a->events.v[event].name);
	struct diff_run runs[] = {
		{ .profile = l->profiles[SIDE_A], .event = event, .side = SIDE_A },
		{ .profile = l->profiles[SIDE_B], .event = find_event(l->profiles[SIDE_B], name), .side = SIDE_B },
	};
	struct diff *d;

	if (runs[1].event == PROFILE_NONE ||
	    !(a->events.v[event].nr + profile_data(runs[1].profile)->events.v[runs[1].event].nr))
		return;
	if (diff_new(&d, runs, ARRAY_SIZE(runs), &(struct diff_opts){ .keys = "symbol,dso", .per = PER_RUN })) {
		query_fail(q);
		return;
	}
	vec_push(&l->diffs, d);
	vec_for(row, &d->rows)
		vec_push(&l->rows, ((struct event_row){ name, *row }));
}

void diff_lists_free(struct diff_lists *l)
{
	if (!l)
		return;
	vec_for(d, &l->diffs)
		diff_free(*d);
	for (int side = 0; side < NR_SIDES; side++)
		profile_free(l->profiles[side]);
	vec_free(&l->diffs);
	vec_free(&l->rows);
	free(l);
}

static struct query_list list_diffs(struct query *q)
{
	struct diff_lists *l = q->diffs;

	if (l)
		return QUERY_LIST(&l->rows);
	q->diffs = l = xcalloc(1, sizeof(*l));
	l->profiles[SIDE_A] = profile_of(q);
	l->profiles[SIDE_B] = l->profiles[SIDE_A] ? profile_of(q->others.v[0]) : NULL;
	for (uint32_t i = 0; l->profiles[SIDE_B] && i < profile_data(l->profiles[SIDE_A])->events.nr; i++)
		add_event(q, l, i);
	if (q->opts.is_stopped && q->opts.is_stopped()) {
		error("the query was interrupted");
		query_fail(q);
	}
	if (!q->failed)
		return QUERY_LIST(&l->rows);
	diff_lists_free(l);
	q->diffs = NULL;
	return (struct query_list){0};
}

/* ---- columns ---- */

static void put_finite(double v, sqlite3_context *out)
{
	if (isfinite(v))
		sqlite3_result_double(out, v);
}

static void diff_error(const struct query_row *r, sqlite3_context *out)
{
	put_finite(((const struct event_row *)r->item)->row.difference.error, out);
}

static void diff_ratio(const struct query_row *r, sqlite3_context *out)
{
	put_finite(((const struct event_row *)r->item)->row.ratio.value, out);
}

static const struct query_column diff_columns[] = {
	{ "event", "of both recordings", "TEXT", MEMBER(event_row, event) },
	{ "symbol", "a function of a, or matched with it of b", "TEXT", MEMBER(event_row, row.values[0]) },
	{ "dso", "its file", "TEXT", MEMBER(event_row, row.values[1]) },
	{ "self_a", "the period of its own samples in a", "REAL", MEMBER(event_row, row.mean[SIDE_A]) },
	{ "self_b", "the same in b", "REAL", MEMBER(event_row, row.mean[SIDE_B]) },
	{ "change", "self_b - self_a", "REAL", MEMBER(event_row, row.difference.value) },
	{ "ratio", "self_b / self_a - 1; null: it is new", "REAL", .put = diff_ratio },
	{ "error", "change may be off by so much (95 %); null: not known", "REAL", .put = diff_error },
	{ "changed", "1: by more than sampling and runs differ by", "INTEGER", MEMBER(event_row, row.changed) },
	{ "samples_a", "how many", "INTEGER", MEMBER(event_row, row.nr[SIDE_A]) },
	{ "samples_b", "how many", "INTEGER", MEMBER(event_row, row.nr[SIDE_B]) },
};

const struct query_table diff_table = {
	.name = "diff", .about = "functions of the recordings a and b (two of -i), as prec diff has them",
	.columns = diff_columns, .nr_columns = ARRAY_SIZE(diff_columns), .list = list_diffs,
};
