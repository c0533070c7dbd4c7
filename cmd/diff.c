/*
 * prec diff: compares two recordings or groups of recordings, A (before) and B (after). It shows the functions that cost more or
 * less in B, and how certain each difference is. compare_input.c prints the comparison, and diff_browse.c shows it in the
 * terminal browser.
 */
#include "cmd/cmd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/compare_input.h"
#include "core/base/log.h"
#include "core/show/browse/browse.h"

struct side_times {			/* the values of --time */
	const char *of[NR_SIDES];	/* borrowed */
	char *first;			/* the first part of "first:second"; owned */
	unsigned nr;			/* number of values that were given */
};

struct diff_cmd {
	struct compare_opts show;
	bool quiet;
	struct side_times times;
	struct input_opts input;
};

/* Parses --time. Given once, it is for both sides. Given twice, or as "a:b" like in perf, it is for A and then for B. */
static int parse_time(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct side_times *times = field;
	const char *colon = unset ? NULL : strchr(arg, ':');

	if (!unset && times->nr + (colon ? 2 : 1) > NR_SIDES)
		return error("--%s: two are wanted at most: first A's times, then B's", o->name);
	if (unset) {
		free(times->first);
		*times = (struct side_times){0};
		return 0;
	}
	if (colon)
		times->first = xstrndup(arg, (size_t)(colon - arg));
	if (!times->nr)
		times->of[SIDE_A] = colon ? times->first : arg;
	times->of[SIDE_B] = colon ? colon + 1 : arg;
	times->nr += colon ? 2 : 1;
	return 0;
}

static const struct option_desc diff_options[] = {
	OPT_GROUP("Output"),
	OPT_STRING('s', "sort", struct diff_cmd, show.keys, "key[,key...]", "rows: one for each value of these keys (symbol,dso)"),
	OPT_STRING(0, "per", struct diff_cmd, show.per_text, "what",
		   "compare amounts for each unit of work: event, N,M, second or total"),
	OPT_CALL(0, "fail-if", struct diff_cmd, show.fail_over, "limit", compare_parse_fail_if,
		 "exit with status 3 where B takes more by that: '>2%'"),
	OPT_BOOL(0, "all", struct diff_cmd, show.all, "print small rows that have not changed, too"),
	OPT_CALL_FLAGS('g', "tree", struct diff_cmd, show, NULL, compare_parse_form, 0,
		       "print the call tree: what moved most first"),
	OPT_CALL_FLAGS(0, "json", struct diff_cmd, show, NULL, compare_parse_form, 0, "print JSON"),
	OPT_CALL_FLAGS(0, "folded", struct diff_cmd, show, NULL, compare_parse_form, 0,
		       "print stacks with both sides' numbers, for flamegraph.pl"),
	OPT_CALL(0, "format", struct diff_cmd, show, "name", compare_parse_format,
		 "table, tree, json, folded or html (a flame graph)"),
	OPT_CALL('o', "output", struct diff_cmd, show, "file", compare_parse_output,
		 "write to <file>: .html, .folded, .json or .txt; a number: perf's order of -c"),
	OPT_CALL(0, "color", struct diff_cmd, show.screen.color, "when", input_parse_color,
		 "colours: auto (on a terminal), always or never"),
	OPT_BOOL(0, "tui", struct diff_cmd, show.tui, "open the browser (default on a terminal)"),
	OPT_BOOL(0, "stdio", struct diff_cmd, show.stdio, "print text"),
	OPT_BOOL(0, "no-pager", struct diff_cmd, show.screen.no_pager, "do not page what is longer than the screen"),
	OPT_GROUP("As perf diff"),
	OPT_CALL('c', "compute", struct diff_cmd, show, "what", compare_parse_compute,
		 "print perf's table of: delta, delta-abs, ratio or wdiff:W1,W2"),
	OPT_U64(0, "order", struct diff_cmd, show.perf.order, "n", "with -c: 0 sorts by what A has, 1 by what is computed (1)"),
	OPT_BOOL('p', "period", struct diff_cmd, show.perf.period, "with -c: show periods, too"),
	OPT_BOOL('F', "formula", struct diff_cmd, show.perf.formula, "with -c: show how numbers are computed"),
	OPT_BOOL('b', "baseline-only", struct diff_cmd, show.perf.baseline_only, "with -c: only rows that both have"),
	OPT_STRING('t', "field-separator", struct diff_cmd, show.perf.separator, "text",
		   "with -c: put <text> between columns, which are not aligned then"),
	OPT_GROUP("Input"),
	OPT_STRING('k', "vmlinux", struct diff_cmd, input.vmlinux, "file", "take the kernel's symbols from <file>"),
	OPT_STRING(0, "kallsyms", struct diff_cmd, input.kallsyms, "file", "take the kernel's symbols from a copy of kallsyms"),
	OPT_STRING(0, "symfs", struct diff_cmd, input.symfs, "dir", "look binaries up below <dir>"),
	OPT_BOOL(0, "demangle", struct diff_cmd, input.demangle, "show C++, Rust, D names as they are written (default)"),
	OPT_GROUP("Call chains"),
	INPUT_STACKS(struct diff_cmd),
	OPT_GROUP("Filters"),
	OPT_STRING('C', "comms", struct diff_cmd, input.filter.comms, "comms", "only threads of these names"),
	OPT_STRING('d', "dsos", struct diff_cmd, input.filter.dsos, "dsos", "only samples in these files"),
	OPT_STRING('S', "symbols", struct diff_cmd, input.filter.symbols, "symbols", "only samples in these functions"),
	OPT_STRING(0, "cpu", struct diff_cmd, input.filter.cpus, "cpus", "only samples of these CPUs"),
	OPT_STRING(0, "pid", struct diff_cmd, input.filter.pids, "pids", "only these processes"),
	OPT_STRING(0, "tid", struct diff_cmd, input.filter.tids, "tids", "only these threads"),
	OPT_CALL(0, "time", struct diff_cmd, times, "spans", parse_time,
		 "only these times: +2,+3 (s from the first sample), start,stop, 10%/2, 10%-20%; given twice: of A, then of B"),
	INPUT_EVENT(struct diff_cmd),
	OPT_BOOL(0, "wall", struct diff_cmd, input.wall, "time on and off the CPU, with what for (record --off-cpu)"),
	INPUT_PROGRAM(struct diff_cmd),
	OPT_BOOL('q', "quiet", struct diff_cmd, quiet, "print no warnings"),
	OPT_END
};

