/*
 * prec query: runs SQL statements over recordings and prints the resulting rows. query.c parses the command line, query_show.c
 * prints the results, query_prompt.c reads statements from a terminal, and core/show/query/ makes the SQL tables.
 */
#include "cmd/cmd.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "cmd/input.h"
#include "cmd/query_show.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/show/export/formats.h"
#include "core/show/query/query.h"
#include "core/ui/fit.h"
#include "core/ui/prompt.h"
#include "core/ui/terminal.h"

struct file_list { const char **v; size_t nr, cap; };

struct query_cmd {
	const char *file, *path;
	bool json, csv, parquet, arrow, schema, list, quiet;
	uint64_t max_memory;
	struct file_list files;		/* -i; paths are borrowed */
	struct terminal_opts screen;
	struct input_opts input;
};

struct opened { struct input_opts opts; struct input in; };

struct opened_list { struct opened *v; size_t nr; };

#define OPTS struct query_cmd

static int add_file(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct file_list *files = field;

	if (unset)
		files->nr = 0;
	else
		vec_push(files, arg);
	return 0;
}

static const struct option_desc query_options[] = {
	OPT_GROUP("Query"),
	OPT_STRING('f', "file", OPTS, file, "file", "read the statements from <file>, - for standard input"),
	OPT_BOOL(0, "schema", OPTS, schema, "print the tables with their columns, or one; -i adds those of its tracepoints"),
	OPT_BOOL('l', "list", OPTS, list, "print the queries that come with prec, and where their files are; with @name its text"),
	OPT_U64(0, "max-memory", OPTS, max_memory, "MiB", "SQLite may take so much memory for sorting and the like (4096)"),
	OPT_GROUP("Output"),
	OPT_BOOL(0, "json", OPTS, json, "print a JSON array of objects"),
	OPT_BOOL(0, "csv", OPTS, csv, "print comma-separated values"),
	OPT_BOOL(0, "parquet", OPTS, parquet, "write a Parquet file, to --output"),
	OPT_BOOL(0, "arrow", OPTS, arrow, "write an Arrow IPC stream, as pandas, polars and DuckDB read"),
	OPT_STRING('o', "output", OPTS, path, "file", "write <file> (standard output); .html or .svg: a flame graph"),
	INPUT_PAGER(OPTS),
	OPT_GROUP("Input"),
	OPT_CALL('i', "input", OPTS, files, "file", add_file,
		 "read <file>, - for standard input (perf.data); given again: as schemas a, b, ... with the table diff"),
	INPUT_BINARIES(OPTS),
	OPT_GROUP("Call chains"),
	INPUT_STACKS(OPTS),
	INPUT_FILTERS(OPTS, 'd'),
	INPUT_PROGRAM(OPTS),
	OPT_BOOL('q', "quiet", OPTS, quiet, "print no warnings"),
	OPT_END
};

static const char query_usage[] = "prec query [<options>] ['<statements>'|@<name>|--schema [<table>]] [<file>]";

static enum result_form form_of(const struct query_cmd *c)
{
	return c->json ? RESULT_JSON : c->csv ? RESULT_CSV : c->parquet ? RESULT_PARQUET : c->arrow ? RESULT_ARROW : RESULT_TABLE;
}

#define ABOUT_COLUMN	30	/* where query_put_schema() begins to say what a column is */

static void print_wrapped(const char *text, unsigned width)
{
	struct buf out = {0};

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		put_wrapped(&out, line, 0, *line == ' ' ? ABOUT_COLUMN : 4, width);
		buf_putc(&out, '\n');
		free(line);
		text += len + (text[len] == '\n');
	}
	fputs(buf_str(&out), stdout);
	buf_release(&out);
}

static int print_schema(const struct query *q, const char *table, bool has_recording)
{
	struct terminal terminal;
	struct buf text = {0};
	int err = 0;

	terminal_detect(&terminal, STDOUT_FILENO, &(struct terminal_opts){0});
	if (query_put_schema(q, table, &text))
		print_wrapped(buf_str(&text), terminal.is_terminal ? terminal.width : UINT_MAX);
	else
		err = error("there is no table '%s'%s", table, has_recording ? "" : " (-i FILE adds those of its tracepoints)");
	buf_release(&text);
	return err;
}

