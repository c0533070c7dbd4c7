/*
 * Implements the SQL table 'counts' of prec query. A row is the value of a counter at one moment, from a READ record (prec
 * record -n, -s) or from a sample with PERF_SAMPLE_READ (event modifier :S).
 */
#include "core/show/query/query_impl.h"

#include <stdlib.h>

#include "core/perfdata/read_format.h"
#include "core/read/item.h"
#include "core/read/session.h"

struct count_row {
	uint64_t time, position, value, enabled, running, lost, id;
	const char *event;		/* NULL: not known */
	int32_t pid, tid;
	uint32_t cpu;
	bool has_cpu, has_times, has_lost, has_id;
	enum { AT_EXIT, TOTAL, IN_SAMPLE } kind;
};

struct count_rows { VEC(struct count_row) list; };	/* of a worker */

/* ---- the walk ---- */

static bool reads_counters(const void *ctx, const struct event *ev)
{
	return ev->layout.type & PERF_SAMPLE_READ;
}

/* @w begins with the times. A record of a group's member has the values of all, but only its own (@own) becomes a row. */
static void add_values(struct count_rows *l, const struct event_table *events, const struct event *ev, const struct words *w,
		       uint64_t at, bool own, struct count_row row)
{
	struct read_layout read = read_layout_of(ev->attr.read_format);
	uint64_t end = read.group ? w->nr : MIN(w->nr, at + read.step);

	if (read.enabled != READ_NONE && read.running != READ_NONE && at + MAX(read.enabled, read.running) < w->nr) {
		row.has_times = true;
		row.enabled = words_at(w, at + read.enabled);
		row.running = words_at(w, at + read.running);
	}
	row.has_id = read.id != READ_NONE;
	row.has_lost = read.lost != READ_NONE;
	for (at += read.values; at < end && at + (read.group ? read.step : 1) <= w->nr; at += read.step) {
		const struct event *member = row.has_id && at + read.id < w->nr ?
					     event_by_id(events, words_at(w, at + read.id)) : read.group ? NULL : ev;

		if (own && member != ev)
			continue;
		row.event = member ? member->name : NULL;
		row.value = words_at(w, at);
		row.id = row.has_id && at + read.id < w->nr ? words_at(w, at + read.id) : 0;
		row.lost = row.has_lost && at + read.lost < w->nr ? words_at(w, at + read.lost) : 0;
		vec_push(&l->list, row);
	}
}

static void add_record(void *worker, void *ctx, const struct item *item)
{
	const struct record *r = item->record;
	const struct event_table *events = session_events(((const struct query *)ctx)->opts.session);
	struct count_row row = { .time = item->time, .position = item->position };

	if (!item->event)
		return;
	if (r->header.type == PERF_RECORD_READ) {
		row.kind = r->header.misc & RECORD_MISC_READ_TOTAL ? TOTAL : AT_EXIT;
		row.pid = (int32_t)r->read.pid;
		row.tid = (int32_t)r->read.tid;
		row.cpu = r->id.cpu;
		row.has_cpu = r->id.has_cpu && r->id.cpu != UINT32_MAX;
		add_values(worker, events, item->event, &r->read.values, read_layout_of(item->event->attr.read_format).group, true,
			   row);
	} else if (item->sample && reads_counters(NULL, item->event)) {
		row.kind = IN_SAMPLE;
		row.pid = (int32_t)item->sample->pid;
		row.tid = (int32_t)sample_owner(item->sample);
		row.cpu = item->sample->cpu;
		row.has_cpu = event_shows(item->event, PERF_SAMPLE_CPU);
		add_values(worker, events, item->event, &item->sample->read, 0, false, row);
	}
}

static void merge(void *worker, void *ctx)
{
	struct query *q = ctx;
	struct count_rows *own = worker;

	vec_append(&q->counts, &own->list);
	vec_free(&own->list);
}

/* Values of one record keep their order. */
ORDER(compare_rows, struct count_row, compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

static struct query_list list_counts(struct query *q)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct count_rows), .types = { PERF_RECORD_READ, PERF_RECORD_SAMPLE },
		.wants_event = reads_counters, .record = add_record, .merge = merge,
	};

	if (!q->counts_made) {
		q->counts_made = true;
		session_records(q->opts.session, &pass, q);
		vec_sort(&q->counts, compare_rows);
	}
	return QUERY_LIST(&q->counts);
}

/* ---- columns ---- */

static void count_kind(const struct query_row *r, sqlite3_context *out)
{
	static const char *const names[] = { [AT_EXIT] = "exit", [TOTAL] = "total", [IN_SAMPLE] = "sample" };

	put_static_text(out, names[((const struct count_row *)r->item)->kind]);
}

static const struct query_column count_columns[] = {
	{ "time", "ns: when the counter was read", "INTEGER", MEMBER(count_row, time), .rule = RULE_TIME },
	{ "kind", "total (record -n), exit (of a thread, record -s), sample (record -e '{a,b}:S')", "TEXT", .put = count_kind },
	{ "event", "its name", "TEXT", MEMBER(count_row, event) },
	{ "pid", "process; -1: of a CPU", "INTEGER", MEMBER(count_row, pid) },
	{ "tid", "thread", "INTEGER", MEMBER(count_row, tid) },
	{ "cpu", "the CPU", "INTEGER", MEMBER(count_row, cpu), KNOWN_IF(count_row, has_cpu) },
	{ "value", "what it had counted; a total includes what exits have", "INTEGER",
	  MEMBER(count_row, value), .rule = RULE_MOST },
	{ "enabled", "ns for which it was to count", "INTEGER",
	  MEMBER(count_row, enabled), .rule = RULE_MOST, KNOWN_IF(count_row, has_times) },
	{ "running", "ns for which it counted", "INTEGER",
	  MEMBER(count_row, running), .rule = RULE_MOST, KNOWN_IF(count_row, has_times) },
	{ "lost", "its samples that were lost", "INTEGER",
	  MEMBER(count_row, lost), .rule = RULE_MOST, KNOWN_IF(count_row, has_lost) },
	{ "id", "the counter's number", "INTEGER", MEMBER(count_row, id), .rule = RULE_MOST, KNOWN_IF(count_row, has_id) },
};

const struct query_table counts_table = {
	.name = "counts", .about = "values of counters", .columns = count_columns,
	.nr_columns = ARRAY_SIZE(count_columns), .list = list_counts,
};
