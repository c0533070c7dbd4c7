/*
 * prec export: writes a recording in a format of another program, such as folded stacks or pprof. This file parses the command
 * line and reads the samples. The writers of the formats are in core/show/export/.
 */
#include "cmd/cmd.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/show/export/formats.h"
#include "core/show/report/tasks.h"
#include "core/show/report/wait_rows.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/profile/folded_profile.h"
#include "core/hists/trace_key.h"

#define ANNOTATED 10		/* default number of functions that are written with their code */

struct export_cmd {
	const char *format, *path, *by, *columns;
	bool quiet;
	uint64_t nr_code;
	struct export_opts opts;
	struct input_opts input;
};

static const struct option_desc export_options[] = {
	OPT_GROUP("Output"),
	OPT_STRING(0, "format", struct export_cmd, format, "name",
		   "what to write, help: list them; default: as the suffix of --output says"),
	OPT_STRING('o', "output", struct export_cmd, path, "file", "write <file> (standard output)"),
	OPT_BOOL(0, "wall", struct export_cmd, input.wall, "time on and off the CPU, with what for (record --off-cpu)"),
	OPT_BOOL(0, "samples", struct export_cmd, opts.samples, "count samples instead of what they stand for"),
	OPT_STRING(0, "by", struct export_cmd, by, "key[,key...]", "of jsonl, csv, parquet: a row for each value of these keys"),
	OPT_STRING(0, "columns", struct export_cmd, columns, "key[,key...]",
		   "of jsonl, csv, parquet: in each sample's row the values of these keys, too"),
	OPT_U64(0, "annotate", struct export_cmd, nr_code, "n", "html: the code and lines of the <n> hottest functions (10)"),
	OPT_U64(0, "max-rows", struct export_cmd, opts.max_rows, "n", "html: sum samples up to at most <n> rows (2000000)"),
	INPUT_FILES(struct export_cmd),
	OPT_GROUP("Call chains"),
	INPUT_STACKS(struct export_cmd),
	INPUT_FILTERS(struct export_cmd, 'd'),
	INPUT_EVENT(struct export_cmd),
	INPUT_PROGRAM(struct export_cmd),
	OPT_BOOL('q', "quiet", struct export_cmd, quiet, "print no warnings"),
	OPT_END
};

static const char usage[] = "prec export [<options>] [<file>]";

