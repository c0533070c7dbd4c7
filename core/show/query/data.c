/*
 * The data behind the tables: the profile that a statement needs, and what lives as long as the query.
 * Layer: query
 */
#include "core/show/query/sum_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/hists/layout.h"
#include "core/profile/session_profile.h"
#include "core/hists/trace_key.h"

#define NS	1000000000u

/* ---- the profile ---- */

/* The event that the profile is of; NULL: all. */
static const struct event *event_of(const struct query *q)
{
	return q->all_events ? NULL : q->event;
}

static bool is_made(const struct query *q)
{
	return q->profile && !(q->parts & ~q->made_parts) && str_eq(q->key_list ? q->key_list : "", q->made_keys) &&
	       q->sources == q->made_sources && (!q->made_event || q->made_event == event_of(q)) &&
	       q->from == q->made_from && q->to == q->made_to;
}

/*
 * The filter of the command line, with the statement's times if the command line has none of its own. Returns 0 and *out
 * (filter_free()), or -1 (printed).
 */
static int make_filter(const struct query *q, struct filter **out)
{
	struct filter_opts opts = *q->opts.filter;
	char *time = NULL;
	int err;

	if (!opts.time && (q->from || q->to < INT64_MAX))
		opts.time = time = xasprintf("%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64, q->from / NS, q->from % NS,
					     (q->to + 1) / NS, (q->to + 1) % NS);
	err = filter_new(out, &opts, q->opts.session);
	free(time);
	return err;
}

/* Prints what is wrong; 0 or -1. */
static int parse_keys(struct query *q, struct layout *layout)
{
	unsigned nr = 1;
	struct layout_opts opts = { .sort = q->key_list, .fields = q->key_list, .find_more = trace_keys_find,
				    .find_more_ctx = q->traces };

	for (const char *p = q->key_list; *p; p++)
		nr += *p == ',';
	if (nr > MAX_COLUMNS)
		return error("the statement uses %u fields of tracepoints and other optional columns, and %u can be read at once: "
			     "name the columns that are needed", nr, MAX_COLUMNS);
	return layout_parse(layout, &opts);
}

void query_forget_orders(struct query *q)
{
	vec_for(o, &q->orders) {
		free(o->text);
		free(o->rows);
	}
	vec_free(&q->orders);
}

void query_forget_profile(struct query *q)
{
	query_forget_orders(q);
	query_forget_keyed(q);
	query_forget_lines(q);
	profile_free(q->profile);
	q->profile = NULL;
	free(q->made_keys);
	q->made_keys = NULL;
	free(q->frame_starts);
	q->frame_starts = NULL;
}

const struct profile *query_profile(struct query *q)
{
	struct layout layout = {0};
	struct filter *filter = NULL;
	struct profile_query want = {
		.max_depth = q->parts & PART_STACKS ? q->opts.max_depth : 0,
		.inlines = q->opts.inlines, .cpus = q->parts & PART_CPUS, .times = q->parts & PART_TIMES,
		.merge_threads = !(q->parts & (PART_THREADS | PART_TIMES)), .merge_addresses = !(q->parts & PART_ADDRESSES),
		.merge_code = !(q->parts & (PART_CODE | PART_TIMES)),
		.frames = q->parts & PART_LINES ? PROFILE_BY_LINE : PROFILE_BY_FUNCTION, .sources = q->sources,
		.event = event_of(q),
	};

	if (q->all_times || q->from > q->to) {
		q->from = 0;
		q->to = INT64_MAX;
	}
	if (is_made(q))
		return q->profile;
	if ((q->key_list && parse_keys(q, &layout)) || make_filter(q, &filter)) {
		filter_free(filter);
		return NULL;
	}
	if (q->key_list) {
		want.columns = &layout;
		want.traces = q->traces;
	}
	want.filter = filter;
	want.merge_code &= !filter_has_names(filter);
	query_forget_profile(q);
	q->profile = profile_of_session(q->opts.session, &want);
	filter_free(filter);
	if (q->opts.is_stopped && q->opts.is_stopped()) {
		query_forget_profile(q);
		error("the query was interrupted");
		return NULL;
	}
	q->made_parts = q->parts;
	q->made_sources = q->sources;
	q->made_event = event_of(q);
	q->made_from = q->from;
	q->made_to = q->to;
	q->made_keys = xstrdup(q->key_list ? q->key_list : "");
	findings_unite(&q->found, profile_findings(q->profile));
	return q->profile;
}

/* ---- what lives as long as the query ---- */

void *query_keep(struct query *q, void *p)
{
	vec_push(&q->kept, p);
	return p;
}

const struct query *query_recording(const struct query *q, uint64_t number)
{
	return !number ? q->first : number <= q->first->others.nr ? q->first->others.v[number - 1] : NULL;
}

const struct profile *query_stack(const struct query *q, int64_t id, uint32_t *recording, uint32_t *stack)
{
	const struct query *of = query_recording(q, (uint64_t)id >> 32);

	if (!of || !of->profile || (uint32_t)id >= profile_data(of->profile)->stacks.nr)
		return NULL;
	*recording = of->number;
	*stack = (uint32_t)id;
	return of->profile;
}

void query_add_table(struct query *q, const struct query_table *t)
{
	struct query_table *copy = xmalloc(sizeof(*copy));

	*copy = *t;
	copy->query = q;
	vec_push(&q->tables, copy);
}
