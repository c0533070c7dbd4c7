/*
 * Defines a profile: the contents of a recording as tables, whose rows refer to each other by number. builder.h builds a
 * profile, for example from a recording (session_profile.h). writer.h exports it.
 *
 * A weight is a sum of equal samples. "weight --stack--> node": the member .stack of a weight is the number of a node.
 *
 *	weight --event, thread, comm, cpu--> rows of these tables
 *	weight --stack--> node --frame--> frame --function, dso--> their names
 *	                  node --parent--> its caller ... up to node 0
 *	weight --address--> the sampled address
 *	sample --weight--> a weight; a sample also has a time
 *
 */
#ifndef CORE_PROFILE_PROFILE_H
#define CORE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/util.h"
#include "core/binary/build_id.h"

struct findings;
struct profile;

#define PROFILE_NONE	UINT32_MAX	/* means none: no dso, no CPU, ... */
#define PROFILE_ROOT	0u		/* the root of stacks, above all outermost frames; it has no frame */

/* The unit of an event's periods, or of a column's values. */
enum profile_unit { PROFILE_COUNT, PROFILE_NS, PROFILE_BYTES };

/* "count", "ns", "bytes" */
const char *profile_unit_name(enum profile_unit unit);

/* The recording's machine. Numbers of strings; 0: unknown. */
struct profile_info {
	uint32_t hostname, os_release, boot_id, arch, cpu, command;
	uint64_t first_time, last_time;	/* of samples; first > last: none has a time */
	int64_t recorded;		/* time of recording, seconds since 1970; 0: unknown */
};

struct profile_event {
	uint32_t name;
	enum profile_unit unit;		/* of .period: ns for a clock, else a count */
	bool source;			/* other events are made from its samples, and reports do not show it */
	bool calls;			/* a sample is a self time in one of profile_data.calls; its time is the end of that */
	bool lasts;			/* each sample begins at its time and lasts for its period, as waits do */
	bool by_frequency;		/* .rate is the requested number of samples per second; else the period */
	uint64_t rate;			/* 0: not known */
	uint64_t nr, period;		/* sums of all its weights */
	uint64_t nr_filtered, period_filtered;	/* the samples that filters by name and thread left out; not part of .nr, .period */
	uint32_t leader;		/* number of the leader of its group; its own number if it leads or is in no group */
	uint32_t nr_members;		/* number of events in the group that it leads, itself included; 0: it does not lead */
};

struct profile_process { uint32_t pid, name; };

struct profile_thread {
	uint32_t process, tid;
	uint64_t from, to;		/* from its start to its end; .to UINT64_MAX: it runs to the end of the recording */
	uint32_t first_name, nr_names;	/* its rows of .names, at least one, in order of time */
};

struct profile_name { uint64_t from; uint32_t name; };	/* a thread's name, from time .from on */

enum profile_dso_kind {
	PROFILE_DSO_USER, PROFILE_DSO_KERNEL, PROFILE_DSO_MODULE, PROFILE_DSO_VDSO, PROFILE_DSO_BPF, PROFILE_DSO_ANON,
	PROFILE_DSO_UNKNOWN,
};

/* "user", "kernel", ... */
const char *profile_dso_kind_name(enum profile_dso_kind kind);

struct profile_dso {
	uint32_t path, name;		/* "/usr/bin/ls", "ls" */
	struct build_id build_id;	/* size 0: not known */
	enum profile_dso_kind kind;
};

/* A function (inlined ones are functions without an address), or with .name 0 an address without a symbol. */
struct profile_function {
	uint32_t name;			/* demangled; 0: no symbol covers the address */
	uint32_t dso;			/* PROFILE_NONE: nothing is mapped there */
	uint64_t address, size;		/* ELF virtual address; for the kernel as recorded. Size 0: not known */
	char level;			/* k kernel, . user, g guest kernel, u guest user, H hypervisor */
	bool inlined;			/* this is an inlined copy of the function */
	bool made;			/* the file has no symbol for it, so .name is made from its address: "prog@0x2eb0" */
};

