/*
 * Implements pairs(), an SQL table function of prec query. Each row is a pair of an earlier event of one tracepoint and a later
 * event of another, such as a system call's entry and return. virtual_table.c calls it.
 */
#include "core/show/query/sum_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/radix.h"
#include "core/read/session.h"
#include "core/show/query/row_lists.h"

enum { ARGUMENT_FIRST, ARGUMENT_SECOND, ARGUMENT_BY, ARGUMENT_FIELDS, ARGUMENT_SECOND_FIELDS, NR_ARGUMENTS };

#define MAX_FIELDS 6		/* fields of the first hit: columns first_1, ... */
#define MAX_SECOND_FIELDS 4	/* fields of the second hit: columns second_1, ... */

struct side {			/* the first hits, or the second hits */
	const struct query_table *table;
	unsigned by;		/* the column whose value both hits of a pair share */
	unsigned fields[MAX_FIELDS], nr_fields;
	uint32_t *values;	/* owned: query_find_values() */
	bool thinned;		/* some hits were not recorded as samples */
};

struct pair_value { uint64_t value; enum value_kind kind; };

struct pair_row {
	uint64_t begin, end;
	struct pair_value values[];	/* values of the first hit, then of the second */
};

/* A first hit that waits for its second. */
struct open_pair {
	struct pair_value key;
	bool open;
	struct pair_row *row;		/* owned */
};

struct query_pairs {
	struct side first, second;
	size_t row_size;
	VEC(uint8_t) rows;		/* .row_size bytes each, in order of .end or of the statement's ORDER BY */
	size_t nr;
	VEC(struct open_pair) open;
	struct index open_by_key;
	char *wrong;			/* owned; see parse_arguments() */
};

/* ---- arguments ---- */

static const struct query_table *table_of_hits(struct query_pairs *p, const struct query *q, const char *name)
{
	vec_for(t, &q->tables)
		if ((*t)->event && name && (!sqlite3_stricmp((*t)->name, name) || str_eq((*t)->event->name, name)))
			return *t;
	p->wrong = xasprintf("pairs() takes two recorded tracepoints, and '%s' was not recorded (prec query --schema -i FILE "
			     "prints the tables)", name ? name : "");
	return NULL;
}

static bool find_column(struct query_pairs *p, const struct query_table *t, const char *name, size_t n, unsigned *out)
{
	for (unsigned i = 0; i < t->nr_columns; i++)
		if (query_is_compared(&t->columns[i]) && strlen(t->columns[i].name) == n &&
		    !sqlite3_strnicmp(t->columns[i].name, name, (int)n)) {
			*out = i;
			return true;
		}
	p->wrong = xasprintf("pairs(): table '%s' has no column '%.*s' that can be compared", t->name, (int)n, name);
	return false;
}

/* Parses "tid", or "column of the first=column of the second". */
static bool find_keys(struct query_pairs *p, const char *by)
{
	const char *first = by ? by : "tid", *equals = strchr(first, '=');
	size_t n = equals ? (size_t)(equals - first) : strlen(first);
	const char *second = equals ? equals + 1 : first;

	return find_column(p, p->first.table, first, n, &p->first.by) &&
	       find_column(p, p->second.table, second, strlen(second), &p->second.by);
}

/* Parses a list of columns: "id,stack". */
static bool find_fields(struct query_pairs *p, struct side *s, const char *list, unsigned most)
{
	for (const char *at = list; at && *at; at += *at == ',') {
		size_t n = strcspn(at, ",");

		if (s->nr_fields == most) {
			p->wrong = xasprintf("pairs(): '%s' are more than %u columns of '%s'", list, most, s->table->name);
			return false;
		}
		if (!find_column(p, s->table, at, n, &s->fields[s->nr_fields]))
			return false;
		s->nr_fields++;
		at += n;
	}
	return true;
}

