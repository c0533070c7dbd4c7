/*
 * Gives SQLite the rows of all SQL tables of prec query, through SQLite's virtual-table interface. For statements without the
 * time or another column that differs for each sample, sum_rows.c groups equal samples.
 */
#include "core/show/query/sum_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/read/session.h"

enum plan {			/* flags in sqlite3_index_info.idxNum */
	PLAN_RANGE	= 1,	/* read only the rows whose first column equals the argument */
	PLAN_SUMS	= 2,	/* read sums of equal samples */
	PLAN_ORDERED	= 4,	/* with PLAN_SUMS: in the order of idxStr */
	PLAN_KEYED	= 8,	/* with PLAN_SUMS: sums distinguish the values of key columns */
	PLAN_WHOLE	= 16,	/* with PLAN_SUMS: a sum is one row; else it is a row for each of its samples */
};

#define GUESSED_ROWS	100000	/* estimate for a table that is not made yet */
#define MAX_ARGUMENTS	8	/* arguments of a table function */

struct table {
	sqlite3_vtab base;
	struct query *query;
	const struct query_table *type;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_row row;
	size_t end;			/* the row.number after the last row; for sums, the .at; for single samples not used */
	struct query_list list;		/* not for tables of samples */
	bool done;
	/* Only for tables of samples. */
	bool by_sample;
	struct profile_cursor samples;	/* with .by_sample */
	bool keyed;			/* see sum_rows.h */
	bool whole;			/* each sum is one row */
	bool counts;			/* each sum is one row, because the statement calls count(*): counts.c */
	const uint32_t *order;		/* numbers of sums, in query.orders; borrowed. NULL: not sorted */
	struct conditions conditions;
	size_t at;			/* the next sum */
	uint64_t left;			/* rows of the present sum that were not returned yet */
	uint32_t *values;		/* owned; row.values */
	void *rows;			/* rows of a table function; owned. NULL: not made yet */
};

static const struct query_table *type_of(const struct cursor *c)
{
	return ((const struct table *)c->base.pVtab)->type;
}

static bool is_of_samples(const struct query_table *t)
{
	return !t->list && !t->function;
}

/* ---- what a statement uses ---- */

static bool is_used(const sqlite3_index_info *info, unsigned column)
{
	return info->colUsed >> (column < 63 ? column : 63) & 1;
}

static void use_key(struct query *q, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = q->key_list; at && (at = strstr(at, key)); at += n)
		if ((at == q->key_list || at[-1] == ',') && (!at[n] || at[n] == ','))
			return;
	if (q->key_list) {
		char *longer = xasprintf("%s,%s", q->key_list, key);

		free(q->key_list);
		q->key_list = longer;
	} else {
		q->key_list = xstrdup(key);
	}
}

/* A tracepoint may be recorded more than once, with a filter each. */
bool query_is_of_event(const struct query_table *t, const struct event *ev)
{
	return !t->event || ev == t->event || (t->event->attr.type == PERF_TYPE_TRACEPOINT &&
					       ev->attr.type == PERF_TYPE_TRACEPOINT && ev->attr.config == t->event->attr.config);
}

/* Notes which event's samples @t shows. A tracepoint that was recorded twice has two events. */
static void use_event(struct query *q, const struct query_table *t)
{
	unsigned nr = 0;

	vec_for(ev, &session_events(q->opts.session)->events)
		nr += t->event && query_is_of_event(t, *ev);
	if (nr != 1 || (q->event && q->event != t->event))
		q->all_events = true;
	q->event = t->event;
}

void query_use_column(struct query *q, const struct query_table *t, unsigned number)
{
	q->parts |= t->columns[number].parts;
	if (t->columns[number].key)
		use_key(q, t->columns[number].key);
}

static unsigned use_columns(struct query *q, const struct query_table *t, const sqlite3_index_info *info)
{
	unsigned parts = t->parts;

	for (unsigned i = 0; i < t->nr_columns; i++) {
		const struct query_column *c = &t->columns[i];

		if (!is_used(info, i))
			continue;
		parts |= c->parts;
		if (c->key)
			use_key(q, c->key);
	}
	q->parts |= parts;
	if (parts & PART_PROFILE)
		use_event(q, t);
	return parts;
}

