/*
 * Makes the profile that an SQL statement of prec query reads, with only the data that the statement needs. Later statements use
 * the same profile, unless they need more data.
 */
#include "core/show/query/sum_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/read/filter.h"
#include "core/hists/layout.h"
#include "core/profile/session_profile.h"
#include "core/hists/trace_key.h"

#define NS	1000000000u

/* ---- the profile ---- */

/* The only event of the profile; NULL: all events. */
static const struct event *event_of(const struct query *q)
{
	return q->all_events ? NULL : q->event;
}

static bool is_made(const struct query *q, const char *filter)
{
	return q->profile && !(q->parts & ~q->made_parts) && str_eq(q->key_list ? q->key_list : "", q->made_keys) &&
	       (!q->made_event || q->made_event == event_of(q)) && str_eq(filter, q->made_filter);
}

/* The filter in the statement itself, as values of --time, --tid and --cpu; NULL: not filtered. Owned. */
struct own_filter { char *time, *tids, *cpus; };

static char *list_of(const struct query_ids *ids)
{
	struct buf text = {0};
	char *list;

	if (ids->all || !ids->list.nr)
		return NULL;
	vec_for(id, &ids->list)
		buf_printf(&text, "%s%" PRIu32, text.len ? "," : "", *id);
	list = xstrdup(buf_str(&text));
	buf_release(&text);
	return list;
}

static struct own_filter own_filter_of(const struct query *q)
{
	bool all = q->all_samples || q->from > q->to;	/* .from > .to: no table of samples is used */

	return (struct own_filter){
		.time = all || (!q->from && q->to == INT64_MAX) ? NULL :
			xasprintf("%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64, q->from / NS, q->from % NS,
				  (q->to + 1) / NS, (q->to + 1) % NS),
		.tids = all ? NULL : list_of(&q->tids), .cpus = all ? NULL : list_of(&q->cpus),
	};
}

static void own_filter_release(struct own_filter *own)
{
	free(own->time);
	free(own->tids);
	free(own->cpus);
}

static char *own_filter_text(const struct own_filter *own)
{
	return xasprintf("%s|%s|%s", own->time ? own->time : "", own->tids ? own->tids : "", own->cpus ? own->cpus : "");
}

/* The command line's filter, plus options of the statement's filter that it lacks. 0 and *out (filter_free()), or -1 (printed). */
static int make_filter(const struct query *q, const struct own_filter *own, struct filter **out)
{
	struct filter_opts opts = *q->opts.filter;

	opts.time = opts.time ? opts.time : own->time;
	opts.tids = opts.tids ? opts.tids : own->tids;
	opts.cpus = opts.cpus ? opts.cpus : own->cpus;
	return filter_new(out, &opts, q->opts.session);
}

/* 0, or -1 (printed). */
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
	vec_free(&q->lines);
	q->lines_made = false;
	profile_free(q->profile);
	q->profile = NULL;
	free(q->made_keys);
	q->made_keys = NULL;
	free(q->made_filter);
	q->made_filter = NULL;
	free(q->frame_starts);
	q->frame_starts = NULL;
}

static const struct profile *make_profile(struct query *q, const struct own_filter *own)
{
	struct layout layout = {0};
	struct filter *filter = NULL;
	struct profile_query want = {
		.max_depth = q->parts & PART_STACKS ? q->opts.max_depth : 0,
		.inlines = q->opts.inlines, .cpus = q->parts & PART_CPUS, .times = q->parts & PART_TIMES,
		.merge_threads = !(q->parts & (PART_THREADS | PART_TIMES)), .merge_addresses = !(q->parts & PART_ADDRESSES),
		.merge_code = !(q->parts & PART_CODE),
		.frames = q->parts & PART_LINES ? PROFILE_BY_LINE : PROFILE_BY_FUNCTION, .sources = true,
		.event = event_of(q), .only_wanted = true,
	};

	if ((q->key_list && parse_keys(q, &layout)) || make_filter(q, own, &filter)) {
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
	q->made_event = event_of(q);
	q->made_keys = xstrdup(q->key_list ? q->key_list : "");
	findings_unite(&q->found, profile_findings(q->profile));
	return q->profile;
}

const struct profile *query_profile(struct query *q)
{
	struct own_filter own = own_filter_of(q);
	char *text = own_filter_text(&own);
	const struct profile *p = is_made(q, text) ? q->profile : make_profile(q, &own);

	if (p) {
		free(q->made_filter);
		q->made_filter = xstrdup(text);
	}
	free(text);
	own_filter_release(&own);
	return p;
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

bool query_has_table(const struct query *q, const char *name)
{
	vec_for(t, &q->tables)
		if (!sqlite3_stricmp(name, (*t)->name))
			return true;
	return false;
}