/* A frame: a function, a line of it, or an address of it, as query.frames says. */
struct profile_frame {
	uint32_t function;
	uint32_t file, line;		/* of the source, with its directory; 0: unknown, or lines are not distinguished */
	/*
	 * With PROFILE_BY_ADDRESS, the recorded address, in the dso's terms: a caller has its return address. An inlined frame
	 * has 0, because it is at the address of the nearest caller that is not inlined. Otherwise, the function's address.
	 */
	uint64_t address;
};

/* A node of the calling-context tree. A parent has a lower number than its children; these have consecutive numbers. */
struct profile_stack {
	uint32_t frame;			/* PROFILE_NONE for the root */
	uint32_t parent;		/* the caller; the root for the root */
	uint32_t depth;			/* frames from the outermost to this one */
	uint32_t first_child, nr_children;	/* nodes */
};

struct profile_address {		/* an instruction with samples */
	uint32_t function;		/* the function that has the instruction */
	uint32_t own;			/* the function that gets the self time: one inlined at the address, or .function */
	uint32_t dso;			/* PROFILE_NONE: nothing is mapped there */
	uint64_t address;		/* in the dso's terms */
};

/* An instruction. Functions with known code (profile_query.nr_code) have all of them, others only the sampled addresses. */
struct profile_insn {
	uint32_t function;
	uint32_t text;			/* a string: as assemblers write it; 0: no code is known there */
	uint64_t address;		/* in the dso's terms, as struct profile_function's */
	uint64_t target;		/* target of a jump within the function; 0: this is no such jump */
	uint32_t size;			/* bytes; 0: no code is known there */
	uint32_t file, line;		/* of the source, with its directory; 0: not known */
	uint32_t inlined;		/* a string: the name of the inlined function that the line is in; 0: none */
};

/* A line of source with an instruction in .insns, or between two such lines. */
struct profile_source { uint32_t file, line, text; };

/* The number of all samples that have all of this in common, and the sum of their periods. It is not PERF_SAMPLE_WEIGHT. */
struct profile_weight {
	uint32_t event;
	uint32_t thread;		/* PROFILE_NONE: not known */
	uint32_t comm;			/* a string: the thread's name at the time */
	uint32_t cpu;			/* PROFILE_NONE: not distinguished, or not recorded */
	/* The call chain's innermost frame; without a chain, the frame of the sampled address; if neither is known, the root. */
	uint32_t stack;
	uint32_t address;		/* PROFILE_NONE: not known */
	uint64_t nr, period;
};

struct profile_column {			/* additional data of samples */
	uint32_t name;
	enum profile_unit unit;
	bool text;			/* values are strings */
	bool is_signed;			/* values are numbers, in two's complement */
};

#define PROFILE_NO_VALUE	UINT64_C(0x8000000000000001)	/* the sample has no value in a column */

/* Kinds of intervals and instants of a recording; other sources may have others. */
#define PROFILE_ON_CPU		"on CPU"	/* interval: the thread ran */
#define PROFILE_LOST		"lost"		/* instant; value: number of lost records, from LOST */
#define PROFILE_LOST_SAMPLES	"lost samples"	/* instant; value: number of lost samples, from LOST_SAMPLES */
#define PROFILE_THROTTLED	"throttled"	/* instant: the kernel stopped sampling; value 1 */
#define PROFILE_UNTHROTTLED	"unthrottled"	/* instant: sampling goes on; value 1 */
#define PROFILE_OFF_CPU		"off CPU"		/* interval: a wait until it ended, "off CPU: futex" */
#define PROFILE_RUNNABLE	"runnable"		/* interval: the rest of a wait, ready but without a CPU */
#define PROFILE_WAKEUP		"wakeup"		/* link: from the waker to the thread that it wakes */
#define PROFILE_TRUNCATED	"trace truncated"	/* instant: the area was full; value: bytes of trace before that */

