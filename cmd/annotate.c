/*
 * prec annotate: prints functions instruction by instruction, with the share of the samples at each instruction.
 * core/code/annotation.c sums the samples by address, and core/show/report/annotate.c prints the functions.
 */
#include "cmd/cmd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/code_options.h"
#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/code/function_name.h"
#include "core/ui/pager.h"
#include "core/ui/suggest.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/model/srcline.h"
#include "core/show/report/annotate.h"

#define LEAST_PERCENT 0.5	/* minimum share of all samples of a function that is printed, if the user names none */

struct wanted_annotate {
	const char *symbol;		/* NULL: the hottest functions */
	double min_percent;
	bool quiet;
	struct annotate_opts code;
	struct terminal_opts screen;
	struct input_opts input;
};

struct annotator {
	const struct wanted_annotate *opts;
	struct terminal terminal;
	struct annotate_opts text;
	struct input in;
	struct annotation annotation;
	struct buf out;
	size_t first;		/* number of bytes in .out with the first function */
};

#define OPTS struct wanted_annotate

static const struct option_desc annotate_options[] = {
	INPUT_FILES(OPTS),
	OPT_GROUP("Output"),
	OPT_STRING('s', "symbol", OPTS, symbol, "symbol", "the function, as the word <symbol>"),
	OPT_CALL(0, "percent-limit", OPTS, min_percent, "percent", input_parse_percent,
		 "without a symbol: no functions below (0.5)"),
	CODE_OPTIONS(OPTS),
	OPT_BOOL('n', "show-nr-samples", OPTS, code.nr_samples, "print numbers of samples instead of percents"),
	OPT_BOOL(0, "show-total-period", OPTS, code.periods, "print periods instead of percents"),
	OPT_BOOL(0, "source-only", OPTS, code.source_only, "print source lines alone, with their percents"),
	OPT_BOOL(0, "line-shares", OPTS, code.line_shares, "beside source lines what all their instructions have"),
	OPT_BOOL('P', "full-paths", OPTS, code.full_paths, "print files of source with their directories"),
	OPT_CALL_FLAGS(0, "itrace", OPTS, input.itrace, "what", input_parse_itrace, OPTION_OPTIONAL,
		       "make these samples of a hardware trace, as i1000i for each 1000th instruction"),
	INPUT_FILTERS(OPTS, 'd'),
	OPT_GROUP("Terminal"),
	INPUT_PAGER(OPTS),
	INPUT_COLOR(OPTS),
	OPT_CALL(0, "stdio-color", OPTS, screen.color, "when", input_parse_color, "as --color"),
	OPT_BOOL(0, "wide", OPTS, screen.wide, "do not cut lines at the width of the terminal"),
	INPUT_PROGRAM(OPTS),
	OPT_BOOL('q', "quiet", OPTS, quiet, "print no titles and no warnings"),
	OPT_ALWAYS(0, "stdio"),
	OPT_ALWAYS(0, "stdio2"),
	OPT_ALWAYS(0, "group"),
	OPT_ALWAYS('l', "print-line"),
	OPT_NO_EFFECT('m', "modules", NULL, "the symbols of kernel modules are always read"),
	OPT_ABSENT(0, "tui", "the browser is that of report, where the key a annotates a function"),
	OPT_ABSENT(0, "gtk", "the browser is that of report, where the key a annotates a function"),
	OPT_NO_EFFECT(0, "objdump", "path", "code is shown without other programs"),
	INPUT_NO_PROGRAMS,
	OPT_ABSENT('D', "dump-raw-trace", "script --dump-raw-trace prints all records"),
	OPT_ABSENT(0, "data-type", "the types of data are not read"),
	OPT_END
};

static const char usage[] = "prec annotate [<options>] [<file>] [<symbol>]";

/* True if @wanted is inlined at an address of @f that has samples. */
static bool has_inlined(const struct annotated_function *f, const char *wanted, enum name_given given)
{
	struct addr_location at = f->location;

	for (size_t i = 0; i < f->weights.nr; i++) {
		struct frames frames;

		if (i && f->weights.v[i].addr == at.addr)
			continue;
		at.addr = f->weights.v[i].addr;
		frames = addr_location_frames(&at);
		for (uint32_t k = 0; k + 1 < frames.nr; k++)
			if (frames.v[k].function && function_is_named(frames.v[k].function, wanted, given))
				return true;
	}
	return false;
}

static bool wants(const struct annotator *a, const struct annotated_function *f, bool inlined, enum name_given given)
{
	const struct wanted_annotate *w = a->opts;

	if (inlined)
		return has_inlined(f, w->symbol, given);
	return w->symbol ? function_is_named(f->location.symbol->name, w->symbol, given) : 100 * f->share >= w->min_percent;
}

static void name_others(const struct annotator *a, struct names *others)
{
	struct buf text = {0};

	names_sort(others);
	vec_for(name, &others->list)
		buf_printf(&text, "%s'%s'", text.len ? ", " : "", *name);
	if (text.len)
		info("'%s' is also in the names of %s", a->opts->symbol, text.data);
	buf_release(&text);
}

