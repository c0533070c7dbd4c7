/*
 * Prepares and runs the SQL statements of prec query with SQLite, and refuses statements that would write. samples.c, *_tables.c
 * and *_table.c define the tables, except virtual_table.c, which gives SQLite the rows of all tables.
 */
#include "core/show/query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/code/code_places.h"
#include "core/read/session.h"
#include "core/hists/trace_key.h"
#include "core/show/query/query_impl.h"
#include "core/ui/suggest.h"

/* The functions that prec adds to SQL, with the text that follows the name in --schema. */
#define FUNCTIONS(ROW)												\
	ROW("stack_text", "(stack [, between]): its functions from the outermost, with ; or <between> between them")	\
	ROW("stack_has", "(stack, symbol): 1 if the function is anywhere in it; * stands for any letters")		\
	ROW("stack_root", "(stack): the outermost function")								\
	ROW("percentile", "(x, p): of a group; p from 0 to 100")								\
	ROW("median", "(x): of a group")										\
	ROW("syscall_name", "(id): the name of that system call, of 64-bit programs of x86 and Arm")			\
	ROW("pairs", "(first, second [, by [, columns [, second_columns]]]): after FROM; names, in quotes, of two\n"	\
		"tables of tracepoints, of the column that agrees (or tid), of what becomes first_1, second_1:\n"	\
		"pairs('sched_sched_wakeup', 'sched_sched_switch', '_pid=next_pid', '_comm,_pid', 'cpu')")

#define STEPS_BETWEEN_LOOKS	20000	/* steps of SQLite's virtual machine between checks for an interrupt: about a millisecond */

/* ---- tables ---- */

static void add_tables(struct query *q)
{
	static const struct query_table *const tables[] = {
		&stacks_table, &frames_table, &functions_table, &lines_table, &dsos_table, &events_table, &threads_table,
		&processes_table, &maps_table, &switches_table, &losses_table, &branches_table, &instructions_table, &calls_table,
		&counts_table, &pairs_table, &findings_table, &recording_table,
	};

	query_add_sample_tables(q);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		query_add_table(q, tables[i]);
}

static int register_tables(struct query *q, const char *schema)
{
	int err = SQLITE_OK;

	vec_for(t, &q->tables)
		err = err == SQLITE_OK ? query_register(q, *t, schema) : err;
	return err;
}

static void put_table(const struct query_table *t, const char *schema, struct buf *out)
{
	buf_printf(out, "\n%s%s: %s\n", schema, t->name, t->about);
	for (unsigned i = 0; i < t->nr_columns; i++) {
		const struct query_column *c = &t->columns[i];

		buf_puts(out, "    ");
		buf_left(out, c->name, 16);
		buf_putc(out, ' ');
		buf_left(out, *c->type ? c->type : "ANY", 8);
		buf_printf(out, " %s\n", c->about);
	}
}

bool query_put_schema(const struct query *q, const char *table, struct buf *out)
{
	bool found = false;

	if (!table)
		buf_printf(out, "schema version %u, new: %s\n", QUERY_SCHEMA_VERSION, QUERY_SCHEMA_CHANGES);
	vec_for(t, &q->tables)
		if (!table || !sqlite3_stricmp(table, (*t)->name)) {
			put_table(*t, "", out);
			found = true;
		}
	vec_for(other, &q->others) {
		char schema[] = { (char)('a' + (*other)->number), '.', '\0' };

		vec_for(t, &(*other)->tables)
			if (!query_has_table(q, (*t)->name) && (!table || !sqlite3_stricmp(table, (*t)->name))) {
				put_table(*t, schema, out);
				found = true;
			}
	}
#define LINE(name, text)	name text "\n"
	if (!table)
		buf_puts(out, "\n" FUNCTIONS(LINE));
#undef LINE
	return found;
}

