/*
 * Implements the SQL table 'counts' of prec query. A row is the value of a counter at one moment, from a READ record (prec
 * record -n, -s) or from a sample with PERF_SAMPLE_READ (event modifier :S).
 * Layer: query
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

struct count_lists { VEC(struct count_row) rows; };

struct counting { const struct event_table *events; struct count_lists *all; };

/* ---- the walk ---- */

static bool wants(uint32_t type)
{
	return type == PERF_RECORD_READ || type == PERF_RECORD_SAMPLE;
}

static bool reads_counters(const void *ctx, const struct event *ev)
{
	(void)ctx;
	return ev->layout.type & PERF_SAMPLE_READ;
}

/*
 * Adds a row for each counter in @w, which begins with the times. Each member of a group has a READ record with the values of all
 * members. From such a record, only the value of the member itself, @own, becomes a row.
 */
static void add_values(struct count_lists *l, const struct counting *c, const struct event *ev, const struct words *w, uint64_t at,
		       bool own, struct count_row row)
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
					     event_by_id(c->events, words_at(w, at + read.id)) : read.group ? NULL : ev;

		if (own && member != ev)
			continue;
		row.event = member ? member->name : NULL;
		row.value = words_at(w, at);
		row.id = row.has_id && at + read.id < w->nr ? words_at(w, at + read.id) : 0;
		row.lost = row.has_lost && at + read.lost < w->nr ? words_at(w, at + read.lost) : 0;
		vec_push(&l->rows, row);
	}
}

static void add_record(void *worker, void *ctx, const struct item *item)
{
	const struct record *r = item->record;
	const struct counting *c = ctx;
	struct count_row row = { .time = item->time, .position = item->position };

	if (!item->event)
		return;
	if (r->header.type == PERF_RECORD_READ) {
		row.kind = r->header.misc & RECORD_MISC_READ_TOTAL ? TOTAL : AT_EXIT;
		row.pid = (int32_t)r->read.pid;
		row.tid = (int32_t)r->read.tid;
		row.cpu = r->id.cpu;
		row.has_cpu = r->id.has_cpu && r->id.cpu != UINT32_MAX;
		add_values(worker, c, item->event, &r->read.values, read_layout_of(item->event->attr.read_format).group, true, row);
	} else if (item->sample && reads_counters(NULL, item->event)) {
		row.kind = IN_SAMPLE;
		row.pid = (int32_t)item->sample->pid;
		row.tid = (int32_t)sample_owner(item->sample);
		row.cpu = item->sample->cpu;
		row.has_cpu = event_shows(item->event, PERF_SAMPLE_CPU);
		add_values(worker, c, item->event, &item->sample->read, 0, false, row);
	}
}

static void merge(void *worker, void *ctx)
{
	struct counting *c = ctx;
	struct count_lists *own = worker;

	vec_append(&c->all->rows, &own->rows);
	vec_free(&own->rows);
}

/* Values of one record keep their order. */
ORDER(compare_rows, struct count_row, compare_numbers(a->time, b->time) ?: compare_numbers(a->position, b->position))

static size_t nr_counts(struct query *q)
{
	static const struct record_pass pass = {
		.worker_size = sizeof(struct count_lists), .wants = wants, .wants_event = reads_counters, .record = add_record,
		.merge = merge,
	};
	struct counting c = { .events = session_events(q->opts.session) };

	if (!q->counts) {
		c.all = q->counts = xcalloc(1, sizeof(*q->counts));
		session_records(q->opts.session, &pass, &c);
		vec_sort(&c.all->rows, compare_rows);
	}
	return q->counts->rows.nr;
}

void count_lists_free(struct count_lists *l)
{
	if (l)
		vec_free(&l->rows);
	free(l);
}

/* ---- columns ---- */

static const struct count_row *count_at(const struct query_row *r)
{
	return &r->query->counts->rows.v[r->number];
}

static bool put_count(uint64_t v, bool known, int64_t *out)
{
	*out = (int64_t)MIN(v, INT64_MAX);
	return known;
}

static bool count_time(const struct query_row *r, int64_t *out) { return put_time(count_at(r)->time, out); }
static bool count_value(const struct query_row *r, int64_t *out) { return put_count(count_at(r)->value, true, out); }

static bool count_enabled(const struct query_row *r, int64_t *out)
{
	return put_count(count_at(r)->enabled, count_at(r)->has_times, out);
}

static bool count_running(const struct query_row *r, int64_t *out)
{
	return put_count(count_at(r)->running, count_at(r)->has_times, out);
}

static bool count_lost(const struct query_row *r, int64_t *out) { return put_count(count_at(r)->lost, count_at(r)->has_lost, out); }
static bool count_id(const struct query_row *r, int64_t *out) { return put_count(count_at(r)->id, count_at(r)->has_id, out); }
static bool count_cpu(const struct query_row *r, int64_t *out) { return put_count(count_at(r)->cpu, count_at(r)->has_cpu, out); }
static void count_event(const struct query_row *r, sqlite3_context *out) { put_static_text(out, count_at(r)->event); }

static bool count_pid(const struct query_row *r, int64_t *out)
{
	*out = count_at(r)->pid;
	return true;
}

static bool count_tid(const struct query_row *r, int64_t *out)
{
	*out = count_at(r)->tid;
	return true;
}

static void count_kind(const struct query_row *r, sqlite3_context *out)
{
	static const char *const names[] = { [AT_EXIT] = "exit", [TOTAL] = "total", [IN_SAMPLE] = "sample" };

	put_static_text(out, names[count_at(r)->kind]);
}

static const struct query_column count_columns[] = {
	{ "time", "ns: when the counter was read", "INTEGER", .number = count_time },
	{ "kind", "total (record -n), exit (of a thread, record -s), sample (record -e '{a,b}:S')", "TEXT", .put = count_kind },
	{ "event", "its name", "TEXT", .put = count_event },
	{ "pid", "process; -1: of a CPU", "INTEGER", .number = count_pid },
	{ "tid", "thread", "INTEGER", .number = count_tid },
	{ "cpu", "the CPU", "INTEGER", .number = count_cpu },
	{ "value", "what it had counted; a total includes what exits have", "INTEGER", .number = count_value },
	{ "enabled", "ns for which it was to count", "INTEGER", .number = count_enabled },
	{ "running", "ns for which it counted", "INTEGER", .number = count_running },
	{ "lost", "its samples that were lost", "INTEGER", .number = count_lost },
	{ "id", "the counter's number", "INTEGER", .number = count_id },
};

const struct query_table counts_table = {
	.name = "counts", .about = "values of counters", .columns = count_columns,
	.nr_columns = ARRAY_SIZE(count_columns), .nr = nr_counts,
};