/* False: p->wrong says why. */
static bool parse_arguments(struct query_pairs *p, const struct query *q, const char *const *arguments)
{
	p->first.table = table_of_hits(p, q, arguments[ARGUMENT_FIRST]);
	p->second.table = p->first.table ? table_of_hits(p, q, arguments[ARGUMENT_SECOND]) : NULL;
	return p->second.table && find_keys(p, arguments[ARGUMENT_BY]) &&
	       find_fields(p, &p->first, arguments[ARGUMENT_FIELDS], MAX_FIELDS) &&
	       find_fields(p, &p->second, arguments[ARGUMENT_SECOND_FIELDS], MAX_SECOND_FIELDS);
}

static void use_side(struct query *q, const struct side *s)
{
	query_use_column(q, s->table, s->by);
	for (unsigned i = 0; i < s->nr_fields; i++)
		query_use_column(q, s->table, s->fields[i]);
}

static char *plan_pairs(struct query *q, const char *const *arguments)
{
	struct query_pairs p = {0};

	if (parse_arguments(&p, q, arguments)) {
		use_side(q, &p.first);
		use_side(q, &p.second);
	}
	return p.wrong;
}

/* ---- rows ---- */

static struct pair_row *pair_at(const struct query_pairs *p, size_t number)
{
	return (struct pair_row *)(p->rows.v + number * p->row_size);
}

static struct pair_value value_at(struct query_row *row, const struct side *s, unsigned column)
{
	struct pair_value v = {0};

	row->values = s->values;
	v.kind = query_value(row, s->table, column, &v.value);
	return v;
}

/* The entry with this key, which is made on demand. NULL: --max-memory is used up. */
static struct open_pair *open_pair(struct query_pairs *p, struct pair_value key, struct row_room *room)
{
	uint64_t hash = hash_pair(key.kind, key.value);
	struct open_pair pair = { .key = key };

	index_for(pos, &p->open_by_key, hash)
		if (p->open.v[pos].key.value == key.value && p->open.v[pos].key.kind == key.kind)
			return &p->open.v[pos];
	if (!row_room_reserve(room, p->open.nr < INDEX_OTHER ? p->row_size + 2 * sizeof(pair) : SIZE_MAX))
		return NULL;
	index_add(&p->open_by_key, hash, (uint32_t)p->open.nr);
	pair.row = xcalloc(1, p->row_size);
	vec_push(&p->open, pair);
	return &p->open.v[p->open.nr - 1];
}

static void begin_pair(struct query_pairs *p, struct query_row *row, struct open_pair *pair)
{
	pair->open = true;
	pair->row->begin = row->sample.time;
	for (unsigned i = 0; i < p->first.nr_fields; i++)
		pair->row->values[i] = value_at(row, &p->first, p->first.fields[i]);
}

static bool end_pair(struct query_pairs *p, struct query_row *row, struct open_pair *pair, struct row_room *room)
{
	if (!row_room_reserve(room, p->nr < UINT32_MAX ? 2 * p->row_size + sizeof(struct radix_item) : SIZE_MAX))
		return false;
	pair->open = false;
	pair->row->end = row->sample.time;
	for (unsigned i = 0; i < p->second.nr_fields; i++)
		pair->row->values[p->first.nr_fields + i] = value_at(row, &p->second, p->second.fields[i]);
	vec_reserve(&p->rows, p->row_size);
	memcpy(p->rows.v + p->rows.nr, pair->row, p->row_size);
	p->rows.nr += p->row_size;
	p->nr++;
	return true;
}

/* With a frequency, the kernel chooses periods. With a fixed period, it writes each hit if samples contain the period. */
static bool is_thinned(const struct query_row *row, const struct event *ev)
{
	return ev->attr.freq ? row->sample.period > 1 : ev->attr.sample_period > 1 && !(ev->attr.sample_type & PERF_SAMPLE_PERIOD);
}