/* Only comparisons with constants. SQLite asks once for each use of a table, so the times of all uses are united. */
static void use_times(struct query *q, const struct query_table *t, sqlite3_index_info *info)
{
	uint64_t from = 0, to = INT64_MAX;
	sqlite3_value *value;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		uint64_t at;

		if (c->iColumn < 0 || !t->columns[c->iColumn].is_time || sqlite3_vtab_rhs_value(info, i, &value) != SQLITE_OK ||
		    sqlite3_value_type(value) != SQLITE_INTEGER || sqlite3_value_int64(value) < 0)
			continue;
		at = (uint64_t)sqlite3_value_int64(value);
		switch (c->op) {
		case SQLITE_INDEX_CONSTRAINT_EQ:
			from = MAX(from, at);
			to = MIN(to, at);
			break;
		case SQLITE_INDEX_CONSTRAINT_GE:
		case SQLITE_INDEX_CONSTRAINT_GT:
			from = MAX(from, at);
			break;
		case SQLITE_INDEX_CONSTRAINT_LE:
		case SQLITE_INDEX_CONSTRAINT_LT:
			to = MIN(to, at);
			break;
		}
	}
	q->from = MIN(q->from, from);
	q->to = MAX(q->to, to);
}

static void want_id(struct query_ids *ids, uint32_t id)
{
	vec_for(wanted, &ids->list)
		if (*wanted == id)
			return;
	vec_push(&ids->list, id);
}

/* Notes the thread or CPU that a condition requires. If there is no such condition, all are needed. */
static void use_id(struct query_ids *ids, const struct query_table *t, sqlite3_index_info *info, bool cpu)
{
	sqlite3_value *value;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (c->iColumn < 0 || !(cpu ? t->columns[c->iColumn].is_cpu : t->columns[c->iColumn].is_tid) ||
		    c->op != SQLITE_INDEX_CONSTRAINT_EQ || sqlite3_vtab_in(info, i, -1) ||
		    sqlite3_vtab_rhs_value(info, i, &value) != SQLITE_OK || sqlite3_value_type(value) != SQLITE_INTEGER ||
		    sqlite3_value_int64(value) < 0 || sqlite3_value_int64(value) > INT32_MAX)
			continue;
		want_id(ids, (uint32_t)sqlite3_value_int64(value));
		return;
	}
	ids->all = true;
}

static bool has_time(const struct query_table *t)
{
	for (unsigned i = 0; i < t->nr_columns; i++)
		if (t->columns[i].is_time)
			return true;
	return false;
}

/* Notes the times, threads and CPUs whose samples the conditions allow. */
static void use_samples(struct query *q, const struct query_table *t, sqlite3_index_info *info)
{
	if (has_time(t)) {
		use_times(q, t, info);
	} else {
		q->from = 0;
		q->to = INT64_MAX;
	}
	use_id(&q->tids, t, info, false);
	use_id(&q->cpus, t, info, true);
}

static bool can_order(const struct query_table *t, const sqlite3_index_info *info)
{
	for (int i = 0; i < info->nOrderBy; i++) {
		int column = info->aOrderBy[i].iColumn;

		if (column < 0 || column >= (int)t->nr_columns || !query_is_compared(&t->columns[column]))
			return false;
	}
	return info->nOrderBy > 0;
}

static bool uses_keys(const struct query_table *t, const sqlite3_index_info *info)
{
	for (unsigned i = 0; i < t->nr_columns; i++)
		if (t->columns[i].key && is_used(info, i))
			return true;
	return false;
}

static bool uses_sums(const struct query_table *t, const sqlite3_index_info *info)
{
	for (unsigned i = 0; i < t->nr_columns; i++)
		if (t->columns[i].sums && is_used(info, i))
			return true;
	return t->sums;
}

/* Appends the order: "3+1-" is by column 3, then by column 1 from the largest. */
static void put_order(const sqlite3_index_info *info, struct buf *text)
{
	for (int i = 0; i < info->nOrderBy; i++)
		buf_printf(text, "%d%c", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc ? '-' : '+');
}