static int print_formats(void)
{
	struct buf text = {0};

	formats_put_help(&text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

static const struct profile_writer *find_format(const struct export_cmd *e)
{
	const struct profile_writer *writer = e->format ? format_by_name(e->format) : e->path ? format_of_file(e->path) : NULL;
	struct buf names = {0};

	if (writer)
		return writer;
	format_names(&names);
	if (e->format)
		error("there is no format '%s': known are: %s", e->format, buf_str(&names));
	else if (e->path)
		error("the name '%s' does not say which format it is to have (see --format): %s", e->path, buf_str(&names));
	else
		error("nothing says what to write: give --output=FILE or --format=NAME: %s", buf_str(&names));
	buf_release(&names);
	return NULL;
}

/* If the writer has room for one event, chooses the first with samples. */
static uint32_t choose_event(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	uint32_t first = PROFILE_NONE, nr = 0;

	for (uint32_t i = 0; i < d->events.nr; i++) {
		if (!d->events.v[i].nr && !d->events.v[i].nr_filtered)
			continue;
		first = nr++ ? first : i;
	}
	if (nr > 1)
		info("there are %u events; '%s' is written (--event chooses another)", nr,
		     profile_string(p, d->events.v[first].name));
	return nr ? first : 0;
}

static void explain_nothing(const struct export_cmd *e, const struct session *s, const struct filter *filter)
{
	const struct filter_opts *f = &e->input.filter;

	if (session_counts(s)->by_type[PERF_RECORD_SAMPLE] && (f->comms || f->dsos || f->symbols))
		print_empty_result(s, filter, NULL);
}

#define FEW_PROCESSES	3u	/* a tree of so few processes shows no more than a list of them, and is left out */
#define MOST_WAITS	10u

/* As prec summary shows them. If @p was made without wait frames, reads the waits again with them. */
static size_t read_waits(struct session *s, const struct profile_query *q, const struct profile *p, struct export_wait *out)
{
	struct profile_query of_waits;
	struct profile *waits;
	size_t nr;

	if (q->wait_frames)
		return wait_rows_list(p, out, MOST_WAITS);
	if (q->event || !session_waits_event(s))
		return 0;
	of_waits = (struct profile_query){ .event = session_waits_event(s), .wait_frames = true, .filter = q->filter,
					   .max_depth = q->max_depth, .inlines = q->inlines };
	waits = profile_of_session(s, &of_waits);
	nr = wait_rows_list(waits, out, MOST_WAITS);
	profile_free(waits);
	return nr;
}

static void add_summary(struct session *s, const struct profile_query *q, const struct profile *p, struct export_opts *opts,
			struct export_wait *waits, struct buf *processes)
{
	const struct profile_data *d = profile_data(p);
	uint32_t event = opts->event == PROFILE_NONE ? 0 : opts->event;

	if (!d->events.nr)
		return;
	while (opts->event == PROFILE_NONE && event + 1 < d->events.nr && !d->events.v[event].nr)
		event++;
	if (d->processes.nr > FEW_PROCESSES && d->events.v[event].nr) {
		opts->small_processes = tasks_print_brief(s, p, event, processes);
		opts->processes = buf_str(processes);
	}
	opts->waits = waits;
	opts->nr_waits = read_waits(s, q, p, waits);
}

static int write_profile(const struct export_cmd *e, const struct profile_writer *writer, struct session *s,
			 const struct profile_query *q, struct findings *found)
{
	struct export_opts opts = e->opts;
	struct export_wait waits[MOST_WAITS];
	struct buf processes = {0};
	struct outfile out;
	struct profile *p;
	int err;

	opts.event = q->event ? q->event->number : PROFILE_NONE;
	/* Open the output first: if that fails, the profile need not be made. */
	if (outfile_open(&out, e->path))
		return -1;
	p = profile_of_session(s, q);
	if (opts.event == PROFILE_NONE && writer->flags & WRITER_ONE_EVENT)
		opts.event = choose_event(p);
	findings_merge(found, profile_findings(p));
	if (!profile_data(p)->weights.nr)
		explain_nothing(e, s, q->filter);
	session_findings(s, found);
	findings_sort(found);
	if (writer->flags & WRITER_SUMMARY)
		add_summary(s, q, p, &opts, waits, &processes);
	profile_write(writer, p, found, &opts, &out);
	err = outfile_close(&out);
	for (size_t i = 0; i < opts.nr_waits; i++) {
		free(waits[i].text);
		free(waits[i].function);
	}
	buf_release(&processes);
	profile_free(p);
	return err;
}

/* ---- how often code ran ---- */

static int write_code(const struct export_cmd *e, const struct profile_writer *writer, struct session *s,
		      const struct profile_query *q, struct findings *found)
{
	struct export_opts opts = { .event = PROFILE_NONE };
	struct export x = { .findings = found, .opts = &opts };
	struct code_counts *counts;
	struct outfile out;
	int err;

	if (outfile_open(&out, e->path))
		return -1;
	counts = code_counts_new(s, &(struct code_counts_opts){
		.filter = q->filter, .event = q->event, .samples_will_do = writer->flags & WRITER_SAMPLES_DO,
	});
	x.out = &out;
	err = writer->code(&x, counts);
	session_findings(s, found);
	findings_sort(found);
	if (err)
		outfile_abandon(&out);
	else
		err = outfile_close(&out);
	code_counts_free(counts);
	return err;
}

/* ---- rows by sort keys ---- */

/* Sort keys that need more than the samples. Only prec report has them. */
#define NOT_HERE (NEED_BRANCH | NEED_PARENT | NEED_QUEUE | NEED_RUNNING)

static int check_key(const struct key *k)
{
	return k->needs & NOT_HERE ? error("key '%s' is not for rows (see prec report -s %s)", k->name, k->name) : 0;
}

/* Prints what is wrong; 0, -1, or OPTIONS_USAGE. */
static int parse_by(struct layout *layout, const char *by, struct trace_keys *traces)
{
	char *fields = xasprintf("sample,period,%s", by);
	struct layout_opts opts = { .sort = by, .fields = fields, .find_more = trace_keys_find, .find_more_ctx = traces };
	int err = layout_parse(layout, &opts) ? OPTIONS_USAGE : 0;

	free(fields);
	for (unsigned i = 0; !err && i < layout->nr_columns; i++)
		err = check_key(layout->columns[i]);
	return err;
}

static int parse_columns(struct layout *layout, const char *columns, struct trace_keys *traces)
{
	struct layout_opts opts = { .sort = columns, .fields = columns, .find_more = trace_keys_find, .find_more_ctx = traces };
	int err = layout_parse(layout, &opts) ? OPTIONS_USAGE : 0;

	for (unsigned i = 0; !err && i < layout->nr_columns; i++) {
		const struct key *k = layout->columns[i];

		if (row_text_has_column(k->name))
			err |= error("each row has a column '%s' already: leave it out of --columns", k->name);
		else if (key_is_sum(k))
			err |= error("'%s' sums samples up, and a row of --columns is one sample", k->name);
		else
			err |= check_key(k);
	}
	return err ? OPTIONS_USAGE : 0;
}

static bool has_rows(const struct hists *h)
{
	vec_for(hist, &h->list)
		if (hist->sorted.nr)
			return true;
	return false;
}

static int write_rows(const struct export_cmd *e, const struct profile_writer *writer, struct session *s,
		      const struct profile_query *q, struct findings *found)
{
	struct export_opts opts = { .event = PROFILE_NONE };
	struct trace_keys *traces = trace_keys_new(s, false);
	struct hists_opts h = { .event = q->event, .filter = q->filter, .traces = traces, .separate = q->event != NULL,
				.max_depth = q->max_depth, .inlines = q->inlines, .self_inlined = q->inlines };
	struct outfile out;
	struct hists *hists;
	int err = parse_by(&h.layout, e->by, traces);

	if (!err)
		err = outfile_open(&out, e->path);
	if (err) {
		trace_keys_free(traces);
		return err;
	}
	layout_split_waits(&h.layout, s);
	hists = hists_new(s, &h);
	session_findings(s, found);
	hists_findings(hists, s, found);
	if (!has_rows(hists))
		explain_nothing(e, s, q->filter);
	findings_sort(found);
	profile_write_rows(writer, hists, found, &opts, &out);
	err = outfile_close(&out);
	hists_free(hists);
	trace_keys_free(traces);
	return err;
}

/* ---- folded stacks as input ---- */

static const char *not_of_folded(const struct export_cmd *e)
{
	const struct filter_opts *f = &e->input.filter;

	if (e->by || e->columns)
		return e->by ? "--by is" : "--columns is";
	return f->comms || f->dsos || f->symbols || f->cpus || f->pids || f->tids || f->sockets || f->time || f->switches.on ||
	       f->switches.off || e->input.event ? "filters are" : NULL;
}

static int export_folded(const struct export_cmd *e, const struct profile_writer *writer)
{
	struct export_opts opts = { .samples = e->opts.samples, .max_rows = e->opts.max_rows };
	const char *wrong = not_of_folded(e);
	struct findings found = {0};
	struct outfile out;
	struct profile *p;
	int err;

	if (wrong)
		return -error("%s for recordings, and '%s' has folded stacks", wrong, e->input.path);
	if (outfile_open(&out, e->path))
		return 1;
	p = profile_of_folded(e->input.path);
	if (!p) {
		outfile_abandon(&out);
		return 1;
	}
	profile_write(writer, p, &found, &opts, &out);
	err = outfile_close(&out);
	profile_free(p);
	return err ? 1 : 0;
}

/* ---- the command ---- */

/* All branches, and gaps; @alone: nothing else of the trace. */
static void ask_for_branches(struct itrace_opts *o, bool alone)
{
	o->calls = o->returns = false;
	if (alone)
		input_ask_for_calls(o);
	o->branches = o->errors = true;
}

static int write_samples(const struct export_cmd *e, const struct profile_writer *writer, struct session *s,
			 const struct profile_query *q, struct findings *found)
{
	struct profile_query query = *q;
	struct trace_keys *traces = trace_keys_new(s, false);
	struct layout columns = {0};
	int err = e->columns ? parse_columns(&columns, e->columns, traces) : 0;

	if (e->columns) {
		query.columns = &columns;
		query.traces = traces;
		layout_split_waits(&columns, s);
	}
	if (!err)
		err = write_profile(e, writer, s, &query, found);
	trace_keys_free(traces);
	return err;
}

static int export_recording(const struct export_cmd *e, const struct profile_writer *writer, const struct input_opts *opened)
{
	struct profile_query q = {
		.frames = writer->frames, .max_depth = (unsigned)MIN(e->input.max_stack, UINT_MAX), .inlines = e->input.inlines,
		.cpus = writer->flags & (WRITER_CPUS | WRITER_TIMES), .times = writer->flags & WRITER_TIMES,
		.timeline = writer->flags & WRITER_TIMELINE,
		.unresolved = writer->flags & WRITER_SUMMARY,
		.nr_code = writer->flags & WRITER_CODE ? (uint32_t)MIN(e->nr_code, UINT32_MAX) : 0,
	};
	struct findings found = {0};
	struct input_opts input = *opened;
	struct input in = {0};
	int status, err;

	if (input_open(&in, opened))
		return 1;
	q.calls = !writer->code && !e->by && (input.itrace.calls || input.itrace.returns);
	if (writer->code || q.calls)
		ask_for_branches(&input.itrace, writer->code != NULL);
	err = input_attach_event(&in, &q.event, &input);
	q.filter = in.filter;
	q.wait_frames = input.wall && !e->columns && !e->by;
	if (!err)
		err = (writer->code ? write_code : e->by ? write_rows : write_samples)(e, writer, in.session, &q, &found);
	input_close(&in);
	status = findings_end(&found, &input.strict, 0);
	return err == OPTIONS_USAGE ? err : err ? 1 : status;
}

static int run(const struct export_cmd *e)
{
	const struct profile_writer *writer = find_format(e);
	struct input_opts input = e->input;

	if (!writer)
		return OPTIONS_USAGE;
	if (e->by && !writer->rows)
		return usage_error("%s has no rows: --by is for jsonl, csv and parquet", writer->name);
	if (e->columns && (!writer->rows || e->by))
		return usage_error("--columns is for rows of samples: jsonl, csv and parquet without --by");
	if (writer->flags & WRITER_BINARY && (!e->path || str_eq(e->path, "-")) && isatty(STDOUT_FILENO))
		return usage_error("%s is binary, and standard output a terminal: give --output=FILE", writer->name);
	if (e->input.path && folded_begins(e->input.path)) {
		if (!writer->code)
			return export_folded(e, writer);
		return usage_error("%s is of code that ran, which folded stacks do not have", writer->name);
	}
	input.demangle &= !(writer->flags & WRITER_LINKAGE_NAMES);
	return export_recording(e, writer, &input);
}

int cmd_export(int argc, char **argv)
{
	struct export_cmd e = { .nr_code = ANNOTATED,
				.input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK } };
	int nr_words = 0, first = options_parse(export_options, &e, usage, true, argc, argv, &nr_words);

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (e.format && str_eq(e.format, "help"))
		return print_formats();
	if (!e.input.path && nr_words && folded_begins(argv[first])) {
		e.input.path = argv[first++];
		nr_words--;
	}
	if (input_parse_only_word(&e.input, argv[0], argv + first, nr_words))
		return OPTIONS_USAGE;
	log_set_level(e.quiet ? -1 : e.input.verbose);
	if (input_check(&e.input))
		return OPTIONS_USAGE;
	if (!e.input.max_stack)
		return usage_error("--max-stack needs a number above 0");
	signal(SIGPIPE, SIG_IGN);
	return run(&e);
}