static struct query_opts opts_of(const struct query_cmd *c, const struct opened *o, bool prompt)
{
	const struct itrace_opts *itrace = &c->input.itrace;
	bool branches = itrace->given && itrace->branches;

	return (struct query_opts){
		.session = o->in.session, .filter = &o->opts.filter, .max_depth = (unsigned)MIN(c->input.max_stack, UINT_MAX),
		.decodes_calls = branches, .all_branches = branches && !itrace->calls && !itrace->returns,
		.inlines = c->input.inlines, .max_memory = MIN(c->max_memory, UINT32_MAX) << 20,
		.is_stopped = prompt ? prompt_interrupted : NULL,
	};
}

static int attach(struct opened *o, bool prompt)
{
	if (input_attach(&o->in, &o->opts))
		return -1;
	session_clip_waits(o->in.session, o->in.filter);
	session_split_waits(o->in.session, false);
	if (prompt)
		session_stop_when(o->in.session, prompt_interrupted);
	return 0;
}

/* Prints what is wrong; 0 and *out (query_close()), or -1. */
static int open_query(struct query **out, const struct query_cmd *c, const struct opened_list *all, bool prompt)
{
	if (!all->nr)
		*out = query_open(&(struct query_opts){ .max_memory = c->max_memory << 20 });
	for (size_t i = 0; i < all->nr; i++) {
		struct query_opts opts = opts_of(c, &all->v[i], prompt);

		if (attach(&all->v[i], prompt))
			return -1;
		if (!i)
			*out = query_open(&opts);
		if (!*out || (i && query_add_recording(*out, &opts)))
			return -1;
	}
	return *out ? 0 : -1;
}

/* A file whose name ends in .html or .svg is a flame graph. */
static const struct profile_writer *graph_of(const struct query_cmd *c)
{
	const struct profile_writer *w = c->path && form_of(c) == RESULT_TABLE ? format_of_file(c->path) : NULL;

	return w && (str_eq(w->name, "html") || str_eq(w->name, "svg")) ? w : NULL;
}

