/* prec query: SQL over a recording. Layer: cmd */
#include "cmd/cmd.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/read/session.h"
#include "core/sched/wait_source.h"
#include "core/show/query/query.h"
#include "core/show/query/result.h"

struct query_cmd {
	const char *file, *path;
	bool json, csv, parquet, arrow, schema, list, quiet;
	uint64_t max_memory;
	struct input_opts input;
};

#define OPTS struct query_cmd

static const struct option_desc query_options[] = {
	OPT_GROUP("Query"),
	OPT_STRING('f', "file", OPTS, file, "file", "read the statements from <file>, - for standard input"),
	OPT_BOOL(0, "schema", OPTS, schema, "print the tables of this recording with their columns"),
	OPT_BOOL('l', "list", OPTS, list, "print the queries that come with prec, for @name"),
	OPT_U64(0, "max-memory", OPTS, max_memory, "MiB", "SQLite may take so much memory for sorting and the like (4096)"),
	OPT_GROUP("Output"),
	OPT_BOOL(0, "json", OPTS, json, "print a JSON array of objects"),
	OPT_BOOL(0, "csv", OPTS, csv, "print comma-separated values"),
	OPT_BOOL(0, "parquet", OPTS, parquet, "write a Parquet file, to --output"),
	OPT_BOOL(0, "arrow", OPTS, arrow, "write an Arrow IPC stream, as pandas, polars and DuckDB read"),
	OPT_STRING('o', "output", OPTS, path, "file", "write <file> (standard output)"),
	INPUT_FILES(OPTS),
	OPT_GROUP("Call chains"),
	INPUT_STACKS(OPTS),
	INPUT_FILTERS(OPTS, 'd'),
	INPUT_PROGRAM(OPTS),
	OPT_BOOL('q', "quiet", OPTS, quiet, "print no warnings"),
	OPT_END
};

static const char query_usage[] = "prec query [<options>] '<statements>'|@<name> [<file>]";

static enum result_form form_of(const struct query_cmd *o)
{
	return o->json ? RESULT_JSON : o->csv ? RESULT_CSV : o->parquet ? RESULT_PARQUET : o->arrow ? RESULT_ARROW : RESULT_TABLE;
}

/* Runs @sql and writes the result; 0 or -1. */
static int run_statements(const struct query_cmd *o, struct query *q, const char *sql)
{
	struct query_sink sink;
	struct result result;
	struct outfile out;
	int err;

	if (outfile_open(&out, o->path))
		return -1;
	sink = result_init(&result, form_of(o), &out);
	err = query_run(q, sql, &sink);
	result_end(&result);
	if (err && o->path) {
		outfile_abandon(&out);
		return -1;
	}
	return outfile_close(&out) || err ? -1 : 0;
}

