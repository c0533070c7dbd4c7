/*
 * Reads the recordings for prec diff and prec compare, and prints their comparison. The recordings are read one after the other,
 * and only the profile of each (core/profile/profile.h) is kept in memory.
 */
#ifndef CMD_COMPARE_INPUT_H
#define CMD_COMPARE_INPUT_H

#include "cmd/input.h"
#include "core/ui/finding.h"
#include "core/show/diff/diff.h"
#include "core/show/diff/perf_text.h"

struct compared {			/* a recording */
	const char *path;		/* borrowed */
	enum diff_side side;
	struct profile *profile;	/* owned */
	double seconds;			/* length, within --time; 0: not known */
	bool damaged;			/* not all of the file could be read */
	bool workload;			/* a command was recorded from its begin to its end */
};

struct compared_list {			/* = {0}; compared_release() */
	VEC(struct compared) list;
	const char *times[NR_SIDES];	/* each side's --time; NULL: all; borrowed */
	struct findings found;		/* of all recordings */
	struct findings of_sides[NR_SIDES];	/* of the recordings of each side */
};

/* The output format. All formats but the table have only the first event. */
enum compare_form { COMPARE_TABLE, COMPARE_JSON, COMPARE_FOLDED, COMPARE_TREE, COMPARE_HTML };

struct compare_opts {			/* the input and the output form */
	const char *keys;		/* -s; borrowed */
	const char *per_text;		/* the argument of --per; NULL: not given */
	bool all;
	bool noise;			/* print by how much runs of A differ */
	bool stdio, tui;		/* --stdio: print text; --tui: show the browser */
	enum compare_form form;
	bool form_given;
	const char *output;		/* the file that it is written to; NULL: standard output; borrowed */
	bool as_perf;			/* print a table as perf diff does, with .perf; for one recording on each side */
	struct perf_text_opts perf;
	uint64_t fail_over;		/* --fail-if: in thousandths of a percent; UINT64_MAX: not given */
	struct terminal_opts screen;
};

/* For option tables: --fail-if, whose @field is .fail_over; --format, a format's name as an option (--json), -o and -c. */
int compare_parse_fail_if(const struct option_desc *o, void *field, const char *arg, bool unset);
int compare_parse_format(const struct option_desc *o, void *field, const char *arg, bool unset);
int compare_parse_form(const struct option_desc *o, void *field, const char *arg, bool unset);
int compare_parse_output(const struct option_desc *o, void *field, const char *arg, bool unset);
int compare_parse_compute(const struct option_desc *o, void *field, const char *arg, bool unset);

/* Checks --per and -s. Returns 0 and fills *out, or returns -1 after printing an error. */
int compare_check(struct diff_opts *out, const struct compare_opts *o);

/* Reads the recordings in .list. Returns 0, or -1 after printing an error. */
int compared_read(struct compared_list *c, const struct input_opts *input, const char *keys);
void compared_release(struct compared_list *c);

/* Checks that the recordings can be compared, and may adjust @opts to them. Returns 0 or -1 (printed). */
int compared_check(const struct compared_list *all, const struct compare_opts *o, struct diff_opts *opts);
/* Lists the runs of all common events in *runs (owned by the caller), sorted by event. Returns 0 or -1 (printed). */
int compared_runs(const struct compared_list *all, const struct diff_opts *opts, struct diff_run **runs, size_t *nr_events);
/* "a.data", or "a.data and 2 more". Owned by the caller. */
char *compared_name(const struct compared_list *all, enum diff_side side);

/* Prints tables and findings. Returns the exit status: 0; 1: cannot be compared; STATUS_SLOWER: the first event fails --fail-if. */
#define STATUS_SLOWER 3
int compare_show(struct compared_list *c, const struct compare_opts *o, const struct input_opts *input);
/* Reads the recordings and shows their comparison in the browser (diff_browse.c). Returns the exit status. */
int diff_browse(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input);

#endif
