/*
 * prec compare: runs two commands alternately, several times each, records each run at a low sampling rate, and prints how the
 * costs of the two commands differ. compare_input.c reads the recordings and prints the comparison.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "cmd/compare_input.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/perfdata/recording_path.h"

#define MOST_RUNS 1000
#define NOISE_RUNS 4	/* fewer do not tell what runs differ by */

struct compare_cmd {
	uint64_t runs, frequency;
	const char *vs, *event, *keep;
	bool chains, output, ignore_failure, quiet;
	struct compare_opts show;
	struct input_opts input;
};

static const struct option_desc compare_options[] = {
	OPT_GROUP("Runs"),
	OPT_U64('r', "repeat", struct compare_cmd, runs, "n", "run each command <n> times (10)"),
	OPT_STRING(0, "vs", struct compare_cmd, vs, "command", "B: another command (A again: what the machine varies by)"),
	OPT_STRING('e', "event", struct compare_cmd, event, "event", "record this event (as prec record)"),
	OPT_U64('F', "freq", struct compare_cmd, frequency, "hz", "take <hz> samples a second (999)"),
	OPT_BOOL('g', "call-graph", struct compare_cmd, chains, "record call chains: renamed functions are found by them"),
	OPT_STRING(0, "keep", struct compare_cmd, keep, "dir", "keep the recordings in <dir>: a1.data, b1.data, ..."),
	OPT_BOOL(0, "show-output", struct compare_cmd, output, "show what the commands print on standard output"),
	OPT_BOOL('i', "ignore-failure", struct compare_cmd, ignore_failure, "compare runs that fail, too"),
	OPT_GROUP("Output"),
	OPT_STRING('s', "sort", struct compare_cmd, show.keys, "key[,key...]",
		   "rows: one for each value of these keys (symbol,dso)"),
	OPT_STRING(0, "per", struct compare_cmd, show.per_text, "what",
		   "compare amounts for each unit of work: event, N,M, second or total"),
	OPT_CALL(0, "fail-if", struct compare_cmd, show.fail_over, "limit", compare_parse_fail_if,
		 "exit with status 3 where B surely takes more by that (>0%, without asking)"),
	OPT_BOOL(0, "all", struct compare_cmd, show.all, "print small rows that have not changed, too"),
	OPT_CALL_FLAGS(0, "json", struct compare_cmd, show, NULL, compare_parse_form, 0, "print JSON"),
	OPT_CALL(0, "color", struct compare_cmd, show.screen.color, "when", input_parse_color,
		 "colours: auto (on a terminal), always or never"),
	OPT_BOOL(0, "no-pager", struct compare_cmd, show.screen.no_pager, "do not page what is longer than the screen"),
	OPT_GROUP("Program"),
	OPT_U64('j', "jobs", struct compare_cmd, input.jobs, "n", "use <n> threads to read the recordings (one a CPU)"),
	OPT_STRICT(struct compare_cmd, input.strict),
	OPT_BOOL(0, "findings", struct compare_cmd, input.strict.all, "print all findings, however small"),
	OPT_COUNT('v', "verbose", struct compare_cmd, input.verbose, "say more of what is done"),
	OPT_BOOL('q', "quiet", struct compare_cmd, quiet, "print no warnings"),
	OPT_END
};

#define SYNOPSIS "prec compare [<options>] [--vs=<command B>] -- <command A>\n" \
		 "       prec compare <command A> --vs=<command B> [<options>]"
static const char usage[] = SYNOPSIS "\n\n"
	"Runs both commands in turns, records each run, and says whether B takes more\n"
	"than A, where, and how sure that is. Without --vs, A is compared with itself:\n"
	"what differs then is the noise of this machine.\n"
	"Exit status: 0 not slower, 3 slower (by --fail-if), 1 a run failed, 2 a\n"
	"recording is damaged.";

struct comparing {
	const struct compare_cmd *opts;
	char **commands[NR_SIDES];	/* borrowed; end with NULL */
	const char *dir;
	VEC(char *) paths;		/* owned */
	struct compared_list all;
};

static void run_recorder(const struct comparing *c, const char *path, char **command)
{
	const struct compare_cmd *o = c->opts;
	const char *options[] = { "record", "-q", "-F", xasprintf("%llu", (unsigned long long)o->frequency), o->event ? "-e" : NULL,
				  o->event, o->chains ? "-g" : NULL, "-o", path, "--" };
	struct { char **v; size_t nr, cap; } words = {0};
	int null = o->output ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i])
			vec_push(&words, (char *)(uintptr_t)options[i]);
	while (*command)
		vec_push(&words, *command++);
	vec_push(&words, NULL);

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	_exit(cmd_record((int)words.nr - 1, words.v));
}

