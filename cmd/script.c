/*
 * prec script: prints samples, and on request other records, as lines of text in order of time. script.c selects the records and
 * writes the lines, and core/show/script/line.c makes the text of each line.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auxtrace/aux.h"
#include "cmd/findings.h"
#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/outfile.h"
#include "core/ui/pager.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/binary/disasm.h"
#include "core/model/machine.h"
#include "core/read/session.h"
#include "core/show/script/branch_counters.h"
#include "core/show/script/dump.h"
#include "core/show/script/line_plan.h"

struct script_opts {
	bool dump, dump_unsorted, quiet, off_cpu, per_event;
	uint64_t show;			/* SHOW_*: records to print in addition to samples */
	struct line_opts line;
	struct terminal_opts screen;
	struct input_opts input;
};

struct script {				/* state of the callbacks */
	const struct script_opts *opts;
	struct input in;
	struct aux_dumper *dumper;	/* for -D */
	struct line_plan *plan;
	struct broken_chains chains;	/* counts of the printed samples' chains */
	uint64_t nr_shown;		/* number of samples that pass the filters */
	bool on_screen;			/* the text is for a terminal */
	const struct event *only;	/* --per-event-dump: print samples of this event; NULL: print the other records */
	bool failed;			/* an error was printed */
};

static int parse_fields(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	if (unset) {
		output_fields_init(field);
		return 0;
	}
	return output_fields_parse(field, arg);
}

#define CALL_FIELDS "-ip,-addr,-event,-period,+callindent"

/* An option such as --insn-trace, which stands for values of --itrace (the data to decode) and -F (the fields of lines). */
struct trace_form { const char *option, *arg, *itrace, *fields; };

static int parse_trace_form(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	static const struct trace_form forms[] = {
		{ "insn-trace", NULL, "i0ns", "+insn,-event,-period" },
		{ "insn-trace", "raw", "i0ns", "+insn,-event,-period" },
		{ "insn-trace", "disasm", "i0ns", "+disasm,-event,-period" },
		{ "call-trace", NULL, "cewp", CALL_FIELDS },
		{ "call-ret-trace", NULL, "crewp", "+flags," CALL_FIELDS },
	};
	struct script_opts *opts = field;
	bool calls = !str_eq(o->name, "insn-trace");

	if (calls && arg)
		info("--%s=%s: there is one form of it, as with perf; '%s' changes nothing", o->name, arg, arg);
	for (size_t i = 0; i < ARRAY_SIZE(forms) && !unset; i++) {
		const struct trace_form *form = &forms[i];

		if (!str_eq(form->option, o->name) || (!calls && (!arg != !form->arg || (arg && !str_eq(arg, form->arg)))))
			continue;
		opts->line.nanoseconds = true;
		return itrace_parse(&opts->input.itrace, form->itrace) || output_fields_parse(&opts->line.fields, form->fields);
	}
	return unset ? 0 : error("--%s: there is no '%s' (known are raw, disasm)", o->name, arg);
}

#define SHOW(name, bit, what) \
	OPT_BITS(0, "show-" name "-events", struct script_opts, show, bit, "print " what)

#define NO_SCRIPTS "prec runs no code of others. prec query answers in SQL, with the questions of perf's own " \
	"scripts among its recipes; script -F prints chosen fields for a program to read; perf script reads files of prec"