void query_put_words(const struct query *q, struct buf *out)
{
	for (int i = 0; i < sqlite3_keyword_count(); i++) {
		const char *word;
		int n;

		if (sqlite3_keyword_name(i, &word, &n) == SQLITE_OK)
			buf_printf(out, "%.*s\n", n, word);
	}
	vec_for(t, &q->tables) {
		buf_printf(out, "%s\n", (*t)->name);
		for (unsigned i = 0; i < (*t)->nr_columns; i++)
			buf_printf(out, "%s\n", (*t)->columns[i].name);
	}
#define WORD(name, text)	name "(\n"
	buf_puts(out, FUNCTIONS(WORD) "count(\nsum(\nmin(\nmax(\navg(\nround(\nprintf(\ncoalesce(\n");
#undef WORD
	query_put_recipe_names(out);
}

bool query_is_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

/* ---- the database ---- */

/* A statement reads tables and calls functions. Anything else is refused. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *database, const char *trigger)
{
	struct query *q = ctx;

	if (q->declares)
		return SQLITE_OK;
	q->nr_selects += action == SQLITE_SELECT;
	if (action == SQLITE_FUNCTION && b)
		query_note_function(q, b);
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE ?
	       SQLITE_OK : SQLITE_DENY;
}

/* SQLite calls this between steps of its virtual machine. Returns true to end the statement. */
static int on_progress(void *ctx)
{
	struct query *q = ctx;

	progress("running the query", q->nr_rows, 0, PROGRESS_THINGS);
	return q->opts.is_stopped && q->opts.is_stopped();
}

