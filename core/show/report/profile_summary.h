/*
 * Summarizes a profile on one page, for prec summary: the recording, its problems, and the functions, threads and call chains
 * with the most samples. wait_rows.h sums up the off-CPU waits for this page.
 */
#ifndef CORE_SHOW_REPORT_PROFILE_SUMMARY_H
#define CORE_SHOW_REPORT_PROFILE_SUMMARY_H

#include "core/ui/finding.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

struct buf;

/*
 * An ID names what a row stands for. prec summary --of ID prints details of it. Except for threads, the ID is the same in each
 * recording of the same program.
 *
 *	f:1a2b3c4d	a function, from its name and the name of its file, inlined or not
 *	t:4242		a thread, by its tid
 *	s:1a2b3c4d	a call chain, from the names of its functions
 *	lost-samples	a finding (a problem of the recording, core/ui/finding.h), by its code
 */
struct summary_row {
	char id[16];
	char *name, *where;		/* owned; .where: its file or process, NULL: none to print */
	char *brief;			/* owned; a long name shortened to fit a line; NULL: it fits */
	uint32_t number;		/* its number in a table of the profile */
	uint64_t nr, period;
	bool last;			/* sorted after all other rows of its section */
	bool inlined;			/* an inlined function: the function around it does not include its time */
};

struct summary_rows { VEC(struct summary_row) list; };

#define SUMMARY_ROWS 10		/* this many rows of a section have names and are printed */

/* The most first. */
struct summary_section {
	const char *name, *title;	/* "functions", "functions, by their own time" */
	struct summary_rows rows;
	const char *rest_name;		/* samples that no row can have: "samples without a caller"; NULL: there are none */
	struct profile_sum rest;
};

#define SUMMARY_LEAST_PERCENT 0.5	/* smallest share of a row that is printed */
#define SUMMARY_NO_SYMBOL "[no symbol]"	/* the name of functions that have none */
#define SUMMARY_SECTIONS 5
#define SUMMARY_NAME_AT 35u	/* the column in which names begin, after share, amount and id */

struct profile_summary_opts {
	uint32_t event;			/* its number in the profile */
	bool event_named;		/* the user named it: suggested commands name it, too */
	bool tracepoint;		/* a tracepoint: its samples are all at one place, so their code is of no interest */
	bool fields;			/* with .tracepoint: the recording describes its fields */
	const char *of;			/* one of the ids above; NULL: all */
	const char *filters;		/* " --tid 7 --time +2,+3": filters, which suggested commands repeat; "": none */
	const char *counts;		/* for a recording without samples: lines with the counts of its events; else NULL */
	const char *processes;		/* the tree of processes: a line of titles, a line for each; NULL: not printed */
	size_t small_processes;		/* groups of processes that are too small for a line in .processes */
	const struct profile *waits;	/* the waits, with wait frames; NULL: there are no waits, or the event is waits */
	bool all_findings;		/* also print in full the findings that affect few samples: FINDING_LEAST */
	const char *quality;		/* a sentence on the quality of the recording; NULL: print all findings instead */
	unsigned width;			/* columns of the terminal that rows must fit; 0: the output is no terminal */
};

struct profile_summary {			/* profile_summary_init(), profile_summary_release() */
	const struct profile *profile;	/* borrowed, as what follows */
	const struct profile_data *d;	/* of .profile */
	const struct findings *findings;
	const struct profile_summary_opts *opts;
	const char *of;			/* the requested ID (--of); NULL: all */
	uint32_t event;
	uint64_t nr, period;		/* 100 %: all samples of the event, also those that filters by name leave out */
	size_t columns;			/* for a name in its line; only with opts.width */
	bool is_wall;			/* the event is wall time */
	bool is_waits;			/* the event is time off the CPU */
	char *wall;			/* owned: how threads spent their time; NULL: no waits recorded, or the event is waits */
	uint64_t idle;			/* the part of .period that idle tasks have */
	uint64_t of_nr, of_period;	/* of the function, thread or chain with ID .of */
	uint32_t code;			/* the function to name to prec annotate, for the code of the hottest; or PROFILE_NONE */
	struct profile_sum *of_events;	/* owned, by event: sums of what .of names; NULL: .of is NULL or a finding */
	char *of_name;			/* owned: the name of what .of names; NULL: nothing has that ID */
	char of_id[16];			/* if opts.of is a function's name: its ID, to which .of points */
	struct summary_rows of_named;	/* if opts.of is a function's name: the functions it may mean; the first is that of .of */
	struct summary_section sections[SUMMARY_SECTIONS];
	unsigned nr_sections;
};

/* @found must be sorted. False: nothing has the ID opts.of. */
bool profile_summary_init(struct profile_summary *s, const struct profile *p, const struct findings *found,
			  const struct profile_summary_opts *opts);
/* True if the row has too small a share of what is shown for a line of its own. */
bool summary_row_is_small(const struct profile_summary *s, const struct summary_row *row);
/* True if so many processes have samples that groups of them are clearer than a row for each. */
bool profile_summary_many_processes(const struct profile_summary *s);
void profile_summary_release(struct profile_summary *s);
/* The sums of @event: all samples, or those of what .of names. */
struct profile_sum profile_summary_of_event(const struct profile_summary *s, uint32_t event);

/*
 * Prints the summary in at most @budget bytes (0: any), but at least one row of each section. @path: the recording, for the
 * suggested commands. A wait is shown with its reason, which follows from the functions in its call chain.
 */
void profile_summary_print(const struct profile_summary *s, const char *path, size_t budget, bool json, struct buf *out);

#endif
