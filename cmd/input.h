/*
 * Defines the options that prec report, script, export and others share, such as the recording to read and the filters of samples.
 * Opens the recording (core/read/session.h) and applies the options to it.
 */
#ifndef CMD_INPUT_H
#define CMD_INPUT_H

#include "auxtrace/aux.h"
#include "cmd/findings.h"
#include "core/ui/options.h"
#include "core/ui/terminal.h"
#include "core/model/machine.h"
#include "core/read/filter.h"
#include "core/read/native_frames.h"

struct event;
struct names;
struct session;

/* A recording that a command reads: input_open(), input_attach(), and in any case input_close(). */
struct input {			/* = {0} */
	struct session *session;
	struct filter *filter;
	bool traced;		/* samples are decoded from a hardware trace */
};

/* A command's options struct has a member "input" of this type, and its option table includes rows such as INPUT_FILES. */
struct input_opts {
	bool wall;			/* --wall: the time of threads on and off the CPU, input_add_wall() */
	char *const *pieces;		/* set by callers, not by an option: the files of one recorder, instead of .path */
	size_t nr_pieces;
	bool grows, check_index;	/* set by callers: see struct session_opts */
	const char *path;		/* -i; NULL: not given */
	const char *vmlinux, *kallsyms, *symfs;
	struct guest_opts guest;
	uint64_t jobs;
	bool debuginfod, demangle, header, header_only, full_info;
	bool demangle_kernel;
	bool live;			/* set by callers: read a stream from a pipe as it arrives, see struct session_opts */
	int verbose;
	const char *event;		/* -e; NULL: not given */
	uint64_t max_stack;
	bool inlines, stitch;
	enum native_frames native;
	struct filter_opts filter;
	struct itrace_opts itrace;
	struct strict strict;
};

#define INPUT_FILES(s)												\
	OPT_GROUP("Input"),											\
	OPT_STRING('i', "input", s, input.path, "file", "read <file>, - for standard input (perf.data)"),	\
	INPUT_BINARIES(s)

#define INPUT_BINARIES(s)											\
	OPT_STRING('k', "vmlinux", s, input.vmlinux, "file", "take the kernel's symbols from <file>"),		\
	OPT_STRING(0, "kallsyms", s, input.kallsyms, "file", "take the kernel's symbols from a copy of kallsyms"), \
	OPT_STRING(0, "symfs", s, input.symfs, "dir", "look binaries up below <dir>"),				\
	OPT_CALL_FLAGS(0, "debuginfod", s, input.debuginfod, "urls", input_parse_debuginfod, OPTION_OPTIONAL,	\
		       "ask these servers, or those of DEBUGINFOD_URLS, for files that are not here"),		\
	OPT_BOOL(0, "demangle", s, input.demangle, "show C++, Rust, D names as they are written (default)"),	\
	OPT_BOOL(0, "demangle-kernel", s, input.demangle_kernel, "those of the kernel, too")

#define INPUT_GUESTS(s)												\
	OPT_GROUP("Virtual machines"),										\
	OPT_STRING(0, "guestkallsyms", s, input.guest.kallsyms, "file",						\
		   "take the symbols of a guest's kernel from a copy of its kallsyms"),				\
	OPT_STRING(0, "guestmodules", s, input.guest.modules, "file", "and its modules from a copy of its /proc/modules"), \
	OPT_STRING(0, "guestvmlinux", s, input.guest.vmlinux, "file", "or its symbols from its vmlinux"),		\
	OPT_STRING(0, "guestmount", s, input.guest.mount, "dir",						\
		   "find the files of each guest in <dir>/PID, where PID is its hypervisor"),			\
	OPT_BOOL(0, "guest-code", s, input.guest.code, "guests run code of their hypervisor, as a test program does")

/* Options of perf that have no effect, because prec runs no other programs to find source lines and call chains. */
#define INPUT_NO_PROGRAM "lines and call chains are found without other programs"
#define INPUT_NO_PROGRAMS						\
	OPT_NO_EFFECT(0, "addr2line", "path", INPUT_NO_PROGRAM),	\
	OPT_NO_EFFECT(0, "addr2line-style", "style", INPUT_NO_PROGRAM),	\
	OPT_NO_EFFECT(0, "unwind-style", "style", INPUT_NO_PROGRAM),	\
	OPT_NO_EFFECT(0, "ignore-vmlinux", NULL, "a vmlinux that is not the recording's is never used")

#define INPUT_HEADER(s)												\
	OPT_BOOL(0, "header", s, input.header, "print the recording's header first"),				\
	OPT_BOOL(0, "header-only", s, input.header_only, "print only the header"),				\
	OPT_BOOL('I', "show-info", s, input.full_info, "print all of the header")

/* @dsos_letter: the short form of --dsos, which differs between commands; 0: none. */
#define INPUT_FILTERS(s, dsos_letter)										\
	OPT_GROUP("Filters"),											\
	OPT_STRING('c', "comms", s, input.filter.comms, "comms", "only threads of these names"),		\
	OPT_STRING(dsos_letter, "dsos", s, input.filter.dsos, "dsos", "only samples in these files"),		\
	OPT_STRING('S', "symbols", s, input.filter.symbols, "symbols", "only samples in these functions"),	\
	OPT_STRING('C', "cpu", s, input.filter.cpus, "cpus", "only samples of these CPUs"),			\
	OPT_STRING(0, "pid", s, input.filter.pids, "pids", "only these processes"),				\
	OPT_STRING(0, "tid", s, input.filter.tids, "tids", "only these threads"),				\
	OPT_STRING(0, "time", s, input.filter.time, "spans",							\
		   "only these times: +2,+3 (s from the first sample), start,stop, 10%/2, 10%-20%"),		\
	OPT_STRING(0, "switch-on", s, input.filter.switches.on, "event", "only what follows this event"),	\
	OPT_STRING(0, "switch-off", s, input.filter.switches.off, "event", "nothing after this event (until --switch-on's)"), \
	OPT_BOOL(0, "show-on-off-events", s, input.filter.switches.show, "show those two themselves")

