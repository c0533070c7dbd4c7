/*
 * prec archive: copies a recording so that it can be read without the recorded binaries (archiving.c). With --unpack, it unpacks
 * a tar archive that `perf archive` has written into perf's cache ~/.debug (unpacking.c).
 */
#include "cmd/cmd.h"

#include <signal.h>

#include "cmd/archiving.h"
#include "core/base/log.h"

static const char archive_usage[] = "prec archive [<options>] [<file>]";

struct archive_opts {
	struct archiving how;
	const char *unpack;
};

#define OPTS struct archive_opts

static int parse_redact(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct archiving *how = field;

	if (arg && !str_eq(arg, "names"))
		return error("--redact takes names or nothing, not '%s'", arg);
	how->redact = !unset;
	how->redact_names = !unset && arg;
	return 0;
}

static const struct option_desc archive_options[] = {
	OPT_GROUP("Input"),
	OPT_STRING('i', "input", OPTS, how.input.path, "file", "read <file>, - for standard input (perf.data)"),
	OPT_STRING('k', "vmlinux", OPTS, how.input.vmlinux, "file", "take the kernel's symbols from <file>"),
	OPT_STRING(0, "kallsyms", OPTS, how.input.kallsyms, "file", "take the kernel's symbols from a copy of kallsyms"),
	OPT_STRING(0, "symfs", OPTS, how.input.symfs, "dir", "look binaries up below <dir>"),
	OPT_CALL_FLAGS(0, "debuginfod", OPTS, how.input.debuginfod, "urls", input_parse_debuginfod, OPTION_OPTIONAL,
		       "ask these servers, or those of DEBUGINFOD_URLS, for files that are not here"),
	OPT_GROUP("Archive"),
	OPT_STRING('o', "output", OPTS, how.output, "file", "write <file> (the recording's name with .archive)"),
	OPT_BOOL(0, "code", OPTS, how.code, "keep the code of functions with samples, for annotate"),
	OPT_BOOL(0, "unwind", OPTS, how.unwind, "keep the unwind tables of recorded stacks (default)"),
	OPT_CALL_FLAGS(0, "redact", OPTS, how, "names", parse_redact, OPTION_OPTIONAL,
		       "leave out paths, command lines, host, user and raw data; with names: hashes for names"),
	OPT_STRING(0, "unpack", OPTS, unpack, "tar", "add the binaries of what perf archive packed to ~/.debug"),
	OPT_GROUP("Program"),
	OPT_U64('j', "jobs", OPTS, how.input.jobs, "n", "use <n> threads (one a CPU)"),
	OPT_COUNT('v', "verbose", OPTS, how.input.verbose, "say more of what is done"),
	OPT_ALWAYS('f', "force"),
	OPT_END
};

static int parse(struct archive_opts *o, int argc, char **argv)
{
	int nr_words, taken, first = options_parse(archive_options, o, archive_usage, true, argc, argv, &nr_words);

	if (first < 0)
		return first;
	taken = !o->how.input.path && nr_words;
	if (taken)
		o->how.input.path = argv[first];
	if (nr_words > taken)
		return error("archive takes one recording, not '%s' too (see prec archive -h)", argv[first + taken]);
	log_set_level(o->how.input.verbose);
	return input_check(&o->how.input);
}

int cmd_archive(int argc, char **argv)
{
	/* Names are kept as they are in the files; the reader chooses whether to demangle them. */
	struct archive_opts o = { .how = { .unwind = true, .input.demangle = false } };
	int err = parse(&o, argc, argv);

	if (err)
		return err == -2 ? 0 : OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	if (o.unpack)
		return unpack_archive(o.unpack) ? 1 : 0;
	return archive_recording(&o.how) ? 1 : 0;
}