static const struct option_desc script_options[] = {
	INPUT_FILES(struct script_opts),
	INPUT_GUESTS(struct script_opts),
	OPT_GROUP("Output"),
	OPT_CALL('F', "fields", struct script_opts, line.fields, "fields", parse_fields,
		 "print these: [hw|sw|trace|raw|break|synth:]name,... or +name,-name"),
	OPT_BOOL('G', "hide-call-graph", struct script_opts, line.hide_chains, "print no call chains"),
	INPUT_CHAINS(struct script_opts),
	OPT_U64(0, "max-stack", struct script_opts, input.max_stack, "n", "print at most <n> frames of a call chain"),
	OPT_U64(0, "max-blocks", struct script_opts, line.max_blocks, "n", "print at most <n> blocks of code of a branch stack"),
	OPT_STRING(0, "stop-bt", struct script_opts, line.stop_at, "symbols", "end call chains at these symbols"),
	OPT_BOOL(0, "inline", struct script_opts, input.inlines, "print inlined functions in call chains (default)"),
	OPT_BOOL(0, "inline-at-return", struct script_opts, line.at_return,
		 "take a caller's inlined functions and line from where the call returns to, as perf"),
	OPT_BOOL(0, "full-source-path", struct script_opts, line.full_source_path, "print whole paths of source files"),
	OPT_BOOL(0, "show-kernel-path", struct script_opts, line.kernel_path, "print the file that the kernel's symbols are from"),
	OPT_BOOL(0, "ns", struct script_opts, line.nanoseconds, "print times with nanoseconds"),
	OPT_BOOL(0, "reltime", struct script_opts, line.reltime, "print times since the first line"),
	OPT_BOOL(0, "deltatime", struct script_opts, line.deltatime, "print times since the line before"),
	INPUT_HEADER(struct script_opts),
	OPT_BOOL('D', "dump-raw-trace", struct script_opts, dump, "print all records, with their bytes"),
	OPT_BOOL(0, "dump-unsorted-raw-trace", struct script_opts, dump_unsorted, "the same, as they stand in the file"),
	OPT_BOOL(0, "per-event-dump", struct script_opts, per_event, "write each event's lines to a file: FILE.EVENT.dump"),
	OPT_GROUP("Other records"),
	SHOW("mmap", SHOW_MMAP, "maps of files"),
	SHOW("task", SHOW_TASK, "forks, names and exits"),
	SHOW("lost", SHOW_LOST, "what was lost"),
	SHOW("switch", SHOW_SWITCH, "context switches"),
	SHOW("namespace", SHOW_NAMESPACES, "namespaces"),
	SHOW("cgroup", SHOW_CGROUP, "cgroups"),
	SHOW("bpf", SHOW_BPF, "BPF programs and kernel symbols that come and go"),
	SHOW("round", SHOW_ROUND, "the ends of the recorder's rounds"),
	SHOW("text-poke", SHOW_TEXT_POKE, "changes of the kernel's code"),
	OPT_BOOL(0, "off-cpu", struct script_opts, off_cpu,
		 "print waits instead of the events that tell of them (record --off-cpu)"),
	OPT_GROUP("Hardware traces"),
	OPT_CALL_FLAGS(0, "itrace", struct script_opts, input.itrace, "what", input_parse_itrace, OPTION_OPTIONAL,
		       "make these samples of a hardware trace (cewp), as i1000i for each 1000th instruction, b for branches"),
	{ OPTION_CALL, 0, "insn-trace", "raw|disasm", "print each instruction of a hardware trace", OPTION_OPTIONAL, 0, SIZE_MAX,
	  parse_trace_form },
	{ OPTION_CALL, 0, "call-trace", "form", "print the calls of a hardware trace", OPTION_OPTIONAL, 0, SIZE_MAX,
	  parse_trace_form },
	{ OPTION_CALL, 0, "call-ret-trace", "form", "print its calls and returns", OPTION_OPTIONAL, 0, SIZE_MAX, parse_trace_form },
	OPT_STRING(0, "graph-function", struct script_opts, line.graph_function, "functions",
		   "with those two: only calls of these functions, and what they call"),
	INPUT_FILTERS(struct script_opts, 0),
	OPT_U64(0, "addr-range", struct script_opts, input.filter.addr_range, "bytes",
		"each address in -S stands for so many bytes from there on"),
	INPUT_PROGRAM(struct script_opts),
	INPUT_PAGER(struct script_opts),
	OPT_BOOL('q', "quiet", struct script_opts, quiet, "print no warnings"),
	OPT_NO_EFFECT('a', "all-cpus", NULL, "what a recording has is shown; -C chooses CPUs"),
	OPT_ABSENT('s', "script", NO_SCRIPTS),
	OPT_ABSENT('g', "gen-script", NO_SCRIPTS),
	OPT_ABSENT('l', "list", NO_SCRIPTS),
	OPT_ABSENT(0, "dlfilter", NO_SCRIPTS),
	OPT_ABSENT(0, "dlarg", NO_SCRIPTS),
	OPT_ABSENT(0, "list-dlfilters", NO_SCRIPTS),
	OPT_ABSENT('L', "Latency", "what tracepoints say of interrupts and preemption is among their fields: -F trace"),
	OPT_NO_EFFECT('d', "debug-mode", NULL, "what was lost or out of order is always printed, at the end"),
	OPT_ABSENT(0, "xed", "--insn-trace=disasm prints instructions, without another program"),
	OPT_ALWAYS(0, "merge-callchains"),
	INPUT_NO_PROGRAMS,
	OPT_END
};