/* @inlined: functions that contain the wanted one. If several names match, all with the hottest's name (a JIT makes several). */
static size_t print_wanted(struct annotator *a, bool inlined, enum name_given given)
{
	struct names others = {0};
	const char *name = NULL;
	size_t nr = 0;

	vec_for(f, &a->annotation.functions) {
		if (!wants(a, f, inlined, given))
			continue;
		if (nr && given == NAME_PART && !str_eq(f->location.symbol->name, name)) {
			names_add(&others, f->location.symbol->name);
			continue;
		}
		name = f->location.symbol->name;
		if (inlined)
			info("'%s' is inlined into '%s', which is shown", a->opts->symbol, f->location.symbol->name);
		annotate_print(&a->annotation, f, a->in.session, &a->text, &a->out, NULL);
		if (!nr++)
			a->first = a->out.len;
	}
	name_others(a, &others);
	names_release(&others);
	return nr;
}

static int none_found(const struct annotator *a)
{
	const char *path = session_file(a->in.session)->path;
	struct names known = {0};
	struct buf meant = {0};

	if (!a->annotation.functions.nr)
		return error("no sample of '%s' is in a function, or none passes the filters (its times: report --header-only)",
			     path);
	if (!a->opts->symbol)
		return error("no function has %g %% of the samples of '%s'", a->opts->min_percent, path);
	vec_for(f, &a->annotation.functions)
		names_add(&known, f->location.symbol->name);
	names_sort(&known);
	names_suggest(&meant, a->opts->symbol, strlen(a->opts->symbol), &known);
	error("no sample is in a function '%s'%s", a->opts->symbol, buf_str(&meant));
	names_release(&known);
	buf_release(&meant);
	return -1;
}

/* Skips colour codes; -1 if the line begins with no number. */
static double number_of(const char *line)
{
	char *end;
	double n;

	while (*line == ' ' || *line == '\033')
		line += *line == ' ' ? 1 : strcspn(line, "m\n") + 1;
	n = strtod(line, &end);
	return end == line ? -1 : n;
}

/* The line of the first function's hottest instruction, from 1 on; 0: none. */
static size_t hottest_line(struct annotator *a)
{
	const char *at = buf_str(&a->out), *end = at + a->first;
	size_t hottest = 0;
	double most = 0;

	for (size_t line = 1; at < end; line++) {
		double n = number_of(at);

		if (n > most) {
			most = n;
			hottest = line;
		}
		at = strchrnul(at, '\n') + 1;
	}
	return hottest;
}

static void plan_text(struct annotator *a)
{
	const struct wanted_annotate *w = a->opts;

	terminal_detect(&a->terminal, STDOUT_FILENO, &w->screen);
	a->text = w->code;
	a->text.titles = !w->quiet;
	a->text.colors = a->terminal.colors;
	a->text.screen_width = a->terminal.is_terminal && !w->screen.wide ? a->terminal.width : 0;
}

static int annotate(struct annotator *a)
{
	struct findings found = {0};
	int err, status;
	size_t nr = 0;

	annotation_init(&a->annotation, a->in.session, filter_is_open(a->in.filter) ? NULL : a->in.filter, false);
	for (unsigned step = 0; !nr && step < (a->opts->symbol ? 4 : 1); step++)
		nr = print_wanted(a, step % 2, step / 2 ? NAME_PART : NAME_WHOLE);
	status = -check_output(pager_show_at(&a->terminal, a->opts->screen.no_pager, hottest_line(a), &a->out));
	if (!nr)
		status = -none_found(a);
	session_findings(a->in.session, &found);
	err = findings_end(&found, &a->opts->input.strict, 0);
	return status ? status : err;
}

static int open_and_annotate(const struct wanted_annotate *w)
{
	struct annotator a = { .opts = w };
	int status = 1;

	plan_text(&a);
	if (!input_open(&a.in, &w->input) && !input_attach(&a.in, &w->input)) {
		session_clip_waits(a.in.session, a.in.filter);
		status = annotate(&a);
	}
	annotation_release(&a.annotation);
	buf_release(&a.out);
	input_close(&a.in);
	return status;
}

static int parse(struct wanted_annotate *w, int argc, char **argv)
{
	int nr_words, first = options_parse(annotate_options, w, usage, true, argc, argv, &nr_words);
	const char *symbol, *spare;

	if (first < 0)
		return first;
	spare = input_parse_words(&w->input, argv + first, nr_words, &symbol);
	if (spare)
		return error("annotate takes one symbol, not '%s' too (see prec annotate -h)", spare);
	if (symbol)
		w->symbol = symbol;
	log_set_level(w->quiet ? -1 : w->input.verbose);
	return input_check(&w->input) || code_check(&w->code) ? -1 : 0;
}

int cmd_annotate(int argc, char **argv)
{
	struct wanted_annotate w = { .min_percent = LEAST_PERCENT, .code.source = true, .input.demangle = true };
	int err = parse(&w, argc, argv);

	if (err)
		return err == -2 ? 0 : OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return open_and_annotate(&w);
}