/* Passes @text to the cursor in idxStr, and releases it. */
static int set_text(sqlite3_index_info *info, struct buf *text)
{
	info->idxStr = sqlite3_mprintf("%s", buf_str(text));
	info->needToFreeIdxStr = 1;
	buf_release(text);
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/*
 * Chooses how a table of samples is read: sample by sample in order of time, or from the profile's sums of equal samples, in any
 * order that the statement wants. A sum is returned as a row as many times as it has samples, except for count(*) (counts.c).
 */
static int choose_samples(const struct query_table *t, sqlite3_index_info *info, bool by_sample)
{
	struct buf text = {0};

	if (!by_sample)
		info->idxNum = PLAN_SUMS | (uses_keys(t, info) ? PLAN_KEYED : 0) | (uses_sums(t, info) ? PLAN_WHOLE : 0);
	if (!by_sample && can_order(t, info)) {
		put_order(info, &text);
		info->idxNum |= PLAN_ORDERED;
		info->orderByConsumed = 1;
	}
	conditions_offer(t, info, &text);
	return set_text(info, &text);
}

static int choose_range(const struct query_table *t, sqlite3_index_info *info)
{
	for (int i = 0; t->range && i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (!c->usable || c->iColumn != 0 || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = PLAN_RANGE;
		info->estimatedCost = 10;
		info->estimatedRows = 10;
		return 1;
	}
	return 0;
}

/* ---- functions ---- */

/* Finds the arguments in a statement, as texts borrowed from it. False: an argument is not constant. */
static bool find_arguments(const struct query_table *t, sqlite3_index_info *info, const char **arguments)
{
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		sqlite3_value *value;

		if (c->iColumn < (int)t->nr_columns || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!c->usable || sqlite3_vtab_rhs_value(info, i, &value) != SQLITE_OK)
			return false;
		arguments[c->iColumn - (int)t->nr_columns] = (const char *)sqlite3_value_text(value);
	}
	return true;
}

/* Passes "3+1-|02" to the cursor: the order, and the numbers of the arguments that are given. */
static int choose_function(const struct query_table *t, sqlite3_index_info *info)
{
	struct buf text = {0};
	int nr = 0;

	if (can_order(t, info)) {
		put_order(info, &text);
		info->orderByConsumed = 1;
	}
	buf_putc(&text, '|');
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (c->iColumn < (int)t->nr_columns || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = ++nr;
		info->aConstraintUsage[i].omit = 1;
		buf_putc(&text, (char)('0' + c->iColumn - (int)t->nr_columns));
	}
	return set_text(info, &text);
}

static int plan_function(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct table *t = (const struct table *)base;
	const char *arguments[MAX_ARGUMENTS] = { NULL };
	char *wrong;

	if (find_arguments(t->type, info, arguments))
		wrong = t->type->function->plan(t->query, arguments);
	else
		wrong = xasprintf("the arguments of %s() are texts that stand in the statement", t->type->name);
	if (!wrong)
		return choose_function(t->type, info);
	base->zErrMsg = sqlite3_mprintf("%s", wrong);
	free(wrong);
	return SQLITE_ERROR;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct table *t = (struct table *)base;
	unsigned parts = use_columns(t->query, t->type, info);
	uint64_t rows = session_counts(t->query->opts.session)->by_type[PERF_RECORD_SAMPLE];

	if (is_of_samples(t->type)) {
		use_samples(t->query, t->type, info);
	} else if (parts) {
		t->query->all_samples = true;
	}
	query_note_texts(t->query->first, t->type, info);
	if (choose_range(t->type, info))
		return SQLITE_OK;
	info->estimatedRows = is_of_samples(t->type) ? (sqlite3_int64)rows : GUESSED_ROWS;
	info->estimatedCost = (double)info->estimatedRows;
	if (t->type->function)
		return plan_function(base, info);
	return is_of_samples(t->type) ? choose_samples(t->type, info, parts & PART_TIMES) : SQLITE_OK;
}

/* ---- a table ---- */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **err)
{
	struct query_table *type = aux;
	struct buf text = {0};
	struct table *t;
	bool declares;
	int result;

	buf_puts(&text, "CREATE TABLE t(");
	for (unsigned i = 0; i < type->nr_columns; i++)
		buf_printf(&text, "%s\"%s\" %s", i ? ", " : "", type->columns[i].name, type->columns[i].type);
	for (unsigned i = 0; type->function && i < type->function->nr_arguments; i++)
		buf_printf(&text, ", \"%s\" HIDDEN", type->function->arguments[i]);
	buf_putc(&text, ')');
	declares = type->query->first->declares;
	type->query->first->declares = true;
	result = sqlite3_declare_vtab(db, buf_str(&text));
	type->query->first->declares = declares;
	buf_release(&text);
	if (result != SQLITE_OK)
		return result;
	t = xcalloc(1, sizeof(*t));
	t->query = type->query;
	t->type = type;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	*out = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

/* ---- a cursor ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = xcalloc(1, sizeof(*c));

	((struct table *)base)->query->first->nr_cursors++;
	*out = &c->base;
	return SQLITE_OK;
}

static void reset(struct cursor *c)
{
	if (c->by_sample)
		profile_cursor_release(&c->samples);
	conditions_release(&c->conditions);
	free(c->values);
	if (c->rows)
		type_of(c)->function->free(c->rows);
	*c = (struct cursor){ .base = c->base };
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	((struct table *)base->pVtab)->query->first->nr_cursors--;
	reset((struct cursor *)base);
	free(base);
	return SQLITE_OK;
}

static bool is_wanted(const struct cursor *c, uint32_t weight)
{
	const struct event *ev = session_events(c->row.query->opts.session)->events.v[c->row.data->weights.v[weight].event];

	return query_is_of_event(type_of(c), ev);
}

static void next_sample(struct cursor *c)
{
	c->row.number++;
	for (;;) {
		c->done = !profile_cursor_next(&c->samples, &c->row.sample);
		if (c->done)
			return;
		if (!is_wanted(c, c->row.sample.weight))
			continue;
		c->row.weight = &c->row.data->weights.v[c->row.sample.weight];
		if (conditions_hold(&c->conditions, type_of(c), &c->row))
			return;
	}
}

static void next_sum(struct cursor *c)
{
	uint64_t nr = 0;

	c->row.number++;
	if (c->left && --c->left)
		return;
	for (;; c->at++) {
		c->done = c->at >= c->end;
		if (c->done)
			break;
		nr = sum_row_set(&c->row, c->keyed, c->order ? c->order[c->at] : c->at);
		if (is_wanted(c, (uint32_t)(c->row.weight - c->row.data->weights.v)) &&
		    conditions_hold(&c->conditions, type_of(c), &c->row))
			break;
	}
	c->at++;
	c->left = c->whole || c->counts ? 1 : nr;
	c->row.nr = c->whole ? nr : 1;
	if (c->counts)
		c->row.query->first->row_samples = c->done ? 0 : nr;
}

static void go_to(struct cursor *c, size_t number)
{
	c->row.number = number;
	c->done = number >= c->end;
	if (!c->done)
		c->row.item = (const char *)c->list.v + number * c->list.size;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	if (!is_of_samples(type_of(c)))
		go_to(c, c->row.number + 1);
	else if (c->by_sample)
		next_sample(c);
	else
		next_sum(c);
	return SQLITE_OK;
}

static int start_samples(struct cursor *c, int plan, const char *order)
{
	c->by_sample = !(plan & PLAN_SUMS);
	c->keyed = plan & PLAN_KEYED;
	c->row.values = c->values = query_find_values(&c->row, type_of(c));
	if (c->by_sample) {
		profile_cursor_init(&c->samples, c->row.profile);
		c->row.nr = 1;
		next_sample(c);
	} else {
		c->end = sum_rows_nr(c->row.query, c->keyed);
		c->whole = plan & PLAN_WHOLE;
		c->counts = !c->whole && query_counts_sums(c->row.query->first, plan & PLAN_ORDERED);
		if (plan & PLAN_ORDERED)
			c->order = sum_rows_order(&c->row, type_of(c), c->keyed, order);
		next_sum(c);
	}
	c->row.number = 0;
	return SQLITE_OK;
}

/* Gets @v as an integer. False: no integer from 0 equals @v. For SQLite, 3, 3.0 and '3' are equal. */
static bool is_integer(sqlite3_value *v, int64_t *out)
{
	int type = sqlite3_value_numeric_type(v);
	double real = sqlite3_value_double(v);

	*out = sqlite3_value_int64(v);
	return (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && (double)*out == real)) && *out >= 0;
}

