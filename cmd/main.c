/*
 * main() finds the command that the user gave, inserts the user's settings (config.h) before the command's options, runs the
 * command, and checks that all output was written. cmd.h declares the functions of the commands.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/config.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/ui/options.h"
#include "core/ui/suggest.h"
#include "core/ui/terminal.h"

#define SUMMARY_COLUMN 18u

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "record", cmd_record, "run a command, or watch what runs, and record its profile" },
	{ "report", cmd_report, "show where the time of a recording went" },
	{ "top", cmd_top, "show where time goes now, of all CPUs, a process, or a command" },
	{ "script", cmd_script, "print a recording event by event" },
	{ "annotate", cmd_annotate, "show a function's instructions and lines with their shares of the samples" },
	{ "summary", cmd_summary, "say in a page what a recording shows, and what is wrong with it" },
	{ "diff", cmd_diff, "say what two programs spend differently, and how sure that is" },
	{ "compare", cmd_compare, "run two commands in turns, several times, and say what they spend differently" },
	{ "export", cmd_export, "write a profile in the format of another program" },
	{ "query", cmd_query, "ask a recording anything, in SQL" },
	{ "verify", cmd_verify, "say what is wrong with recordings, and by the exit status how much" },
	{ "archive", cmd_archive, "make a recording one file that is read without its binaries, on any machine" },
	{ "buildid-cache", cmd_buildid_cache, "list, add and remove the copies of binaries that keep their names" },
	{ "doctor", cmd_doctor, "say what can be recorded here and now, and what the rest would need" },
	{ "list", cmd_list, "name the events that this machine has" },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (str_eq(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int print_help(void)
{
	struct terminal terminal;
	struct buf out = {0};
	size_t width = help_width(&terminal);
	int err;

	put_wrapped(&out, "prec shows where programs spend their time, and what they wait for.", 0, 0, width);
	buf_puts(&out, "\n\n"
		 "    prec record -g ./program           record what it does, into perf.data\n"
		 "    prec report                        look at that: '?' lists the keys\n"
		 "    prec compare --vs=./new -- ./old   is the new one faster?\n\n");
	buf_puts(&out, "usage: prec [--version] [--help] [--no-pager] <command> [<args>]\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		buf_printf(&out, "    %-13s ", commands[i].name);
		put_wrapped(&out, commands[i].summary, SUMMARY_COLUMN, SUMMARY_COLUMN, width);
		buf_putc(&out, '\n');
	}
	buf_putc(&out, '\n');
	put_wrapped(&out, "'prec <command> -h' lists a command's options, 'man prec-<command>' explains them.", 0, 0, width);
	buf_puts(&out, "\n'prec help config' lists the settings that are in force.\n");
	err = help_show(&out, &terminal);
	buf_release(&out);
	return err ? 1 : 0;
}

/* For the shell's completion and for tests. */
static int list_commands(bool described)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf(described ? "%s:%s\n" : "%s\n", commands[i].name, commands[i].summary);
	return 0;
}

/* Prints an error for an unknown command. For a command of perf that prec lacks, names an alternative. */
static int unknown_command(const char *name)
{
	static const struct { const char *name, *instead; } of_perf[] = {
		{ "bench" }, { "buildid-list" }, { "c2c" }, { "data" }, { "evlist" }, { "ftrace" }, { "inject" }, { "kmem" },
		{ "kvm" }, { "kwork" }, { "lock", "; prec record --off-cpu-args has waits with their locks" },
		{ "mem" }, { "probe" }, { "sched", "; prec record --off-cpu has waits, --run-queue the lengths of run queues" },
		{ "stat", "; prec record -n counts" }, { "test" }, { "timechart" }, { "trace" },
	};
	struct names known = {0};
	struct buf meant = {0};

	for (size_t i = 0; i < ARRAY_SIZE(of_perf); i++)
		if (str_eq(of_perf[i].name, name)) {
			error("prec has no '%s'; 'perf %s' reads what prec records%s", name, name,
			      of_perf[i].instead ? of_perf[i].instead : "");
			return OPTIONS_USAGE;
		}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names_add(&known, commands[i].name);
	names_suggest(&meant, name, strlen(name), &known);
	error("unknown command '%s'%s (see 'prec --help')", name, buf_str(&meant));
	names_release(&known);
	buf_release(&meant);
	return OPTIONS_USAGE;
}

