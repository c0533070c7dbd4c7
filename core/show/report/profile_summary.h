/*
 * Summarizes a profile on one page, for prec summary. The page shows the recording, its findings (problems of the recording), and
 * the functions, threads and call chains with the most samples. Each of these has an ID, for which prec summary --of ID prints
 * details. Except for threads, the ID is the same in each recording of the same program.
 *
 *	f:1a2b3c4d	a function, from its name and the name of its file, inlined or not
 *	t:4242		a thread, by its tid
 *	s:1a2b3c4d	a call chain, from the names of its functions
 *	lost-samples	a finding, by its code
 *
 * Waits are shown with their reason, which is found by the functions in their call chains.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_PROFILE_SUMMARY_H
#define CORE_SHOW_REPORT_PROFILE_SUMMARY_H

#include "core/ui/finding.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

struct buf;

struct summary_row {
	char id[16];
	char *name, *where;		/* owned; where: its file, or process. NULL: nothing to say */
	char *brief;			/* owned; a long name shortened to fit a line; NULL: it fits */
	uint32_t number;		/* in its table of the profile */
	uint64_t nr, period;
	bool last;			/* sorted after all other rows of its section */
	bool inlined;			/* an inlined function: its time is not in that of the outer function */
};

struct summary_rows { VEC(struct summary_row) list; };

#define SUMMARY_ROWS 10		/* this many rows of a section have names and are printed */

/* The most first. */
struct summary_section {
	const char *name, *title;	/* "functions", "functions, by their own time" */
	struct summary_rows rows;
};

#define SUMMARY_NO_SYMBOL "[no symbol]"	/* the name of functions that have none */
#define SUMMARY_SECTIONS 5
#define SUMMARY_NAME_AT 35u	/* the column in which names begin, after share, amount and id */

struct profile_summary_opts {
	uint32_t event;			/* a number of the profile's */
	bool event_named;		/* the user named it: suggested commands name it, too */
	bool tracepoint;		/* all its samples are at the kernel's tracepoint: their code tells nothing */
	bool fields;			/* with .tracepoint: its fields are known */
	const char *of;			/* one of the ids above; NULL: all */
	const char *filters;		/* " --tid 7 --time +2,+3": of the commands to go on with, too; "": none */
	const char *counts;		/* what its events counted, lines of a recording without samples; NULL: it has samples */
	const char *processes;		/* the tree of processes, a line each; NULL: there are few, or some are left out */
	const struct profile *waits;	/* of its waits, with wait frames; NULL: it has none, or shows them */
	bool all_findings;		/* also print in full what affects few samples: FINDING_LEAST */
	const char *quality;		/* how good the recording is, in a sentence; NULL: all findings say it */
	unsigned width;			/* of the terminal that rows are to fit; 0: it is none */
};

struct profile_summary {			/* profile_summary_init(), profile_summary_release() */
	const struct profile *profile;	/* borrowed, as what follows */
	const struct findings *findings;
	const struct profile_summary_opts *opts;
	const char *of;			/* the id of what was asked for; NULL: all */
	uint32_t event;
	uint64_t nr, period;		/* 100 %: of the event, with samples that filters by name leave out */
	size_t columns;			/* of a name in its line; with a width */
	bool is_wall;			/* the event is wall time */
	bool is_waits;			/* the event is time off the CPU */
	char *wall;			/* owned: how its threads spent their time; NULL: waits were not recorded, or are shown */
	uint64_t idle;			/* of .period: of the idle tasks */
	uint64_t of_nr, of_period;	/* of what was asked for */
	uint32_t code;			/* a function that was not inlined: it has the code of the hottest; PROFILE_NONE: none */
	struct profile_sum *of_events;	/* owned, by event: of what was asked for; NULL: all was, or a finding */
	char *of_name;			/* owned; NULL: nothing has that id */
	char of_id[12];			/* if .of was a function's name: its id, and .of is that */
	struct summary_section sections[SUMMARY_SECTIONS];
	unsigned nr_sections;
};

/* @found is sorted. False: nothing has the id. */
bool profile_summary_init(struct profile_summary *s, const struct profile *p, const struct findings *found,
			  const struct profile_summary_opts *opts);
/* True if so many processes have samples that a table of groups is clearer than one of processes. */
bool profile_summary_many_processes(const struct profile_summary *s);
void profile_summary_release(struct profile_summary *s);
/* The sums of an event in the summary's scope. */
struct profile_sum profile_summary_of_event(const struct profile_summary *s, uint32_t event);

/*
 * Prints the summary in at most @budget bytes (0: any), but at least one row of each section. @path: the recording, for the
 * suggested commands.
 */
void profile_summary_print(const struct profile_summary *s, const char *path, size_t budget, struct buf *out);
void profile_summary_print_json(const struct profile_summary *s, const char *path, size_t budget, struct buf *out);

#endif