static void start_function(struct cursor *c, const char *text, int argc, sqlite3_value **argv)
{
	const char *arguments[MAX_ARGUMENTS] = { NULL }, *bar = strchr(text, '|');
	char *order = xstrndup(text, (size_t)(bar - text));

	for (int i = 0; i < argc; i++)
		arguments[bar[1 + i] - '0'] = (const char *)sqlite3_value_text(argv[i]);
	c->rows = type_of(c)->function->make(&c->row, arguments, order);
	c->row.rows = c->rows;
	c->list = type_of(c)->function->list(c->rows);
	free(order);
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *order, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	const struct query_table *t = type_of(c);
	struct query *q = ((struct table *)base->pVtab)->query;
	size_t first = 0;

	reset(c);
	c->row.query = q;
	if (q->parts & PART_PROFILE) {
		c->row.profile = query_profile(q);
		if (!c->row.profile)
			return SQLITE_ABORT;	/* the error was printed: query_run() */
		c->row.data = profile_data(c->row.profile);
	}
	if (is_of_samples(t)) {
		conditions_parse(&c->conditions, order, argc, argv);
		return start_samples(c, plan, order);
	}
	if (t->function)
		start_function(c, order, argc, argv);
	else
		c->list = t->list(q);
	if (q->first->failed)
		return SQLITE_ABORT;
	c->end = c->list.nr;
	if (plan & PLAN_RANGE) {
		int64_t value;

		if (argc && is_integer(argv[0], &value))
			t->range(q, (uint64_t)value, &first, &c->end);
		else
			c->end = 0;
	}
	go_to(c, first);
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->done;
}