/* A hit that is both a second and a first hit ends a pair and begins the next. False: --max-memory is used up. */
static bool take_sample(struct query_pairs *p, struct query_row *row, struct row_room *room)
{
	const struct event *ev = session_events(row->query->opts.session)->events.v[row->weight->event];

	for (unsigned first = 0; first < 2; first++) {
		struct side *s = first ? &p->first : &p->second;
		struct pair_value key;
		struct open_pair *pair;

		if (!query_is_of_event(s->table, ev))
			continue;
		s->thinned |= is_thinned(row, ev);
		key = value_at(row, s, s->by);
		if (key.kind == VALUE_NULL)
			continue;
		pair = open_pair(p, key, room);
		if (!pair || (!first && pair->open && !end_pair(p, row, pair, room)))
			return false;
		if (first)
			begin_pair(p, row, pair);
	}
	return true;
}

static void find_thinned(const struct query_pairs *p, struct findings *out)
{
	struct findings found = {0};

	if (p->first.thinned)
		findings_add_share(&found, FINDING_PAIRS_THINNED, p->nr, 0, p->first.table->event->name, -1);
	if (p->second.thinned && p->second.table != p->first.table)
		findings_add_share(&found, FINDING_PAIRS_THINNED, p->nr, 0, p->second.table->event->name, -1);
	findings_unite(out, &found);
	findings_release(&found);
}

/* Reads the samples once in order of time, whereas SQLite's window functions would have to sort them. */
static void make_rows(struct query_pairs *p, struct query_row *row)
{
	struct profile_cursor c;
	struct row_room room;
	bool fits = true;

	row_room_init(&room, row->query);
	for (profile_cursor_init(&c, row->profile); fits && profile_cursor_next(&c, &row->sample);) {
		row->weight = &row->data->weights.v[row->sample.weight];
		fits = take_sample(p, row, &room);
	}
	profile_cursor_release(&c);
	row_room_check(&room, row->query, "pairs");
	find_thinned(p, &row->query->found);
}

static void release_work(struct query_pairs *p)
{
	vec_for(pair, &p->open)
		free(pair->row);
	vec_free(&p->open);
	index_release(&p->open_by_key);
	free(p->first.values);
	free(p->second.values);
	p->first.values = p->second.values = NULL;
}

/* ---- order ---- */

/* Sorts the rows by one column. Rows with equal values keep their order. */
static void sort_by(struct query_pairs *p, const struct query_row *like, unsigned column, bool descends, struct radix_item *items)
{
	struct query_row row = *like;

	for (size_t i = 0; i < p->nr; i++) {
		uint64_t value;
		enum value_kind kind;

		row.item = pair_at(p, items[i].number);
		kind = query_value(&row, &pairs_table, column, &value);
		value = kind == VALUE_NUMBER ? value ^ UINT64_C(1) << 63 : kind == VALUE_NULL ? 0 : value;
		items[i].high = descends ? VALUE_STRING - kind : kind;
		items[i].low = descends ? ~value : value;
	}
	radix_sort(items, p->nr);
}

/* Sorts by several columns: by the last of them first. */
static void sort_rows(struct query_pairs *p, const struct query_row *like, const char *order)
{
	struct radix_item *items = xmalloc(MAX(p->nr, 1) * sizeof(*items));
	VEC(struct { unsigned column; bool descends; }) keys = {0};
	VEC(uint8_t) sorted = {0};
	char *end;

	for (uint32_t i = 0; i < p->nr; i++)
		items[i].number = i;
	for (const char *at = order; *at; at = end + 1) {
		unsigned column = (unsigned)strtoul(at, &end, 10);

		vec_reserve(&keys, 1);
		keys.v[keys.nr].column = column;
		keys.v[keys.nr++].descends = *end == '-';
	}
	while (keys.nr--)
		sort_by(p, like, keys.v[keys.nr].column, keys.v[keys.nr].descends, items);
	vec_reserve(&sorted, p->rows.nr);
	for (size_t i = 0; i < p->nr; i++)
		memcpy(sorted.v + i * p->row_size, pair_at(p, items[i].number), p->row_size);
	free(p->rows.v);
	p->rows.v = sorted.v;
	p->rows.cap = sorted.cap;
	free(keys.v);
	free(items);
}

