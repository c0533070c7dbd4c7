/*
 * Defines the option table of prec report, parses the command line, and checks whether the options can be combined. report.c runs
 * the command.
 */
#include "cmd/report_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/hists/hist.h"
#include "core/hists/key_table.h"
#include "core/hists/layout.h"
#include "core/hists/trace_key.h"
#include "core/show/report/own_tables.h"

static int parse_graph(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct graph_opts *g = field;

	g->given = !unset;
	if (unset)
		g->tree.form = TREE_NONE;
	return arg ? tree_opts_parse(&g->tree, arg) : 0;
}

/* Parses the same words as -g, but does not request call graphs. */
static int parse_style(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct graph_opts *g = field;

	return unset ? 0 : tree_opts_parse(&g->tree, arg);
}

static int parse_limit(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct graph_opts *g = field;
	int err = input_parse_percent(o, &g->min_percent, arg, unset);

	g->limit_given = !unset;
	g->tree.min_percent = g->min_percent;
	return err;
}

static int parse_percentage(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	bool *relative = field;

	*relative = !unset && str_eq(arg, "relative");
	if (unset || *relative || str_eq(arg, "absolute"))
		return 0;
	return error("--percentage is relative or absolute, not '%s'", arg);
}

static int parse_quantum(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	struct quantum *quantum = field;
	char *end = NULL;
	bool since_first = !unset && *arg == '+';
	uint64_t n = unset ? 100 : strtoull(arg + since_first, &end, 10);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq(unset ? "ms" : end, units[i].name) && n && n <= UINT64_MAX / units[i].ns) {
			*quantum = (struct quantum){ n * units[i].ns, since_first };
			return 0;
		}
	return error("--time-quantum is a number and s, ms, us or ns (+100ms: counted from the first sample), not '%s'", arg);
}

static int parse_separator(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	const char **separator = field;

	*separator = unset ? NULL : str_eq(arg, "\\t") ? "\t" : arg;
	return unset || *arg ? 0 : error("the field separator is empty");
}

static void pattern_release(struct pattern *p)
{
	if (p->given)
		regfree(&p->regex);
	p->given = false;
}

/* Parses an extended regular expression that function names are matched with. */
static int parse_pattern(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct pattern *p = field;
	char why[200];
	int err;

	pattern_release(p);
	if (unset)
		return 0;
	err = regcomp(&p->regex, arg, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &p->regex, why, sizeof(why));
		return error("--%s needs a regular expression, not '%s': %s", o->name, arg, why);
	}
	p->given = true;
	return 0;
}

static int parse_parallelism(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct cpus *numbers = field;
	const char *bad;

	cpus_release(numbers);
	if (unset)
		return 0;
	if (cpus_parse(numbers, arg, &bad))
		return error("'%s' is no list of numbers of threads: a number or a range is expected at '%s'", arg, bad);
	return cpus_has(numbers, 0) ? error("--%s: at least 1 thread runs where a sample is taken", o->name) : 0;
}

static int parse_latency_hist(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct report_opts *opts = field;

	opts->latency_hist.given = !unset;
	opts->latency_hist.key = arg;
	return 0;
}

/* "p99", "p99.9". */
static int parse_split(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	unsigned *split = field;
	char *end = NULL;
	double percent = unset ? 0 : strtod(arg + (*arg == 'p'), &end);

	*split = SLICES_SPLIT_DEFAULT;
	if (unset)
		return 0;
	if (*arg != 'p' || end == arg + 1 || *end || !(percent >= 0.1 && percent <= 99.9))
		return error("--%s needs a percentile from p0.1 to p99.9, such as p99, not '%s'", o->name, arg);
	*split = (unsigned)(percent * 10 + 0.5);
	return 0;
}