/* A time with begin and end: a thread's wait, or time on a CPU. */
struct profile_interval {
	uint64_t begin, end;
	uint32_t thread, cpu, stack;	/* PROFILE_NONE, PROFILE_ROOT: none */
	uint32_t kind;			/* a string, such as "wait" */
};

/* An event at one time: a loss, throttling, a marker. */
struct profile_instant {
	uint64_t time, value;		/* value: a count, as the kind defines it */
	uint32_t thread, cpu;		/* PROFILE_NONE: of none */
	uint32_t kind;			/* a string, such as "lost" */
};

/* A cause and its effect: a thread wakes another. */
struct profile_link {
	uint64_t from_time, to_time;
	uint32_t from_thread, to_thread;
	uint32_t kind;			/* a string, such as "wakeup" */
};

enum call_flag {
	CALL_BEGIN_INFERRED	= 1,	/* the function was already running when tracing began */
	CALL_END_INFERRED	= 2,	/* the function was still running when tracing ended */
	CALL_OUTERMOST		= 4,	/* no outer call of the same function was open */
	CALL_UNTRACED		= 8,	/* not a call: "[syscall]", "[interrupt]" or "[untraced]" */
};

/* A call of a function, from a hardware trace. .stack gives the calls that it is inside of. */
struct profile_call {
	uint64_t begin, end;
	uint32_t thread, stack;
	uint32_t flags;			/* enum call_flag */
};

#define PROFILE_MAX_TIMES	200000u	/* a profile has at most this many intervals, instants and links each; see .joined_ns */

#define PROFILE_TABLE(type) struct { const type *v; size_t nr; }

struct profile_data {
	struct profile_info info;
	PROFILE_TABLE(struct profile_event) events;
	PROFILE_TABLE(struct profile_process) processes;	/* by pid */
	PROFILE_TABLE(struct profile_thread) threads;		/* by pid, tid and start; only those that other rows refer to */
	PROFILE_TABLE(struct profile_name) names;
	PROFILE_TABLE(struct profile_dso) dsos;
	PROFILE_TABLE(struct profile_function) functions;
	PROFILE_TABLE(struct profile_frame) frames;
	PROFILE_TABLE(struct profile_stack) stacks;		/* [0] is the root */
	PROFILE_TABLE(struct profile_address) addresses;
	PROFILE_TABLE(struct profile_insn) insns;		/* by function, address */
	PROFILE_TABLE(struct profile_source) sources;		/* by file, line */
	PROFILE_TABLE(struct profile_weight) weights;		/* by event, thread, comm, cpu, stack, address */
	PROFILE_TABLE(struct profile_column) columns;
	PROFILE_TABLE(struct profile_interval) intervals;	/* by begin */
	PROFILE_TABLE(struct profile_instant) instants;		/* by time */
	PROFILE_TABLE(struct profile_link) links;		/* by from_time */
	/* By thread, begin; callers before callees. Empty without query.calls. */
	PROFILE_TABLE(struct profile_call) calls;
	/*
	 * If there were more than PROFILE_MAX_TIMES intervals, instants or links, neighbours of the same thread, CPU, stack and
	 * kind that were at most this many ns apart were merged. Two intervals become one over both, two instants become one at
	 * the first time with the sum of their values, and of two links the first is kept. 0: none were merged.
	 */
	uint64_t joined_ns;
	size_t nr_strings;					/* [0] is "" */
	uint64_t nr_samples;					/* 0: profile_query.times was not set */
};