/* ---- the function ---- */

static void *make_pairs(const struct query_row *like, const char *const *arguments, const char *order)
{
	struct query_pairs *p = xcalloc(1, sizeof(*p));
	struct query_row row = *like;

	if (!parse_arguments(p, like->query, arguments)) {
		error("%s", p->wrong);
		query_fail(like->query);
		return p;
	}
	p->row_size = sizeof(struct pair_row) + (p->first.nr_fields + p->second.nr_fields) * sizeof(struct pair_value);
	p->first.values = query_find_values(&row, p->first.table);
	p->second.values = query_find_values(&row, p->second.table);
	make_rows(p, &row);
	release_work(p);
	row = *like;
	row.rows = p;
	if (*order)
		sort_rows(p, &row, order);
	return p;
}

static struct query_list list_pairs(const void *rows)
{
	const struct query_pairs *p = rows;

	return (struct query_list){ p->rows.v, p->nr, p->row_size };
}

static void free_pairs(void *rows)
{
	struct query_pairs *p = rows;

	release_work(p);
	vec_free(&p->rows);
	free(p->wrong);
	free(p);
}

/* ---- columns ---- */

static bool pair_duration(const struct query_row *r, int64_t *out)
{
	const struct pair_row *row = r->item;

	*out = (int64_t)(row->end - row->begin);
	return row->begin && row->end <= INT64_MAX;
}

#define FIRST_FIELD 3		/* the columns before first_1 */

static enum value_kind field_of(const struct query_row *r, unsigned number, uint64_t *out)
{
	const struct query_pairs *p = r->rows;
	unsigned field = number - FIRST_FIELD;
	bool second = field >= MAX_FIELDS;
	const struct pair_value *v = ((const struct pair_row *)r->item)->values;

	field -= second ? MAX_FIELDS : 0;
	if (field >= (second ? p->second.nr_fields : p->first.nr_fields))
		return VALUE_NULL;
	v += field + (second ? p->first.nr_fields : 0);
	*out = v->value;
	return v->kind;
}

static const struct query_column pair_columns[] = {
	{ "begin", "ns: when the first was hit", "INTEGER", MEMBER(pair_row, begin), .rule = RULE_TIME },
	{ "end", "ns: when the second was hit", "INTEGER", MEMBER(pair_row, end), .rule = RULE_TIME },
	{ "duration", "ns from the first to the second", "INTEGER", .number = pair_duration },
	{ "first_1", "what the first name in columns has in the first hit", "", .value = field_of },
	{ "first_2", "the second one", "", .value = field_of },
	{ "first_3", "the third one", "", .value = field_of },
	{ "first_4", "the fourth one", "", .value = field_of },
	{ "first_5", "the fifth one", "", .value = field_of },
	{ "first_6", "the sixth one", "", .value = field_of },
	{ "second_1", "the first of second_columns, of the second hit", "", .value = field_of },
	{ "second_2", "the second one", "", .value = field_of },
	{ "second_3", "the third one", "", .value = field_of },
	{ "second_4", "the fourth one", "", .value = field_of },
};

static const char *const argument_names[NR_ARGUMENTS] = {
	[ARGUMENT_FIRST] = "first", [ARGUMENT_SECOND] = "second", [ARGUMENT_BY] = "by", [ARGUMENT_FIELDS] = "columns",
	[ARGUMENT_SECOND_FIELDS] = "second_columns",
};

static const struct query_function pairs_function = {
	.arguments = argument_names, .nr_arguments = NR_ARGUMENTS, .plan = plan_pairs, .make = make_pairs, .list = list_pairs,
	.free = free_pairs,
};

const struct query_table pairs_table = {
	.name = "pairs",
	.about = "each hit of a tracepoint with one before it: pairs(first, second [, by [, columns [, second_columns]]])",
	.columns = pair_columns, .nr_columns = ARRAY_SIZE(pair_columns), .parts = PART_PROFILE | PART_TIMES,
	.function = &pairs_function,
};