static const struct option_desc report_options[] = {
	INPUT_FILES(struct report_opts),
	INPUT_GUESTS(struct report_opts),
	OPT_GROUP("Columns"),
	OPT_STRING('s', "sort", struct report_opts, sort, "keys",
		   "group by these: comm,dso,symbol,pid,cpu,time or +key; help: list them"),
	OPT_BOOL(0, "mem-mode", struct report_opts, mem_mode,
		 "group memory accesses by what they cost, where their data was and came from"),
	OPT_BOOL_GIVEN('b', "branch-stack", struct report_opts, branches, branches_given,
		       "count branches instead of samples (default where they were recorded)"),
	OPT_BOOL(0, "total-cycles", struct report_opts, total_cycles,
		 "print blocks of code by the cycles that branches recorded for them (record -b)"),
	OPT_BOOL(0, "latency", struct report_opts, latency,
		 "rank by latency: time counts more the fewer threads ran then (record --latency)"),
	{ OPTION_CALL, 0, "latency-hist", "key", "print how long waits take: percentiles and a histogram", OPTION_OPTIONAL, 0,
	  SIZE_MAX, parse_latency_hist },
	OPT_STRING(0, "pair", struct report_opts, pair, "events",
		   "the same of the time from one event to another: begin,end[,key]"),
	OPT_STRING(0, "slices", struct report_opts, slices, "events",
		   "what threads did in the slowest requests, and in usual ones: begin,end[,key] (record --off-cpu)"),
	OPT_CALL(0, "split", struct report_opts, split, "percentile", parse_split,
		 "the percentile above which --slices are the slowest (p99)"),
	OPT_STRING(0, "critical-path", struct report_opts, critical_path, "thread",
		   "what a thread's end hung on, back over who woke whom: tid or name, and @time (record --off-cpu)"),
	OPT_BOOL(0, "run-queue", struct report_opts, runqueue,
		 "print in how many samples how many threads wait for a CPU (record --run-queue)"),
	OPT_STRING(0, "by", struct report_opts, by, "cpu", "--run-queue by this: cpu"),
	OPT_BOOL(0, "durations", struct report_opts, durations,
		 "print how long calls take, by function: of hardware traces, or probes at entry and return"),
	OPT_BOOL(0, "wall", struct report_opts, input.wall,
		 "show where threads spent their time on and off the CPU (record --off-cpu)"),
	OPT_STRING('F', "fields", struct report_opts, fields, "keys", "print these columns, and sort by them in order"),
	OPT_BOOL_GIVEN(0, "group", struct report_opts, group, group_given,
		       "show the events of a group side by side (default), and all events where there are no groups"),
	OPT_U64(0, "group-sort-idx", struct report_opts, group_sort, "n", "sort by the <n>th event of the group, from 0 on"),
	OPT_BOOL(0, "skip-empty", struct report_opts, no_empty, "leave out columns of a group's events without samples (default)"),
	OPT_BOOL('H', "hierarchy", struct report_opts, hierarchy, "print a tree, a level for each key of --sort"),
	OPT_BOOL('n', "show-nr-samples", struct report_opts, nr_samples, "add a column of sample counts"),
	OPT_BOOL(0, "show-total-period", struct report_opts, total_period, "add a column of periods"),
	OPT_BOOL(0, "show-cpu-utilization", struct report_opts, cpu_utilization, "add shares of kernel and user mode"),
	OPT_CALL(0, "percentage", struct report_opts, relative, "kind", parse_percentage,
		 "of all samples (absolute) or of those that pass the filters (relative)"),
	OPT_CALL(0, "percent-limit", struct report_opts, graph, "percent", parse_limit, "leave out smaller entries"),
	OPT_CALL(0, "time-quantum", struct report_opts, quantum, "[+]time", parse_quantum,
		 "length of a row of key time (100ms); +: from the first sample on"),
	OPT_CALL('t', "field-separator", struct report_opts, separator, "sep", parse_separator,
		 "print <sep> between columns, and no padding"),
	OPT_BOOL(0, "ns", struct report_opts, nanoseconds, "print times to the nanosecond"),
	OPT_BOOL(0, "full-source-path", struct report_opts, full_paths, "print files of source with their directories"),
	OPT_STRING('w', "column-widths", struct report_opts, widths, "list", "widths of the columns: 10,20,0,..."),
	OPT_BOOL(0, "raw-trace", struct report_opts, raw_trace, "show fields of tracepoints as they are, by name"),
	OPT_GROUP("Call graphs"),
	OPT_CALL_FLAGS('g', "call-graph", struct report_opts, graph, "how", parse_graph, OPTION_OPTIONAL | OPTION_LOOSE,
		       "separated by commas: graph|fractal|flat|folded|none min% limit caller|callee "
		       "function|srcline|address percent|period|count"),
	OPT_CALL(0, "graph-style", struct report_opts, graph, "how", parse_style,
		 "how call graphs look without -g, as -g says; for settings"),
	OPT_BOOL_GIVEN(0, "children", struct report_opts, children, children_given,
		       "count samples for callers too (default of text with call chains)"),
	OPT_BOOL_GIVEN(0, "inline-self", struct report_opts, self_inlined, self_given,
		       "inlined functions have rows with their own time (default of the browser)"),
	OPT_BOOL('G', "inverted", struct report_opts, inverted, "draw call graphs from the outermost caller"),
	OPT_BOOL(0, "branch-history", struct report_opts, branch_history,
		 "begin call chains with the last branches (record -b -g)"),
	INPUT_STACKS(struct report_opts),
	INPUT_FILTERS(struct report_opts, 'd'),
	INPUT_EVENT(struct report_opts),
	OPT_STRING(0, "symbol-filter", struct report_opts, symbol_filter, "text", "only entries whose symbol contains <text>"),
	OPT_BOOL('U', "hide-unresolved", struct report_opts, hide_unresolved, "leave out what has no symbol"),
	OPT_CALL('p', "parent", struct report_opts, parent, "regex", parse_pattern,
		 "a column with the caller that matches"),
	OPT_BOOL('x', "exclude-other", struct report_opts, exclude_other, "leave out samples without such a caller"),
	OPT_CALL(0, "ignore-callees", struct report_opts, ignore_callees, "regex", parse_pattern,
		 "charge what functions that match call to them"),
	OPT_STRING(0, "socket-filter", struct report_opts, input.filter.sockets, "sockets",
		   "only samples of the CPUs on these sockets"),
	OPT_CALL(0, "parallelism", struct report_opts, parallelism, "numbers", parse_parallelism,
		 "only samples while so many threads ran: 1,4-8 (record --latency)"),
	OPT_GROUP("Other output"),
	INPUT_HEADER(struct report_opts),
	OPT_BOOL('T', "threads", struct report_opts, threads, "print what each thread counted, too (record -s)"),
	OPT_BOOL(0, "stats", struct report_opts, stats, "print only how many records there are of each kind"),
	OPT_BOOL(0, "tasks", struct report_opts, tasks, "print only which threads there were, as a tree of who started whom"),
	OPT_BOOL(0, "mmaps", struct report_opts, mmaps, "the same, with what each process had mapped"),
	OPT_BOOL(0, "unresolved", struct report_opts, unresolved, "print only which files lack names, why, and what helps"),
	OPT_BOOL('D', "dump-raw-trace", struct report_opts, dump, "print all records, with their bytes"),
	OPT_GROUP("Samples in the browser"),
	OPT_U64(0, "samples", struct report_opts, samples, "n", "key S shows at most <n> of a function (all)"),
	OPT_GROUP("Code in the browser"),
	CODE_OPTIONS(struct report_opts),
	OPT_GROUP("Terminal"),
	OPT_BOOL(0, "tui", struct report_opts, tui, "open the browser (default on a terminal)"),
	OPT_BOOL(0, "stdio", struct report_opts, stdio, "print text"),
	INPUT_PAGER(struct report_opts),
	INPUT_COLOR(struct report_opts),
	OPT_CALL(0, "stdio-color", struct report_opts, screen.color, "when", input_parse_color, "as --color"),
	OPT_BOOL(0, "wide", struct report_opts, screen.wide, "do not shorten names to the width of the terminal"),
	OPT_BOOL(0, "all", struct report_opts, screen.all, "print small entries, too, and call graphs to their ends"),
	INPUT_PROGRAM(struct report_opts),
	OPT_BOOL('q', "quiet", struct report_opts, quiet, "print no titles and no warnings"),
	OPT_NO_EFFECT('m', "modules", NULL, "the symbols of kernel modules are always read"),
	OPT_NO_EFFECT(0, "objdump", "path", "code is shown without other programs"),
	INPUT_NO_PROGRAMS,
	OPT_ABSENT(0, "disable-order", "script --dump-unsorted-raw-trace dumps records as they stand in the file"),
	OPT_ABSENT(0, "pretty", "--raw-trace shows the fields of tracepoints as they are"),
	OPT_ABSENT(0, "show-ref-call-graph",
		   "an event has its own call chains only: record -g, or -e '{cycles,instructions}:S' -g, which counts the others "
		   "of the group at the samples of the first and gives them its chains"),
	OPT_END
};