static const char usage[] = "prec script [<options>] [<file>]";

static bool wants_lines(void *ctx, const struct record_header *header)
{
	const struct script *s = ctx;

	return record_type_of(header->type)->show & (s->opts->show | SHOW_ALWAYS);
}

static void init_line(void *worker, void *ctx)
{
	const struct script *s = ctx;

	line_init(worker, s->plan);
}

static void release_line(void *worker, void *ctx)
{
	struct script *s = ctx;
	const struct line *line = worker;

	broken_chains_merge(&s->chains, &line->chains);
	s->nr_shown += line->nr_shown;
	line_release(worker);
}

static void forget_line(void *worker, void *ctx)
{
	line_forget(worker);
}

static void expect_lines(void *worker, void *ctx, const struct item *const *items, unsigned nr)
{
	line_expect(worker, items, nr);
}

static void print_line(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct script *s = ctx;

	if (item->sample && s->opts->off_cpu && item->event->hidden_source)
		return;
	if (s->opts->per_event && (item->sample ? item->event != s->only : !!s->only))
		return;
	if (item->sample)
		line_print_sample(worker, item, &out->buf);
	else if (item->record->header.type == RECORD_AUXTRACE_ERROR)
		record_print_words(item->record, &out->buf);
	else if (wants_lines(ctx, &item->record->header))
		line_print_record(worker, item, &out->buf);
}

static void dump_and_print(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct script *s = ctx;

	if (item->bytes)
		dump_record(s->in.session, item, &out->buf);
	/* As in perf, the packets of a record follow the dump of the record; those in a sample follow the sample's line. */
	if (item->sample)
		print_line(worker, ctx, item, out);
	aux_dump(s->dumper, item, out);
	if (!item->sample)
		print_line(worker, ctx, item, out);
}

/* On a terminal, escapes control characters in names from the file. */
static void show_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct script *s = ctx;
	size_t from = out->buf.len;

	if (s->opts->dump || s->opts->dump_unsorted)
		dump_and_print(worker, ctx, item, out);
	else
		print_line(worker, ctx, item, out);
	if (s->on_screen)
		buf_escape_from(&out->buf, MIN(from, out->buf.len), "\n\t");
}

/* As show_item(), but faster: no option requests more than one line for each sample. */
static void show_plain_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	if (item->sample)
		line_print_sample(worker, item, &out->buf);
	else
		print_line(worker, ctx, item, out);
}

static bool is_plain(const struct script *s)
{
	const struct script_opts *o = s->opts;

	return !o->dump && !o->dump_unsorted && !o->off_cpu && !o->per_event && !s->on_screen;
}

static int print_head(const struct script *s)
{
	const struct script_opts *o = s->opts;
	const struct session *session = s->in.session;
	struct buf out = {0};
	int err;

	if (o->input.header || o->input.header_only)
		data_file_print_header(session_file(session), session_events(session), session_features(session),
				       o->input.full_info, &out);
	if (s->on_screen)
		buf_escape_from(&out, 0, "\n\t");
	if (s->plan && !s->dumper && output_fields_has(&o->line.fields, FIELD_BIT(BRCNTR)))
		branch_counters_put_legend(session_events(session), &out);
	err = write_buf(STDOUT_FILENO, &out);
	buf_release(&out);
	return err;
}