static void print_schema(const struct query *q)
{
	struct buf text = {0};

	query_put_schema(q, &text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
}

static bool event_is_shown(const struct session *s, const struct session_counts *c, const struct event *ev)
{
	return ev == session_waits_event(s) ||
	       (!ev->hidden_source && ev->number < c->samples_by_event.nr && c->samples_by_event.v[ev->number]);
}

/* Numbers of samples of events that count different things add up to nothing. */
static void hint_events(const struct session *s, const char *sql)
{
	const struct session_counts *c = session_counts(s);
	struct buf names = {0};
	unsigned nr = 0;

	vec_for(ev, &session_events(s)->events)
		if (event_is_shown(s, c, *ev))
			buf_printf(&names, "%s%s", nr++ ? ", " : "", (*ev)->name);
	if (nr > 1 && strcasestr(sql, "samples") && !strcasestr(sql, "event"))
		info("the samples are of %u events (%s): WHERE event = '...' takes those of one", nr, buf_str(&names));
	buf_release(&names);
}

static int query_session(const struct query_cmd *o, struct session *s, const char *sql)
{
	struct filter *filter = NULL;
	struct findings found = {0};
	struct aux *aux = NULL;
	struct query *q = NULL;
	int status, err = input_attach(&filter, &aux, s, &o->input);

	if (!err) {
		session_clip_waits(s, filter);
		q = query_open(&(struct query_opts){
			.session = s, .filter = &o->input.filter, .max_depth = (unsigned)MIN(o->input.max_stack, UINT_MAX),
			.inlines = o->input.inlines, .max_memory = MIN(o->max_memory, UINT32_MAX) << 20,
		});
		err = q ? 0 : -1;
	}
	if (!err && o->schema)
		print_schema(q);
	else if (!err)
		err = run_statements(o, q, sql);
	if (!err && !o->schema) {
		query_findings(q, &found);
		session_findings(s, &found);
		findings_sort(&found);
	}
	if (!err && !o->schema && isatty(STDERR_FILENO))
		hint_events(s, sql);
	query_close(q);
	filter_free(filter);
	aux_detach(aux);
	status = findings_end(&found, &o->input.strict, 0);
	return err ? 1 : status;
}

/* The statements of -f; owned by the caller. NULL (printed): they cannot be read. */
static char *read_statements(const char *path)
{
	bool is_stdin = str_eq(path, "-");
	struct buf text = {0};
	char *sql = NULL;
	int err = read_file(is_stdin ? "/dev/stdin" : path, &text);

	if (err)
		error("%s cannot be read: %s", is_stdin ? "standard input" : path, strerror(-err));
	else
		sql = xstrdup(buf_str(&text));
	buf_release(&text);
	return sql;
}

/* The text of the word @given; NULL (printed): there is no such recipe. */
static const char *text_of_word(const char *given)
{
	const struct query_recipe *recipe;

	if (given[0] != '@')
		return given;
	recipe = query_recipe(given + 1);
	if (recipe)
		return recipe->sql;
	error("there is no query '%s' (see prec query -l)", given);
	return NULL;
}

static int print_recipes(void)
{
	struct buf text = {0};

	query_put_recipes(&text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

/* Prints what is wrong; 0 or -1. */
static int check(const struct query_cmd *o, const char *word)
{
	if (o->json + o->csv + o->parquet + o->arrow > 1)
		return error("--json, --csv, --parquet and --arrow are one result each: give one of them");
	if ((o->parquet || o->arrow) && !o->path && isatty(STDOUT_FILENO))
		return error("%s is binary, and standard output a terminal: give --output=FILE",
			     o->parquet ? "a Parquet file" : "an Arrow stream");
	if (!o->max_memory)
		return error("--max-memory needs a number above 0");
	if (o->schema && (word || o->file))
		return error("--schema takes no statements");
	if (word && o->file)
		return error("give the statements as a word or with --file, not both");
	if (!o->schema && !o->file && (!word || !word[strspn(word, " \t\n;")]))
		return error("no statements were given: prec query 'SELECT ...', @NAME (-l lists them), or --file "
			     "(--schema prints the tables)");
	return input_check(&o->input);
}

static int run(const struct query_cmd *o, const char *word)
{
	char *read = o->file ? read_statements(o->file) : NULL;
	const char *sql = o->file ? read : o->schema ? "" : text_of_word(word);
	struct session *s;
	int status = 1;

	if (sql && !input_open(&s, &o->input)) {
		status = query_session(o, s, sql);
		session_close(s);
	}
	free(read);
	return status;
}

int cmd_query(int argc, char **argv)
{
	struct query_cmd o = { .max_memory = 4096, .input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK } };
	int nr = 0, first = options_parse(query_options, &o, query_usage, true, argc, argv, &nr), taken;
	bool has_word;

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (o.list)
		return print_recipes();
	has_word = nr && !o.schema && !o.file;
	taken = has_word + input_take_word(&o.input, argv + first + has_word, nr - has_word);
	if (nr > taken) {
		error("query takes no '%s' (see prec query -h)", argv[first + taken]);
		return OPTIONS_USAGE;
	}
	log_set_level(o.quiet ? -1 : o.input.verbose);
	if (check(&o, has_word ? argv[first] : NULL))
		return OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return run(&o, has_word ? argv[first] : NULL);
}