static void put_value(const struct cursor *c, sqlite3_context *out, int number)
{
	uint64_t value;

	switch (query_value(&c->row, type_of(c), (unsigned)number, &value)) {
	case VALUE_NUMBER:
		sqlite3_result_int64(out, (int64_t)value);
		break;
	case VALUE_STRING:
		put_static_text(out, profile_string(c->row.profile, (uint32_t)value));
		break;
	case VALUE_NULL:
		break;
	}
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
	struct cursor *c = (struct cursor *)base;
	const struct query_table *t = type_of(c);
	const struct query_column *column;

	if (number >= (int)t->nr_columns)	/* a hidden column, which is an argument */
		return SQLITE_OK;
	column = &t->columns[number];
	if (column->put)
		column->put(&c->row, out);
	else if (column->type_of == MEMBER_TEXT)
		put_static_text(out, *(const char *const *)((const char *)c->row.item + column->at));
	else if (column->type_of == MEMBER_DOUBLE)
		sqlite3_result_double(out, *(const double *)((const char *)c->row.item + column->at));
	else
		put_value(c, out, number);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct cursor *)base)->row.number;
	return SQLITE_OK;
}

/* SQLite calls this instead of connect() for a table in an attached schema, where it must be created. */
static int create(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **err)
{
	return connect(db, aux, argc, argv, out, err);
}

#define METHODS										\
	.xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect, .xDestroy = disconnect,	\
	.xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = at_end,		\
	.xColumn = column, .xRowid = rowid

static int register_in(struct query *q, struct query_table *t, const char *schema)
{
	static const sqlite3_module module = { .xCreate = create, METHODS };
	char *name = sqlite3_mprintf("%s.%s", schema, t->name), *sql;
	int err;

	if (!name)
		return SQLITE_NOMEM;
	sql = sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING \"%w\"", schema, t->name, name);
	err = sqlite3_create_module_v2(q->first->db, name, &module, t, NULL);
	if (err == SQLITE_OK)
		err = sql ? sqlite3_exec(q->first->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	sqlite3_free(name);
	return err;
}

int query_register(struct query *q, struct query_table *t, const char *schema)
{
	/* Without xCreate, the module's name is also the name of its only table. */
	static const sqlite3_module module = { METHODS };

	return schema ? register_in(q, t, schema) : sqlite3_create_module_v2(q->first->db, t->name, &module, t, NULL);
}