static int print_to(struct script *s, int fd)
{
	const struct script_opts *o = s->opts;
	bool dump = o->dump || o->dump_unsorted;
	struct ordered_pass pass = {
		.worker_size = sizeof(struct line), .init = init_line, .release = release_line,
		.wants = dump ? NULL : wants_lines, .item = is_plain(s) ? show_plain_item : show_item,
		.expect = expect_lines, .forget = forget_line,
		.file_order = o->dump_unsorted, .one_worker = line_plan_needs_order(s->plan),
		.unwind = !dump && line_plan_shows_chains(s->plan) ? o->line.max_stack : 0,
	};

	return session_ordered(s->in.session, &pass, s, fd);
}

/* Returns the name of an event's output file, "perf.data.cycles.dump", in which slashes of the event's name are replaced. Owned. */
static char *dump_path(const struct script *s, const struct event *ev)
{
	const char *recording = session_file(s->in.session)->path;
	struct buf name = {0};

	buf_printf(&name, "%s.", str_eq(recording, "-") ? "perf.data" : recording);
	for (const char *at = ev->name; *at; at++)
		buf_putc(&name, *at == '/' ? '_' : *at);
	buf_puts(&name, ".dump");
	buf_str(&name);
	return name.data;
}

static bool dump_event(struct script *s, const struct event *ev)
{
	char *path = dump_path(s, ev);
	uint64_t before = s->nr_shown;
	struct stat st = {0};
	struct new_file f;
	int err;

	s->only = ev;
	if (new_file_open(&f, path, 0666)) {
		free(path);
		return false;
	}
	err = print_to(s, f.fd);
	if (!err && fstat(f.fd, &st))
		err = -errno;
	if (!err)
		err = new_file_place(&f);
	new_file_release(&f);
	if (err)
		error("cannot write '%s': %s", path, strerror(-err));
	else
		info("wrote %.3f MB of '%s' to '%s' (%" PRIu64 " samples)", (double)st.st_size / 1e6, ev->name, path,
		     s->nr_shown - before);
	free(path);
	return !err;
}

/* Records without an event go to standard output. Returns 0 or -errno of writing there. */
static int print_by_event(struct script *s)
{
	vec_for(ev, &session_events(s->in.session)->events)
		if (!dump_event(s, *ev)) {
			s->failed = true;
			return 0;
		}
	s->only = NULL;
	return s->opts->show ? print_to(s, STDOUT_FILENO) : 0;
}

static int print_all(struct script *s)
{
	const struct script_opts *o = s->opts;
	struct findings found = {0};
	int err = print_head(s);

	if (!err && !o->input.header_only)
		err = s->opts->per_event ? print_by_event(s) : print_to(s, STDOUT_FILENO);
	if (err == -EPIPE)
		return 0;
	if (check_output(err) || s->failed)
		return 1;
	if (!o->input.header_only && !s->nr_shown && !filter_is_open(s->in.filter) &&
	    session_counts(s->in.session)->by_type[PERF_RECORD_SAMPLE])
		print_empty_result(s->in.session, s->in.filter, NULL);
	session_findings(s->in.session, &found);
	broken_chains_findings(&s->chains, &found);
	broken_chains_release(&s->chains);
	return findings_end(&found, &o->input.strict, 0);
}

/* Prints the output in a pager, except for live output, which appears as it arrives. */
static int print_paged(struct script *s)
{
	const struct terminal_opts *screen = &s->opts->screen;
	struct pager *pager = NULL;
	struct terminal t;
	int status;

	terminal_detect(&t, STDOUT_FILENO, screen);
	s->on_screen = t.is_terminal;
	if (!screen->no_pager && !session_is_live(s->in.session))
		pager = pager_start(&t, true);
	status = print_all(s);
	pager_end(pager);
	return status;
}