static int help_config(void)
{
	struct config config = {0};

	config_read(&config);
	config_print(&config);
	config_release(&config);
	return 0;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct config config = {0};
	int nr, status;
	char **words;

	config_read(&config);
	words = config_words(&config, argc, argv, &nr);
	status = c->run(nr, words);
	if (status == OPTIONS_USAGE && nr > argc)
		info("settings were in force, too: see 'prec help config'");
	free(words);
	config_release(&config);
	return status;
}

static int help(int argc, char **argv)
{
	const struct command *c;
	char dash_h[] = "-h", *words[] = { argv[1], dash_h, argc > 2 ? argv[2] : NULL, NULL };

	if (argc < 2)
		return print_help();
	if (str_eq(argv[1], "config"))
		return help_config();
	c = find_command(argv[1]);
	return c ? c->run(argc > 2 ? 3 : 2, words) : unknown_command(argv[1]);
}

/* Options of perf before the command, for scripts that are written for perf. .why: why it has no effect; NULL: it has one. */
static const struct global_option { const char *name; bool takes_word; const char *why; } global_options[] = {
	{ "--no-pager" },
	{ "--paginate", .why = "what is longer than the screen is paged without it" },
	{ "--buildid-dir", true, "prec keeps no copies; files are looked up where they are, and below ~/.debug" },
	{ "--debug", true, "-v after the command says more" },
	{ "--exec-path", .why = "all commands are in one program" },
	{ "--html-path", .why = "the manual is man pages" },
};

static int list_options(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(global_options); i++)
		printf("%s ", global_options[i].name);
	puts("--help --version --list-cmds --list-opts");
	return 0;
}

/* Handles the options before the command. Returns the number of their words; -1 if the last lacks its argument (printed). */
static int parse_global_options(int argc, char **argv)
{
	int at = 0;

	while (at < argc) {
		size_t n = strcspn(argv[at], "="), i = 0;
		const struct global_option *o = global_options;

		while (i < ARRAY_SIZE(global_options) && (strlen(o[i].name) != n || strncmp(o[i].name, argv[at], n) != 0))
			i++;
		if (i == ARRAY_SIZE(global_options))
			return at;
		if (o[i].why)
			info("option '%s' changes nothing: %s", o[i].name, o[i].why);
		else
			setenv("PREC_PAGER", "cat", true);
		if (o[i].takes_word && !argv[at][n] && ++at == argc)
			return error("option '%s' needs an argument", o[i].name);
		at++;
	}
	return at;
}

static int run(int argc, char **argv)
{
	const struct command *c;
	int taken = parse_global_options(argc, argv);

	if (taken < 0)
		return OPTIONS_USAGE;
	argc -= taken;
	argv += taken;
	if (argc < 1) {
		print_help();
		return OPTIONS_USAGE;
	}
	if (str_eq(argv[0], "--list-opts"))
		return list_options();
	if (str_eq(argv[0], "--version") || str_eq(argv[0], "-v") || str_eq(argv[0], "version")) {
		puts("prec version " PREC_VERSION);
		return 0;
	}
	if (str_eq(argv[0], "--help") || str_eq(argv[0], "-h") || str_eq(argv[0], "help"))
		return help(argc, argv);
	if (str_eq(argv[0], "--list-cmds"))
		return list_commands(false);
	if (str_eq(argv[0], "--list-cmds=described"))
		return list_commands(true);
	c = find_command(argv[0]);
	return c ? run_command(c, argc, argv) : unknown_command(argv[0]);
}

/* A write error may appear only now. If the reader has closed a pipe, this is no error. */
static int close_output(int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fclose(stdout) && errno != EBADF)
		failed = true;
	if (!failed || errno == EPIPE)
		return status;
	error("cannot write 'standard output': %s", errno ? strerror(errno) : "an earlier write failed");
	return status ? status : 1;
}

/* Opens /dev/null for standard files that are closed, so that no file opened later gets their descriptors. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	open_standard_files();
	sigbus_means_file_error();
	return close_output(run(argc - 1, argv + 1));
}
