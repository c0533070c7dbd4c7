/*
 * Declares the state with which prec script prints lines: struct line_plan has the columns of each event, and all worker threads
 * share it. struct line has the caches of one worker.
 */
#ifndef CORE_SHOW_SCRIPT_LINE_PLAN_H
#define CORE_SHOW_SCRIPT_LINE_PLAN_H

#include "core/base/buf.h"
#include "core/read/counters.h"
#include "core/unwind/dso_counts.h"
#include "core/read/trace_text.h"
#include "core/sched/runqueue.h"
#include "core/model/source_text.h"
#include "core/show/script/address_text.h"
#include "core/show/script/field.h"

struct event;
struct filter;
struct item;
struct sample;
struct session;
struct trace_event;
struct context_cache;

struct line_opts {
	struct output_fields fields;
	bool nanoseconds, reltime, deltatime;
	bool hide_chains, no_inline, at_return, full_source_path, kernel_path;
	unsigned max_stack;
	uint64_t max_blocks;			/* print the code of at most so many blocks of a branch stack; 0: all */
	const char *graph_function;		/* functions separated by commas whose calls are shown alone; NULL: all */
	const char *stop_at;			/* symbols separated by commas that end a call chain; NULL: none */
};

struct event_plan {
	const struct event *event;
	uint64_t fields;
	bool chain;			/* samples have call chains, and these are printed */
	bool branch;			/* samples are branches, printed as from => to */
	bool always_target;		/* print the target, too, unless the user chose fields without it */
	bool counts;			/* samples carry the values of counters, whose differences are the periods */
	char *name;			/* owned: right-aligned, with ": " after it; in whole steps of buf_put_steps() */
	size_t name_len;
	unsigned how;			/* ADDRESS_*: the form of the texts of its addresses */
	uint32_t task_form;		/* equal for events whose lines begin in the same format */
	const struct trace_event *trace;	/* a tracepoint's description, borrowed; NULL: the recording has none */
	void (*columns[FIELD_MAX + 1])(struct line *l);	/* NULL-terminated */
};

struct line_plan {			/* shared by all workers, read-only while they print */
	struct line_opts opts;
	struct session *session;		/* borrowed */
	const struct filter *filter;		/* borrowed; NULL: none */
	struct address_text_opts address;
	struct runqueues *queues;		/* for the column runqlen; owned; NULL: no event has the column */
	struct event_plan *events;		/* owned; by event number */
	size_t nr_events;
	unsigned counter_width;			/* branch_counters_width() */
	uint64_t wall_ns, mono_ns;		/* the same moment by two clocks; 0: not known */
	char *stop_text;			/* owned: the text that .stop_names points into */
	VEC(const char *) stop_names;		/* NULL-terminated */
};

struct line_owner { const char *comm; uint32_t form, pid, tid, cpu; };	/* without padding: compared as bytes */

struct task_text {			/* how a line begins; len 0: none yet */
	struct line_owner task;
	uint32_t len;
	char text[4 * BUF_STEP];
};

/* For --graph-function. .inside: a named function is running, at .depth. */
struct called_thread { uint32_t tid; bool inside; uint64_t depth; };

struct line {				/* a worker's: its caches, and the sample that is being printed */
	const struct line_plan *plan;	/* shared, read-only */
	struct address_texts addresses;
	struct task_text task[16];	/* by CPU modulo 16 */
	struct context_cache *context_cache;	/* owned; for records that are no samples; NULL until wanted */
	struct counters counters;	/* the last values of counters */
	struct trace_texts trace_texts;
	struct broken_chains chains;	/* counts of the printed call chains, and of broken ones */
	struct runqueue_cursor queue;
	struct source_texts sources;
	VEC(struct called_thread) called;	/* threads of a hardware trace */
	struct index by_tid;		/* of .called */
	size_t indent_room;		/* columns of an indented call */
	uint64_t first_time, last_time;	/* for --reltime, --deltatime; UINT64_MAX: none yet */
	const struct event_plan *event;
	const struct item *item;
	const struct sample *sample;
	uint64_t fields;
	uint64_t period;
	bool shown;			/* the sample passes the filters */
	uint64_t nr_shown;		/* samples that passed the filters so far */
	struct buf *out;
};

static inline bool line_has(const struct line *l, uint64_t field_bits)
{
	return l->fields & field_bits;
}

/* 0 and *out (line_plan_free()), or -1 (printed). Borrows @filter (NULL: none), @s and the strings of @opts. */
int line_plan_new(struct line_plan **out, struct session *s, const struct line_opts *opts, const struct filter *filter);
void line_plan_free(struct line_plan *p);

/* True if a line depends on those before it, so that one worker must print them all. */
bool line_plan_needs_order(const struct line_plan *p);

/* True if a line shows call chains. */
bool line_plan_shows_chains(const struct line_plan *p);

/* ---- line.c ---- */

/* @p is borrowed for the line's life. */
void line_init(struct line *l, const struct line_plan *p);
/* Clears the caches, because addresses and threads may have changed their meaning. */
void line_forget(struct line *l);
void line_release(struct line *l);

/* Looks up the addresses in the lines of @items (NULL: none) together, ahead of printing. */
void line_expect(struct line *l, const struct item *const *items, unsigned nr);
/* The line of a sample, or nothing if a filter drops it. */
void line_print_sample(struct line *l, const struct item *item, struct buf *out);
/* Prints the line of another record: task, time, contents. */
void line_print_record(struct line *l, const struct item *item, struct buf *out);

#endif