/* Makes the filter, and attaches the decoder of hardware trace. The fields of the lines determine the data to decode. */
static int attach_trace(struct script *s)
{
	struct itrace_opts itrace = s->opts->input.itrace;
	const struct output_fields *chosen = &s->opts->line.fields;

	/* A dump shows the recorded data only. */
	itrace.none |= (s->opts->dump || s->opts->dump_unsorted) && !itrace.given;
	itrace.depth = output_fields_has(chosen, FIELD_BIT(CALLINDENT));
	itrace.flags = output_fields_has(chosen, FIELD_BIT(FLAGS));
	itrace.targets = chosen->chosen[KIND_HARDWARE] & FIELD_BIT(ADDR);
	itrace.ipc = output_fields_has(chosen, FIELD_BIT(IPC));
	return input_decode(&s->in, &s->opts->input, &itrace, true);
}

static void warn_without_disasm(const struct script *s)
{
	struct disasm *d;

	if (!output_fields_has(&s->opts->line.fields, FIELD_BIT(DISASM)))
		return;
	d = disasm_new(machine_arch(session_machine(s->in.session)), false);
	if (disasm_missing(d))
		warning("no disassembly: cannot load '%s'", disasm_missing(d));
	disasm_free(d);
}

static int run(struct script *s)
{
	const struct script_opts *o = s->opts;

	if (o->input.header_only)
		return print_paged(s);
	if (attach_trace(s) || (o->off_cpu && input_add_waits(s->in.session, &o->input, true)))
		return 1;
	if (o->dump || o->dump_unsorted)
		s->dumper = aux_dumper_new(s->in.session);
	if (line_plan_new(&s->plan, s->in.session, &o->line, filter_is_open(s->in.filter) ? NULL : s->in.filter))
		return 1;
	warn_without_disasm(s);
	return print_paged(s);
}

/* False if an option needs data that are known only after the last record was read from the pipe. */
static bool can_show_live(const struct script_opts *o)
{
	const struct input_opts *in = &o->input;

	return !o->dump && !o->off_cpu && !o->per_event && !o->dump_unsorted && !in->stitch && !in->header && !in->header_only &&
	       !in->filter.switches.on && !in->filter.switches.off && !(in->filter.time && strpbrk(in->filter.time, "%+")) &&
	       !output_fields_has(&o->line.fields, FIELD_BIT(RUNQLEN));
}

static void ignore_once(int sig)
{
}

/* ^C also ends the recorder that writes to the pipe. This process goes on to show its last output; a second ^C ends it, too. */
static void outlive_recorder(void)
{
	const struct sigaction once = { .sa_handler = ignore_once, .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };

	sigaction(SIGINT, &once, NULL);
}

static int open_and_run(const struct script_opts *o)
{
	struct script s = { .opts = o };
	int status;

	if (input_open(&s.in, &o->input))
		return 1;
	if (session_is_live(s.in.session))
		outlive_recorder();
	status = run(&s);
	line_plan_free(s.plan);
	aux_dumper_free(s.dumper);
	input_close(&s.in);
	return status;
}

static int check(struct script_opts *o)
{
	if (input_check(&o->input))
		return -1;
	if (o->line.reltime && o->line.deltatime)
		return error("--reltime and --deltatime exclude each other");
	if (o->per_event && (o->dump || o->dump_unsorted))
		return error("--per-event-dump writes lines, and -D dumps records: leave out one of the two");
	o->line.max_stack = (unsigned)MIN(o->input.max_stack, UINT_MAX);
	o->line.no_inline = !o->input.inlines;
	o->input.live = can_show_live(o);
	log_set_level(o->quiet ? -1 : o->input.verbose);
	return 0;
}

/* Returns the depth up to which the kernel of this machine records call chains. */
static uint64_t default_max_stack(void)
{
	long long n;

	return read_int_of("/proc/sys/kernel/perf_event_max_stack", &n) || n < 1 ? 127 : (uint64_t)n;
}

int cmd_script(int argc, char **argv)
{
	struct script_opts o = { .input.inlines = true, .input.filter.addresses = true, .input.demangle = true,
				 .input.max_stack = default_max_stack() };
	int first, nr_words = 0;

	output_fields_init(&o.line.fields);
	first = options_parse(script_options, &o, usage, false, argc, argv, &nr_words);
	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	if (input_parse_only_word(&o.input, argv[0], argv + first, nr_words) || check(&o))
		return OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return open_and_run(&o);
}