static const char usage[] = "prec report [<options>] [<file>] [<text in symbols>]";

unsigned report_find_key(void *traces, const char *name, size_t len, const struct key **out, unsigned max)
{
	return traces ? trace_keys_find(traces, name, len, out, max) : 0;
}

static unsigned own_tables(const struct report_opts *o)
{
	return (o->latency_hist.given || o->pair) + (o->slices != NULL) + (o->critical_path != NULL) + o->runqueue;
}

static int check(const struct report_opts *o)
{
	const char *input = o->input.path ? o->input.path : "perf.data";
	/* A recording's tracepoints have more names of columns. */
	struct layout_opts layout = { .sort = o->sort, .fields = o->fields, .children = true, .branch_sums = true,
				      .find_more = report_find_key, .skip_unknown = str_eq(input, "-") || !access(input, R_OK) };
	bool shaped = o->input.wall || o->sort || o->fields || o->hierarchy;
	struct layout ignored;

	if (input_check(&o->input) || code_check(&o->code))
		return -1;
	if (o->mem_mode && o->branches)
		return error("--branch-stack and --mem-mode count different things");
	if (o->input.wall && (o->input.event || o->mem_mode || o->branches || o->latency))
		return error("--wall shows all time as one event: leave out -e, --mem-mode, --branch-stack, --latency");
	if (own_tables(o) > 1)
		return error("--latency-hist, --pair, --slices, --critical-path and --run-queue are shown one at a time");
	if (own_tables(o) && shaped)
		return error("--latency-hist, --pair, --slices, --critical-path and --run-queue print tables of their own: "
			     "leave out --wall, -s, -F, --hierarchy");
	if (o->by && (!o->runqueue || !str_eq(o->by, "cpu")))
		return error("--by is for --run-queue, and by cpu alone");
	if (o->durations && (own_tables(o) || shaped))
		return error("--durations prints a table of its own: leave out --latency-hist, --pair, --slices, --critical-path, "
			     "--wall, -s, -F and --hierarchy");
	if (o->total_cycles && (own_tables(o) || o->durations || shaped))
		return error("--total-cycles prints a table of its own: leave out --wall, -s, -F, --hierarchy and other tables");
	if ((o->branch_history || (o->graph.given && o->graph.tree.branches)) &&
	    (o->branches || o->mem_mode || o->input.wall || o->total_cycles))
		return error("--branch-history and -g branch show samples: leave out -b, --mem-mode, --wall, --total-cycles");
	if (o->pair && o->latency_hist.key)
		return error("--pair has its key after the events: begin,end,key");
	if (o->hierarchy && o->fields)
		return error("--hierarchy has the keys of --sort for levels, and no --fields");
	if (!o->input.max_stack)
		return error("--max-stack needs a number above 0");
	return layout_parse(&ignored, &layout);
}

