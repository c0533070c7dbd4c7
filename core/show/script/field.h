/*
 * Describes the columns (fields) of prec script -F: the data that a column needs, its defaults, and the function that prints it.
 * field_list.h has a row for each column.
 */
#ifndef CORE_SHOW_SCRIPT_FIELD_H
#define CORE_SHOW_SCRIPT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/show/script/field_list.h"

struct event;
struct event_table;
struct line;

enum field_id {
#define ROW(id, ...) FIELD_##id,
	SCRIPT_FIELDS(ROW)
#undef ROW
	FIELD_MAX
};

#define FIELD_BIT(id)	(1ull << FIELD_##id)

/* Kinds of events, for "kind:fields" and the defaults. */
enum event_kind {
	KIND_HARDWARE, KIND_SOFTWARE, KIND_TRACEPOINT, KIND_CACHE, KIND_RAW, KIND_BREAKPOINT, KIND_SYNTH, KIND_OTHER,
	KIND_MAX
};

enum event_kind event_kind(const struct event *ev);

/*
 * A row of the table. The table is in the order in which a line has the columns. -F, the default columns and the error messages use
 * it. Because of .needs, a missing PERF_SAMPLE_* bit is reported before anything is printed.
 */
struct field {
	const char *name;
	uint64_t needs;			/* PERF_SAMPLE_*: one of them must have been recorded; 0: nothing */
	const char *needs_name;		/* as perf's manual calls it */
	const char *hint;		/* the option to record it; NULL: none in particular */
	unsigned defaults;		/* printed without -F for these kinds: bits by enum event_kind */
	unsigned never;			/* kinds for which the field makes no sense: bits as in .defaults */
	void (*print)(struct line *l);	/* NULL: the field only changes how others are printed */
	void (*print_branch)(struct line *l);	/* used instead for branch events; NULL: .print is used */
};

extern const struct field fields[FIELD_MAX];	/* core/show/script/line.c */

/* The user's choice: a mask of FIELD_BIT by kind. */
struct output_fields {
	bool touched[KIND_MAX];		/* the user chose the fields, or removed some */
	uint64_t chosen[KIND_MAX];
	uint64_t asked[KIND_MAX];	/* the chosen fields that the user named */
	bool replaced[KIND_MAX];	/* the defaults were replaced */
	bool named[KIND_MAX];		/* the defaults were replaced, and the kind was named: "kind:a,b" */
};

void output_fields_init(struct output_fields *f);
/* Parses the argument of one -F: "a,b", "+a,-b" or "kind:a,b". Returns 0, or -1 after printing an error. */
int output_fields_parse(struct output_fields *f, const char *arg);

/* True if any of the fields (FIELD_BIT) is chosen for any kind of event. */
bool output_fields_has(const struct output_fields *f, uint64_t fields);

struct field_facts {			/* facts about the recording */
	const struct event_table *events;
	bool has_auxtrace;		/* the recording has a hardware trace, from which events may be made */
	bool has_clock;			/* CLOCK_DATA: the time of day is known */
	bool chains;			/* call chains will be shown */
};

/*
 * Computes the columns of each event into masks[], by event number. Default columns that were not recorded are left out silently
 * (-v prints them). A requested field that no event recorded is an error that says how to record it. Returns 0, or -1 after
 * printing an error.
 */
int output_fields_apply(const struct output_fields *f, const struct field_facts *facts, uint64_t *masks);

#endif
