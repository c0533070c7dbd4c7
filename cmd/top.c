/*
 * prec top: records, and shows the last minute in the browser on the terminal, updated about once a second.
 * core/record/loop/pieces.h runs the recorder in another process. report_browse.c runs the browser.
 */
#include "cmd/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/report_options.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/record/loop/pieces.h"
#include "core/show/browse/browse.h"
#include "core/ui/options.h"
#include "core/ui/terminal.h"

#define FREQUENCY "99"

static const char top_usage[] = "prec top [<options>] [--] [<command>]";

struct top_opts {
	bool all_cpus, chains, inlines;
	const char *pids, *tids, *user, *cpus, *event, *frequency, *count, *call_graph;
};

#define OPTS struct top_opts

static const struct option_desc top_options[] = {
	OPT_GROUP("What is recorded"),
	OPT_BOOL('a', "all-cpus", OPTS, all_cpus, "all CPUs (default without a command, -p, -t, -u)"),
	OPT_STRING('C', "cpu", OPTS, cpus, "cpus", "these CPUs"),
	OPT_STRING('p', "pid", OPTS, pids, "pids", "these processes"),
	OPT_STRING('t', "tid", OPTS, tids, "tids", "these threads"),
	OPT_STRING('u', "uid", OPTS, user, "user", "processes of this user"),
	OPT_STRING('e', "event", OPTS, event, "event", "this event, as prec record has it"),
	OPT_STRING('F', "freq", OPTS, frequency, "hz", "so many samples a second and CPU (" FREQUENCY ")"),
	OPT_STRING('c', "count", OPTS, count, "n", "a sample each <n> events"),
	OPT_BOOL('g', NULL, OPTS, chains, "call chains, too"),
	OPT_STRING(0, "call-graph", OPTS, call_graph, "how", "call chains, by fp, dwarf, lbr or auto"),
	OPT_GROUP("What is shown"),
	OPT_BOOL(0, "inline", OPTS, inlines, "show inlined functions (default)"),
	OPT_END
};

struct words { VEC(const char *) list; };

/* Makes the arguments of prec record, terminated by NULL. */
static void put_words(struct words *w, const struct top_opts *o, char *const *command, int nr)
{
	const char *const given[][2] = {
		{ "-C", o->cpus }, { "-p", o->pids }, { "-t", o->tids }, { "-u", o->user }, { "-e", o->event }, { "-c", o->count },
		{ "-F", o->frequency ? o->frequency : o->count ? NULL : FREQUENCY }, { "--call-graph", o->call_graph },
	};
	bool chosen = nr || o->pids || o->tids || o->user || o->cpus;

	if (o->all_cpus || !chosen)
		vec_push(&w->list, "-a");
	if (o->chains)
		vec_push(&w->list, "-g");
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i][1]) {
			vec_push(&w->list, given[i][0]);
			vec_push(&w->list, given[i][1]);
		}
	vec_push(&w->list, "--");
	for (int i = 0; i < nr; i++)
		vec_push(&w->list, command[i]);
	vec_push(&w->list, NULL);
}

static void put_title(const struct top_opts *o, char *const *command, int nr, struct buf *out)
{
	const char *const given[][2] = { { "process", o->pids }, { "thread", o->tids }, { "user", o->user }, { "CPU", o->cpus } };

	for (int i = 0; i < nr; i++)
		buf_printf(out, "%s%s", out->len ? " " : "", command[i]);
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i][1])
			buf_printf(out, "%s%s %s", out->len ? ", " : "", given[i][0], given[i][1]);
	if (!out->len)
		buf_puts(out, "all CPUs");
}

static void print_messages(const struct pieces *pieces)
{
	struct buf said = {0};

	pieces_messages(pieces, &said);
	fputs(buf_str(&said), stderr);
	buf_release(&said);
}

static int watch(const struct top_opts *o, const struct terminal *t, char *const *command, int nr)
{
	char name[] = "report", *words_of_report[] = { name, NULL };
	struct words words = {0};
	struct report_opts report;
	struct pieces *pieces;
	struct buf title = {0};
	int status = report_opts_parse(&report, 1, words_of_report) ? 1 : 0;

	report.input.inlines = o->inlines;
	put_words(&words, o, command, nr);
	put_title(o, command, nr, &title);
	if (!status && pieces_begin(&pieces, words.list.v))
		status = 1;
	else if (!status) {
		log_set_level(-1);	/* otherwise messages would be repeated each second */
		status = report_browse(&report, t, pieces, buf_str(&title));
		if (status)
			print_messages(pieces);
		pieces_end(pieces);
	}
	report_opts_release(&report);
	buf_release(&title);
	vec_free(&words.list);
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct top_opts o = { .inlines = true };
	struct terminal terminal;
	int nr, first = options_parse(top_options, &o, top_usage, false, argc, argv, &nr);

	if (first < 0)
		return first == -2 ? 0 : first == OPTIONS_FAILED ? 1 : OPTIONS_USAGE;
	if (o.count && o.frequency)
		return usage_error("-c and -F are two answers to one question: give one of them");
	terminal_detect(&terminal, STDOUT_FILENO, &(struct terminal_opts){0});
	if (!browse_is_wanted(&terminal, false, false, NULL)) {
		error("prec top needs a terminal that can show the browser: prec record and prec report make a profile "
		      "without one");
		return 1;
	}
	return watch(&o, &terminal, argv + first, nr);
}