/* Returns the exit status, 128 + n for signal n, or -1 (printed). */
static int record_run(const struct comparing *c, const char *path, char **command)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return error("cannot make a process: %s", strerror(errno));
	if (!pid)
		run_recorder(c, path, command);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error("cannot wait for a process: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_one(struct comparing *c, enum diff_side side, uint64_t number)
{
	char *path = xasprintf("%s/%c%llu.data", c->dir, "ab"[side], (unsigned long long)number);
	int status = record_run(c, path, c->commands[side]);

	vec_push(&c->paths, path);
	if (status < 0)
		return -1;
	if (!recording_begins(path))
		return error("run %llu of %c was not recorded", (unsigned long long)number, "AB"[side]);
	if (status && (!c->opts->ignore_failure || status == 128 + SIGINT))
		return error("run %llu of %c ended with status %d: nothing is compared (--ignore-failure does)",
			     (unsigned long long)number, "AB"[side], status);
	vec_push(&c->all.list, (struct compared){ .path = path, .side = side });
	return 0;
}

#define LONG_S	5.0	/* if the runs take longer than this, the time that is left is printed */

/* Runs A and B alternately, and alternates which is first, so that changes of the machine over time affect both equally. */
static int run_all(struct comparing *c)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	double left;

	for (uint64_t i = 0; i < c->opts->runs; i++) {
		left = (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e9 * (double)(c->opts->runs - 1);
		if (i == 1 && left > LONG_S)
			info("%llu more runs of each take about %.0f s", (unsigned long long)c->opts->runs - 1, left);
		progress("running", 2 * i, 2 * c->opts->runs, PROGRESS_THINGS);
		for (int turn = 0; turn < NR_SIDES; turn++)
			if (run_one(c, (turn ^ (int)(i & 1)) ? SIDE_B : SIDE_A, i + 1))
				return -1;
	}
	progress_end();
	return 0;
}

static int show(struct comparing *c)
{
	struct compare_opts opts = c->opts->show;

	opts.noise = c->opts->vs && c->opts->runs >= NOISE_RUNS && !opts.per_text;
	return compared_read(&c->all, &c->opts->input, opts.keys) ? 1 : compare_show(&c->all, &opts, &c->opts->input);
}

static int compare_in(struct comparing *c)
{
	int status = run_all(c) ? 1 : show(c);

	vec_for(path, &c->paths) {
		if (!c->opts->keep)
			recording_remove(*path);
		free(*path);
	}
	vec_free(&c->paths);
	compared_release(&c->all);
	return status;
}

static int run(struct comparing *c)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/prec-compare.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int status = 1;

	signal(SIGINT, SIG_IGN);	/* it is the command's: its status says so */
	signal(SIGQUIT, SIG_IGN);
	c->dir = c->opts->keep ? c->opts->keep : dir;
	if (c->opts->keep && mkdir(c->opts->keep, 0777) && errno != EEXIST)
		error("cannot make '%s': %s", c->opts->keep, strerror(errno));
	else if (!c->opts->keep && !mkdtemp(dir))
		error("cannot make '%s': %s", dir, strerror(errno));
	else
		status = compare_in(c);
	if (!c->opts->keep)
		rmdir(dir);
	free(dir);
	return status;
}

static int check(const struct compare_cmd *o, int nr_words)
{
	struct diff_opts opts;

	if (!nr_words)
		return error("no command to run: " SYNOPSIS);
	if (o->runs < 2 || o->runs > MOST_RUNS)
		return error("-r: 2 to %d runs are wanted, not %llu", MOST_RUNS, (unsigned long long)o->runs);
	return input_check(&o->input) || compare_check(&opts, &o->show) ? -1 : 0;
}

/* Splits the argument of --vs into words as a shell does. A command that needs a shell is given as sh -c '...'. */
static int split_words(wordexp_t *out, const char *text)
{
	if (wordexp(text, out, WRDE_NOCMD | WRDE_UNDEF))
		return error("--vs: '%s' is no plain command: give what needs a shell as: sh -c '...'", text);
	return out->we_wordc ? 0 : error("--vs: there is no command in '%s'", text);
}

/* Takes options after A's command, from --vs on, unless after "--". Returns the number of A's words; -1 (printed); -2: was help. */
static int parse_late_options(struct compare_cmd *o, int argc, char **argv, int first)
{
	int at = first, nr = 0, next;

	if (first > 1 && str_eq(argv[first - 1], "--"))
		return argc - first;
	while (at < argc && !str_eq(argv[at], "--vs") && !str_starts(argv[at], "--vs="))
		at++;
	if (at == argc || at == first)
		return argc - first;
	next = options_parse(compare_options, o, usage, false, argc - at + 1, argv + at - 1, &nr);
	if (next < 0)
		return next == -2 ? -2 : -1;
	if (nr)
		return error("'%s' is no option, and A's command ends before --vs: quote B's words: --vs='%s %s'",
			     argv[at - 1 + next], o->vs, argv[at - 1 + next]);
	argv[at] = NULL;
	return at - first;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_cmd o = {
		.runs = 10, .frequency = 999, .show = { .keys = "symbol,dso", .fail_over = UINT64_MAX },
		.input = { .demangle = true, .inlines = true, .max_stack = INPUT_MAX_STACK },
	};
	int nr_words = 0, first = options_parse(compare_options, &o, usage, false, argc, argv, &nr_words), status;
	struct comparing c = { .opts = &o };
	wordexp_t vs;

	if (first >= 0)
		nr_words = parse_late_options(&o, argc, argv, first);
	if (first < 0 || nr_words < 0)
		return first == -2 || nr_words == -2 ? 0 : OPTIONS_USAGE;
	log_set_level(o.quiet ? -1 : o.input.verbose);
	if (check(&o, nr_words) || (o.vs && split_words(&vs, o.vs)))
		return OPTIONS_USAGE;
	if (o.vs && o.show.fail_over == UINT64_MAX)
		o.show.fail_over = 0;
	c.commands[SIDE_A] = argv + first;
	c.commands[SIDE_B] = o.vs ? vs.we_wordv : argv + first;
	signal(SIGPIPE, SIG_IGN);
	status = run(&c);
	if (o.vs)
		wordfree(&vs);
	return status;
}