/* Prints all sort keys. Returns 1, as the command then has nothing more to do. */
static int print_keys(void)
{
	struct buf text = {0};

	keys_put_help(&text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 1;
}

int report_opts_parse(struct report_opts *o, int argc, char **argv)
{
	const char *word, *spare;
	int nr_words, first;

	*o = (struct report_opts){
		.children = true, .group = true, .no_empty = true, .input.demangle = true, .input.inlines = true,
		.input.max_stack = INPUT_MAX_STACK,
		.quantum.ns = HISTS_SLOT_NS, .split = SLICES_SPLIT_DEFAULT, .code.source = true,
		.graph.tree = { .form = TREE_GRAPH, .min_percent = 0.5 },
	};
	first = options_parse(report_options, o, usage, true, argc, argv, &nr_words);
	if (first < 0)
		return first == -2 ? 1 : -1;
	if (o->sort && str_eq(o->sort, "help"))
		return print_keys();
	spare = input_parse_words(&o->input, argv + first, nr_words, &word);
	if (spare)
		return error("report takes one text to look for, not '%s' too (see prec report -h)", spare);
	o->filter_is_word = word;
	if (word)
		o->symbol_filter = word;
	log_set_level(o->quiet ? -1 : o->input.verbose);
	return check(o);
}

void report_opts_release(struct report_opts *o)
{
	pattern_release(&o->parent);
	pattern_release(&o->ignore_callees);
	cpus_release(&o->parallelism);
}