static const char usage[] = "prec diff [<options>] [<file A>] [<file B>]\n"
	"       prec diff [<options>] <file A>... -- <file B>...\n\n"
	"Says what B (after) spends differently from A (before), and how sure that is.\n"
	"Several files of a side are runs of the same program. Without files A is\n"
	"perf.data.old and B is perf.data; one file is B.\n"
	"Exit status: 0 whatever differs, 3 by --fail-if, 1 where files cannot be read\n"
	"or compared, 2 where one is damaged.";

static void add_files(struct compared_list *c, enum diff_side side, const char *const *words, int nr)
{
	for (int i = 0; i < nr; i++)
		vec_push(&c->list, (struct compared){ .path = words[i], .side = side });
}

/* As in perf, A is perf.data.old and B perf.data by default. Returns 0 or -1 (printed). */
static int parse_words(struct compared_list *c, const char *const *a, int nr_a, const char *const *b, int nr_b, bool split)
{
	static const char *const old_file[] = { "perf.data.old" }, *const new_file[] = { "perf.data" };

	if (split && (!nr_a || !nr_b))
		return error("recordings of both sides are wanted: prec diff A1 A2 -- B1 B2");
	if (!split && nr_a > 2)
		return error("%d recordings: which are A's, and which B's? prec diff A1 A2 -- B1 B2", nr_a);
	add_files(c, SIDE_A, split || nr_a == 2 ? a : old_file, split ? nr_a : 1);
	add_files(c, SIDE_B, split ? b : nr_a ? a + nr_a - 1 : new_file, split ? nr_b : 1);
	return 0;
}

static const char *asks_for_text(const struct compare_opts *o, bool quiet, const struct input_opts *input)
{
	const struct { bool given; const char *name; } all[] = {
		{ o->as_perf, "--compute" }, { !str_eq(o->keys, "symbol,dso"), "--sort" }, { o->form_given, "--format" },
		{ o->output, "--output" }, { o->fail_over != UINT64_MAX, "--fail-if" }, { o->all, "--all" },
		{ o->screen.no_pager, "--no-pager" }, { o->screen.color == COLOR_ALWAYS, "--color=always" },
		{ input->strict.on, "--strict" }, { quiet, "--quiet" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

static int show(const struct diff_cmd *d, struct compared_list *c)
{
	struct terminal t;
	int browser;

	terminal_detect(&t, STDOUT_FILENO, &d->show.screen);
	browser = browse_is_wanted(&t, d->show.tui, d->show.stdio, asks_for_text(&d->show, d->quiet, &d->input));
	if (browser < 0)
		return OPTIONS_USAGE;
	if (browser)
		return diff_browse(c, &d->show, &d->input);
	if (compared_read(c, &d->input, d->show.keys))
		return 1;
	return compare_show(c, &d->show, &d->input);
}

static int run(const struct diff_cmd *d, struct compared_list *c)
{
	struct diff_opts opts;
	const struct perf_text_opts *perf = &d->show.perf;
	bool for_perf = perf->period || perf->formula || perf->baseline_only || perf->separator || perf->order != 1;

	if (compare_check(&opts, &d->show))
		return OPTIONS_USAGE;
	if (for_perf && !d->show.as_perf)
		return usage_error("-o, -p, -F, -b and -t are of perf diff's table: -c says which (delta-abs is perf's default)");
	if (d->show.form > COMPARE_JSON && (d->show.as_perf || d->show.fail_over != UINT64_MAX))
		return usage_error("trees and stacks are without -c and --fail-if");
	if (d->show.as_perf && (c->list.nr != 2 || d->show.form != COMPARE_TABLE || d->show.per_text))
		return usage_error("-c compares two recordings, as perf diff does: without --json and --per");
	return show(d, c);
}

int cmd_diff(int argc, char **argv)
{
	struct diff_cmd d = {
		.show = { .fail_over = UINT64_MAX, .perf = { .order = 1 } },
		.input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK },
	};
	struct compared_list c = {0};
	const char *const *words;
	int nr_words = 0, first, split = 0, status = OPTIONS_USAGE;

	while (split < argc && !str_eq(argv[split], "--"))
		split++;
	first = options_parse(diff_options, &d, usage, true, split, argv, &nr_words);
	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	d.show.keys = d.show.keys ? d.show.keys : d.show.as_perf ? "dso,symbol" : "symbol,dso";
	d.show.perf.keys = d.show.keys;
	log_set_level(d.quiet ? -1 : d.input.verbose);
	signal(SIGPIPE, SIG_IGN);
	words = (const char *const *)argv;
	for (int side = 0; side < NR_SIDES; side++)
		c.times[side] = d.times.of[side];
	if (!input_check(&d.input) &&
	    !parse_words(&c, words + first, nr_words, words + split + 1, argc - split - 1, split < argc))
		status = run(&d, &c);
	compared_release(&c);
	free(d.times.first);
	return status;
}