#define INPUT_MAX_STACK 127	/* frames of a chain, as the kernel's own default (kernel.perf_event_max_stack) */

#define INPUT_CHAINS(s)												\
	OPT_BOOL(0, "stitch-lbr", s, input.stitch, "make chains by --call-graph lbr longer, by those before them"), \
	OPT_CALL(0, "native", s, input.native, "what", input_parse_native,					\
		 "C functions of Python programs: merged (default), all (the interpreter's loop, too) or none")
/* For report, export, summary and diff. */
#define INPUT_STACKS(s)												\
	OPT_U64(0, "max-stack", s, input.max_stack, "n", "look at the <n> innermost frames of a chain (127)"),	\
	OPT_BOOL(0, "inline", s, input.inlines, "show inlined functions in call chains (default)"),		\
	INPUT_CHAINS(s),											\
	OPT_CALL_FLAGS(0, "itrace", s, input.itrace, "what", input_parse_itrace, OPTION_OPTIONAL,		\
		       "make these samples of a hardware trace, as i1000i for each 1000th instruction, b for branches")
#define INPUT_EVENT(s)												\
	OPT_STRING('e', "event", s, input.event, "name", "only this event")

#define INPUT_PROGRAM(s)											\
	OPT_GROUP("Program"),											\
	OPT_U64('j', "jobs", s, input.jobs, "n", "use <n> threads (one a CPU)"),				\
	OPT_STRICT(s, input.strict),										\
	OPT_BOOL(0, "findings", s, input.strict.all, "print all findings, however small"),			\
	OPT_COUNT('v', "verbose", s, input.verbose, "say more of what is done"),				\
	OPT_ALWAYS('f', "force")

/* For commands whose options struct has a member "screen", a struct terminal_opts. */
#define INPUT_PAGER(s)												\
	OPT_BOOL(0, "no-pager", s, screen.no_pager, "do not page what is longer than the screen")
#define INPUT_COLOR(s)												\
	OPT_CALL(0, "color", s, screen.color, "when", input_parse_color,					\
		 "colours: auto (on a terminal), always or never")

/* For option tables. @field is an enum color_when, a double that a '%' may follow, or what the rows above say. */
int input_parse_color(const struct option_desc *o, void *field, const char *arg, bool unset);
int input_parse_percent(const struct option_desc *o, void *field, const char *arg, bool unset);
int input_parse_debuginfod(const struct option_desc *o, void *field, const char *arg, bool unset);
int input_parse_native(const struct option_desc *o, void *field, const char *arg, bool unset);
int input_parse_itrace(const struct option_desc *o, void *field, const char *arg, bool unset);

/* Without -i, takes words[0] if it begins like a recording, or is missing and named like one. Returns 1 if it was taken, else 0. */
int input_parse_word(struct input_opts *o, char *const *words, int nr);
/* Takes the recording of a command that takes no other word. Returns 0 or -1 (printed). */
int input_parse_only_word(struct input_opts *o, const char *command, char *const *words, int nr);
/* Takes a recording and another word, in either order. *other is NULL without another. Returns a word too many, or NULL. */
const char *input_parse_words(struct input_opts *o, char *const *words, int nr, const char **other);

/* Asks a trace for calls and returns if --itrace has c or r, else for all branches. Returns true for all branches. */
bool input_ask_for_calls(struct itrace_opts *o);

/* Checks the options. Prints errors; 0 or -1. */
int input_check(const struct input_opts *o);

/* The path to read: @given (-i). If that is NULL: "-" if standard input is a pipe, else NULL, which means perf.data. */
const char *input_path(const char *given);
/* Append the filters that were given, as words of a command line: " --tid 7 --time +2,+3". */
void input_put_filters(const struct input_opts *o, struct buf *out);

/* Opens the recording at input_path(). Returns 0, or -1 (printed). @o is borrowed until input_close(). */
int input_open(struct input *out, const struct input_opts *o);
void input_close(struct input *in);

/* Adds waits as samples if they were recorded, or -e or @forced asks for them. Returns 0 or -1 (printed). */
int input_add_waits(struct session *s, const struct input_opts *o, bool forced);
/* Makes the filter, and attaches the decoder of a trace, if there is one: aux_attach(). Returns 0 or -1 (printed). */
int input_decode(struct input *in, const struct input_opts *o, const struct itrace_opts *itrace, bool calls_only);
/* The same for --itrace; then adds waits. After this, all events are known. Returns 0 or -1 (printed). */
int input_attach(struct input *in, const struct input_opts *o);
/* The same for the event that -e or --wall asks for (*event; NULL: neither), with waits cut to the filter's times. */
int input_attach_event(struct input *in, const struct event **event, const struct input_opts *o);

/* Finds the event that -e names, also without modifiers. Returns 0 and *out (NULL: no -e), or -1 after printing those there are. */
int input_find_event(const struct event **out, const struct session *s, const struct input_opts *o);

/* Prints the names in @f that the recording lacks, with similar ones. @symbols: all, sorted; NULL: those of loaded files. */
void print_empty_result(const struct session *s, const struct filter *f, const struct names *symbols);

/* Adds the event of wall time (core/sched/wall.h) to @s, as *out. Call it after input_attach(). Prints errors; 0 or -1. */
int input_add_wall(const struct event **out, struct session *s, const struct input_opts *o);

#endif