static int set_up(struct query *q)
{
	int err = sqlite3_open_v2(":memory:", &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);

	if (err != SQLITE_OK)
		return err;
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);	/* "x" is a name, never a text */
	sqlite3_db_config(q->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_limit(q->db, SQLITE_LIMIT_LENGTH, QUERY_MAX_LENGTH);
	sqlite3_limit(q->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_hard_heap_limit64((sqlite3_int64)MIN(q->opts.max_memory, INT64_MAX));
	sqlite3_progress_handler(q->db, STEPS_BETWEEN_LOOKS, on_progress, q);
	err = sqlite3_exec(q->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	if (err == SQLITE_OK)
		err = register_tables(q, NULL);
	if (err == SQLITE_OK)
		err = query_add_functions(q);
	if (err == SQLITE_OK)
		err = query_add_percentiles(q);
	if (err == SQLITE_OK)
		err = query_add_count(q);
	if (err == SQLITE_OK)
		err = sqlite3_set_authorizer(q->db, authorize, q);
	return err;
}

static struct query *new_query(const struct query_opts *opts, struct query *first)
{
	struct query *q = xcalloc(1, sizeof(*q));

	q->opts = *opts;
	q->first = first ? first : q;
	if (opts->session) {
		q->traces = trace_keys_new(opts->session, false);
		trace_keys_drop_text(q->traces);
	}
	add_tables(q);
	if (!opts->session)
		query_add_table(q, &diff_table);
	return q;
}

struct query *query_open(const struct query_opts *opts)
{
	struct query *q = new_query(opts, NULL);
	int err = set_up(q);

	if (err == SQLITE_OK)
		return q;
	error("SQLite cannot be started: %s", sqlite3_errstr(err));
	query_close(q);
	return NULL;
}

/* Schema 'a' is that of recording 0. */
static int attach(struct query *q)
{
	const char schema[] = { (char)('a' + q->number), '\0' };
	char sql[] = "ATTACH ':memory:' AS a";
	int err;

	sql[sizeof(sql) - 2] = schema[0];
	q->first->declares = true;
	sqlite3_limit(q->first->db, SQLITE_LIMIT_ATTACHED, QUERY_MAX_RECORDINGS);
	err = sqlite3_exec(q->first->db, sql, NULL, NULL, NULL);
	sqlite3_limit(q->first->db, SQLITE_LIMIT_ATTACHED, 0);
	if (err == SQLITE_OK)
		err = register_tables(q, schema);
	q->first->declares = false;
	return err;
}

int query_add_recording(struct query *q, const struct query_opts *opts)
{
	struct query *other;
	int err;

	if (q->others.nr + 1 >= QUERY_MAX_RECORDINGS)
		return error("a query is of %d recordings at most", QUERY_MAX_RECORDINGS);
	other = new_query(opts, q);
	vec_push(&q->others, other);
	other->number = (uint32_t)q->others.nr;
	err = other->number == 1 ? attach(q) : SQLITE_OK;
	if (err == SQLITE_OK)
		err = attach(other);
	if (err == SQLITE_OK && other->number == 1) {
		query_add_table(q, &diff_table);
		err = query_register(q, q->tables.v[q->tables.nr - 1], NULL);
	}
	return err == SQLITE_OK ? 0 : error("SQLite cannot take another recording: %s", sqlite3_errmsg(q->db));
}

void query_close(struct query *q)
{
	if (!q)
		return;
	if (q->first == q)
		sqlite3_close(q->db);
	query_forget_texts(q);
	vec_for(other, &q->others)
		query_close(*other);
	vec_free(&q->others);
	diff_lists_free(q->diffs);
	query_forget_profile(q);
	record_lists_free(q->records);
	call_lists_free(q->calls);
	vec_free(&q->branches);
	vec_free(&q->insns);
	vec_free(&q->counts);
	code_places_free(q->places);
	if (q->session_found)
		findings_release(q->session_found);
	free(q->session_found);
	findings_release(&q->found);
	trace_keys_free(q->traces);
	free(q->key_list);
	vec_free(&q->tids.list);
	vec_free(&q->cpus.list);
	vec_for(t, &q->tables)
		free(*t);
	vec_free(&q->tables);
	vec_for(p, &q->kept)
		free(*p);
	vec_free(&q->kept);
	free(q);
}

void query_findings(const struct query *q, struct findings *out)
{
	findings_merge(out, &q->found);
	vec_for(other, &q->others)
		findings_merge(out, &(*other)->found);
}

/* ---- running ---- */

static enum query_type type_of_value(int type)
{
	return type == SQLITE_INTEGER ? QUERY_INTEGER : type == SQLITE_FLOAT ? QUERY_REAL : type == SQLITE_NULL ? QUERY_NULL :
	       QUERY_TEXT;
}

static enum query_type type_of_column(sqlite3_stmt *stmt, int column, bool has_row)
{
	const char *declared = sqlite3_column_decltype(stmt, column);

	if (declared && *declared)
		return str_eq(declared, "INTEGER") ? QUERY_INTEGER : str_eq(declared, "REAL") ? QUERY_REAL :
		       str_eq(declared, QUERY_ADDRESS_TYPE) ? QUERY_ADDRESS : QUERY_TEXT;
	return has_row ? type_of_value(sqlite3_column_type(stmt, column)) : QUERY_NULL;
}

static bool begin(sqlite3_stmt *stmt, const struct query_sink *sink, bool has_row)
{
	unsigned nr = (unsigned)sqlite3_column_count(stmt);
	const char **names = xcalloc(nr, sizeof(*names));
	enum query_type *types = xcalloc(nr, sizeof(*types));
	bool begun;

	for (unsigned i = 0; i < nr; i++) {
		names[i] = sqlite3_column_name(stmt, (int)i);
		types[i] = type_of_column(stmt, (int)i, has_row);
	}
	begun = sink->begin(sink->ctx, names, types, nr);
	free(names);
	free(types);
	return begun;
}

/* Prints that a column of the result has a BLOB, or a text with NUL bytes. A query_sink accepts neither. */
static int refuse_bytes(sqlite3_stmt *stmt, int column)
{
	error("column '%s' of the result has bytes that are no text: hex(...) makes text of them",
	      sqlite3_column_name(stmt, column));
	return SQLITE_ABORT;
}

/* Returns SQLITE_ROW, SQLITE_DONE if no more rows are wanted, or SQLITE_ABORT (printed). */
static int put_row(struct query *q, sqlite3_stmt *stmt, const struct query_sink *sink, struct query_value *values, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		struct query_value *v = &values[i];

		*v = (struct query_value){ .type = type_of_value(sqlite3_column_type(stmt, (int)i)) };
		if (v->type == QUERY_INTEGER)
			v->integer = sqlite3_column_int64(stmt, (int)i);
		else if (v->type == QUERY_REAL)
			v->real = sqlite3_column_double(stmt, (int)i);
		else if (v->type == QUERY_TEXT)
			v->text = (const char *)sqlite3_column_text(stmt, (int)i);
		q->has_values |= v->integer || v->type == QUERY_REAL || v->type == QUERY_TEXT;
		if (v->type != QUERY_TEXT)
			continue;
		if (v->text && strlen(v->text) != (size_t)sqlite3_column_bytes(stmt, (int)i))
			return refuse_bytes(stmt, (int)i);
		if (!v->text)
			v->type = QUERY_NULL;
	}
	return sink->row(sink->ctx, values, nr) ? SQLITE_ROW : SQLITE_DONE;
}

/* Returns SQLITE_DONE or an error. SQLITE_ABORT: the error was printed, for example by a table that cannot be read. */
static int step_all(struct query *q, sqlite3_stmt *stmt, const struct query_sink *sink)
{
	unsigned nr = (unsigned)sqlite3_column_count(stmt);
	struct query_value *values = xcalloc(MAX(nr, 1), sizeof(*values));
	int result = sqlite3_step(stmt);

	if (nr && (result == SQLITE_ROW || result == SQLITE_DONE)) {
		if (begin(stmt, sink, result == SQLITE_ROW)) {
			while (result == SQLITE_ROW && (result = put_row(q, stmt, sink, values, nr)) == SQLITE_ROW) {
				q->nr_rows++;
				result = sqlite3_step(stmt);
			}
			sink->end(sink->ctx);
		} else {
			result = SQLITE_ABORT;
		}
	}
	free(values);
	return result == SQLITE_ROW ? SQLITE_DONE : result;
}

/* Appends the table of the event @name, or why the recording lacks the table @name, or the tables with similar names. */
static void hint_table(const struct query *q, const char *name, struct buf *out)
{
	struct names names = {0};

	vec_for(t, &q->tables) {
		names_add(&names, (*t)->name);
		if ((*t)->event && str_eq((*t)->event->name, name)) {
			buf_printf(out, ": its table is %s", (*t)->name);
			names_release(&names);
			return;
		}
	}
	if (!sqlite3_stricmp(name, "waits"))
		buf_puts(out, ": the recording has no waits (record --off-cpu)");
	else if (!sqlite3_stricmp(name, "diff"))
		buf_puts(out, ": it needs two recordings (-i A -i B)");
	else
		names_suggest(out, name, strlen(name), &names);
	names_release(&names);
	buf_puts(out, " (prec query --schema -i FILE prints the tables)");
}

/* Appends columns with similar names of the tables that the statement names. If such a table has the column, pairs() hides it. */
static void hint_column(const struct query *q, const char *name, const char *statement, struct buf *out)
{
	struct names names = {0};
	bool exists = false;

	vec_for(t, &q->tables) {
		if (!strcasestr(statement, (*t)->name))
			continue;
		for (unsigned i = 0; i < (*t)->nr_columns; i++) {
			exists |= !sqlite3_stricmp((*t)->columns[i].name, name);
			names_add(&names, (*t)->columns[i].name);
		}
	}
	names_sort(&names);
	if (!exists)
		names_suggest(out, name, strlen(name), &names);
	else if (strcasestr(statement, "pairs"))
		buf_puts(out, ": pairs() has those that its fourth argument names, as first_1, first_2, ...");
	names_release(&names);
}

/* Appends a suggestion if SQLite does not know a name in the statement. */
static void hint_name(const struct query *q, const char *statement, struct buf *out)
{
	static const char table[] = "no such table: ", column[] = "no such column: ", function[] = "no such function: ",
			  quote[] = "unrecognized token: \"'";
	const char *message = sqlite3_errmsg(q->db), *dot;

	if (!strncmp(message, table, strlen(table))) {
		hint_table(q, message + strlen(table), out);
	} else if (!strncmp(message, column, strlen(column))) {
		message += strlen(column);
		dot = strrchr(message, '.');
		hint_column(q, dot ? dot + 1 : message, statement, out);
	} else if (!strncmp(message, function, strlen(function))) {
		message += strlen(function);
#define NAME(name, text)	name " "
		suggest_of_list(out, message, strlen(message), FUNCTIONS(NAME) "count sum min max avg percent_rank");
#undef NAME
	} else if (!strncmp(message, quote, strlen(quote))) {
		buf_puts(out, ": a closing ' is missing");
	} else if (strstr(message, "near \":")) {
		buf_puts(out, ": the table of the event a:b is a_b");
	}
}

/* Prints "line 2 of the query, at 'symbl FROM samples': no such column: symbl; did you mean symbol?" */
static int report_error(struct query *q, int result, const char *all, const char *statement)
{
	int offset = sqlite3_error_offset(q->db);
	struct buf hint = {0};
	unsigned line = 1;

	if (result == SQLITE_ABORT)
		return -1;
	if (result == SQLITE_INTERRUPT)
		return error("the query was interrupted");
	if (result == SQLITE_AUTH)
		return error("the statement is not a query: only SELECT, WITH, VALUES and EXPLAIN are");
	if (result == SQLITE_NOMEM)
		return error("the query needs more than the %" PRIu64 " MiB that it may have (--max-memory)",
			     q->opts.max_memory >> 20);
	hint_name(q, statement, &hint);
	if (offset < 0) {
		error("the query failed: %s%s", sqlite3_errmsg(q->db), buf_str(&hint));
	} else {
		for (const char *p = all; p < statement + offset && *p; p++)
			line += *p == '\n';
		if (statement[offset] == '"')
			buf_puts(&hint, " (double quotes are around names; a text stands in single quotes)");
		error("line %u of the query, at '%.20s': %s%s", line, statement + offset, sqlite3_errmsg(q->db), buf_str(&hint));
	}
	buf_release(&hint);
	return -1;
}

static void reset(struct query *q)
{
	q->parts = 0;
	q->from = UINT64_MAX;
	q->to = 0;
	q->tids.list.nr = q->cpus.list.nr = 0;
	q->tids.all = q->cpus.all = false;
	q->all_samples = q->failed = q->all_events = q->calls_count = q->other_functions = false;
	q->nr_selects = 0;
	q->row_samples = 1;
	q->event = NULL;
	q->nr_rows = 0;
	q->has_values = false;
	query_forget_texts(q);
	query_forget_orders(q);
	free(q->key_list);
	q->key_list = NULL;
	vec_for(other, &q->others)
		reset(*other);
}

int query_run(struct query *q, const char *sql, const struct query_sink *sink)
{
	const char *at = sql, *rest;
	sqlite3_stmt *stmt;
	int result;

	for (; *at; at = rest) {
		reset(q);
		q->statement = at;
		result = sqlite3_prepare_v2(q->db, at, -1, &stmt, &rest);
		if (result == SQLITE_OK && !stmt)	/* only blanks or a comment */
			continue;
		if (result == SQLITE_OK)
			result = step_all(q, stmt, sink);
		progress_end();
		if (result != SQLITE_DONE)
			report_error(q, result, sql, at);
		else if (q->nr_rows <= 1 && !q->has_values)
			query_hint_texts(q);
		sqlite3_finalize(stmt);
		if (result != SQLITE_DONE)
			return -1;
	}
	return 0;
}