/* @sql has the statements; NULL means that the prompt reads them. With --schema it is the name of a table, or NULL. */
static int query_recordings(const struct query_cmd *c, const struct opened_list *all, const char *sql)
{
	const bool prompt = !sql && !c->schema;
	const struct query_show_opts show = { .form = form_of(c), .path = c->path, .graph = graph_of(c), .prompt = prompt,
					      .screen = c->screen };
	struct findings found = {0};
	struct query *q = NULL;
	int status, err = open_query(&q, c, all, prompt);

	if (!err && c->schema)
		err = print_schema(q, sql, all->nr);
	else if (!err && !sql)
		query_prompt(&show, all->v[0].in.session, q);
	else if (!err)
		err = query_show(&show, q, sql);
	if (!err && !c->schema) {
		query_findings(q, &found);
		for (size_t i = 0; i < all->nr; i++)
			session_findings(all->v[i].in.session, &found);
		findings_sort(&found);
	}
	if (!err && sql && !c->schema)
		query_hint_events(all->v[0].in.session, sql);
	query_close(q);
	status = findings_end(&found, &c->input.strict, 0);
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

/* Appends the directory that has the recipes as files, if it exists: "make install" writes it to share/ next to bin/. */
static void put_place_of_recipes(struct buf *out)
{
	char *self = realpath("/proc/self/exe", NULL), *files;
	const char *bin = self ? strstr(self, "/bin/prec") : NULL;
	struct stat st;

	if (bin) {
		files = xasprintf("%.*s/share/prec/queries", (int)(bin - self), self);
		if (!stat(files, &st) && S_ISDIR(st.st_mode))
			buf_printf(out, "\nAs files: %s\n", files);
		free(files);
	}
	free(self);
}

static int print_recipes(const char *word)
{
	struct buf text = {0};

	if (word) {
		const struct query_recipe *r = word[0] == '@' ? query_recipe(word + 1) : NULL;

		if (!r)
			return error("there is no query '%s' (see prec query -l)", word), 1;
		query_put_recipe(r, &text);
	} else {
		query_put_recipes(&text);
		put_place_of_recipes(&text);
	}
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

/* True if no statements were given and a prompt can read them, because input and output are terminals. */
static bool wants_prompt(const struct query_cmd *c, const char *word)
{
	return !word && !c->file && !c->schema && !c->path && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int check(const struct query_cmd *c, const char *word)
{
	if (c->json + c->csv + c->parquet + c->arrow > 1)
		return error("--json, --csv, --parquet and --arrow are one result each: give one of them");
	if ((c->parquet || c->arrow) && !c->path && isatty(STDOUT_FILENO))
		return error("%s is binary, and standard output a terminal: give --output=FILE",
			     c->parquet ? "a Parquet file" : "an Arrow stream");
	if (!c->max_memory)
		return error("--max-memory needs a number above 0");
	if (c->schema && c->file)
		return error("--schema takes no statements");
	if (word && c->file)
		return error("give the statements as a word or with --file, not both");
	if (!wants_prompt(c, word) && !c->schema && !c->file && (!word || !word[strspn(word, " \t\n;")]))
		return error("no statements were given: prec query 'SELECT ...', @NAME (-l lists them), or --file "
			     "(--schema prints the tables)");
	return input_check(&c->input);
}

static int run(const struct query_cmd *c, const char *word)
{
	char *read = c->file ? read_statements(c->file) : NULL;
	const char *sql = c->file ? read : word && !c->schema ? query_text_of_word(word) : word;
	bool can_run = sql || c->schema || wants_prompt(c, word);
	struct opened_list all = { .v = xcalloc(MAX(c->files.nr, 1), sizeof(*all.v)) };
	int status = 1, err = can_run ? 0 : -1;

	for (; !err && all.nr < MAX(c->files.nr, !c->schema); all.nr++) {
		struct opened *o = &all.v[all.nr];

		o->opts = c->input;
		if (c->files.nr)
			o->opts.path = c->files.v[all.nr];
		err = input_open(&o->in, &o->opts);
	}
	if (!err)
		status = query_recordings(c, &all, sql);
	for (size_t i = 0; i < all.nr; i++)
		input_close(&all.v[i].in);
	free(all.v);
	free(read);
	return status;
}

/* True if the only word is a recording. The prompt then reads statements for it. */
static bool is_recording(const struct input_opts *o, char **word)
{
	struct input_opts copy = *o;

	return word[0][0] != '@' && !strpbrk(word[0], " \t\n;") && input_parse_word(&copy, word, 1);
}

/* Takes the recording also before the statement, as other commands have it first. */
static void put_statement_first(const struct query_cmd *c, char **words, int nr)
{
	char *recording = words[0];

	if (nr != 2 || c->file || c->schema || c->files.nr || !is_recording(&c->input, words) || is_recording(&c->input, words + 1))
		return;
	words[0] = words[1];
	words[1] = recording;
}

static int query(struct query_cmd *c, int argc, char **argv)
{
	int nr = 0, first = options_parse(query_options, c, query_usage, true, argc, argv, &nr), taken;
	bool has_word;

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (c->list)
		return print_recipes(nr ? argv[first] : NULL);
	put_statement_first(c, argv + first, nr);
	has_word = nr && !c->file && !(!c->schema && nr == 1 && !c->files.nr && is_recording(&c->input, argv + first));
	taken = has_word + (c->files.nr || c->schema ? 0 : input_parse_word(&c->input, argv + first + has_word, nr - has_word));
	if (nr > taken)
		return usage_error("query takes one statement and one recording, and '%s' is neither "
				   "(several recordings: -i A -i B)", argv[first + taken]);
	log_set_level(c->quiet ? -1 : c->input.verbose);
	if (check(c, has_word ? argv[first] : NULL))
		return OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return run(c, has_word ? argv[first] : NULL);
}

int cmd_query(int argc, char **argv)
{
	struct query_cmd c = { .max_memory = 4096, .input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK } };
	int status = query(&c, argc, argv);

	vec_free(&c.files);
	return status;
}