/*
 * All tables; borrowed, they live as long as the profile. A finished profile never changes, and its contents do not depend on how
 * many worker threads made it. Most exporters, the browser and comparisons read only the profile.
 *
 * Tables are sorted by their contents, so a recording always gives the same numbers. Different profiles have different numbers; to
 * compare profiles, look rows up by name. Times are ns of the recording's clock. All strings come from files and may hold any
 * bytes but NUL, including markup and escape sequences. For example, this writes all stacks of an event:
 *
 *	const struct profile_data *d = profile_data(p);
 *
 *	vec_for(w, &d->weights)
 *		if (w->event == event)
 *			for (uint32_t n = w->stack; n != PROFILE_ROOT; n = d->stacks.v[n].parent)
 *				put(profile_string(p, profile_frame_name(p, d->stacks.v[n].frame)), w->period);
 */
const struct profile_data *profile_data(const struct profile *p);
void profile_free(struct profile *p);
/* Findings about its samples, in addition to those about its recording; borrowed. */
const struct findings *profile_findings(const struct profile *p);

/* String @number; borrowed. Strings are sorted by their bytes. */
const char *profile_string(const struct profile *p, uint32_t number);
/* The string with the name of a frame's function; 0 if no symbol is known. */
uint32_t profile_frame_name(const struct profile *p, uint32_t frame);
/*
 * The function with the self time of @w: profile_address.own, or without an address the innermost function of the chain.
 * PROFILE_NONE: neither is known. All views of self time use this.
 */
uint32_t profile_own_function(const struct profile *p, const struct profile_weight *w);

/* The file of pseudo functions that give the reason of a wait: core/profile/wait_frames.c. */
#define PROFILE_WAITS "[waits]"
bool profile_is_wait(const struct profile *p, uint32_t function);
/* True if @function is the program's, not a library's or the kernel's: in the program's file, or named code made at run time. */
bool profile_is_program(const struct profile *p, uint32_t function);
/*
 * Appends a text for @function, for outputs in which every function needs a text: its name, or, if no symbol is known, the file's
 * name in brackets: "[libc.so.6]" or "[unknown]".
 */
struct buf;
void profile_put_function(const struct profile *p, uint32_t function, struct buf *out);
/*
 * Finds functions of the same name in one file; functions without a name are equal, too. Returns an array, owned by the caller, in
 * which [n] is the first function that is equal to function n.
 */
uint32_t *profile_same_functions(const struct profile *p);
/* The last name of a thread, as the number of a string. */
uint32_t profile_thread_name(const struct profile *p, uint32_t thread);

struct profile_sum { uint64_t nr, period; };

static inline void profile_sum_add(struct profile_sum *to, uint64_t nr, uint64_t period)
{
	to->nr += nr;
	add_saturated(&to->period, period);
}

/*
 * Sums the samples of @event by node of stacks: @self for the node alone, @total including all nodes below it. [n] belongs to
 * stacks.v[n]. Either array may be NULL; both have stacks.nr elements.
 */
void profile_sum_stacks(const struct profile *p, uint32_t event, struct profile_sum *total, struct profile_sum *self);

/* ---- samples in order of time ---- */

struct profile_sample {
	/* Without query.times: .time is the number of samples with equal weight and values, .period their sum. */
	uint64_t time, period;
	uint32_t weight;		/* of .weights: which event, thread, CPU, stack */
	/* The value of each column: a string's number if .text, or PROFILE_NO_VALUE. Borrowed until the next sample. */
	const uint64_t *values;
};

/*
 *	struct profile_cursor c;
 *
 *	for (profile_cursor_init(&c, p); profile_cursor_next(&c, &sample);)
 *		...
 *	profile_cursor_release(&c);
 */
struct profile_cursor {
	const struct profile *profile;
	const uint8_t *at, *end, *passed;
	uint64_t time, weight;
	uint64_t *values;		/* owned */
};

void profile_cursor_init(struct profile_cursor *c, const struct profile *p);
/* False: there are no more. */
bool profile_cursor_next(struct profile_cursor *c, struct profile_sample *out);
void profile_cursor_release(struct profile_cursor *c);

#endif
