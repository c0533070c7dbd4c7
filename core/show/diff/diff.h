/*
 * Compares two groups of recordings, A and B, for prec diff and prec compare. It sums the time (or event count) of each function
 * in A and in B, and decides which differences are significant. diff_print.h prints the result.
 *
 *	profiles of A, of B --match.h--> functions --key.h--> rows: an amount and its sampling error for each run
 *	                    --statistics.h--> differences, confidence intervals, which rows have changed
 *
 */
#ifndef CORE_SHOW_DIFF_DIFF_H
#define CORE_SHOW_DIFF_DIFF_H

#include "core/base/vec.h"
#include "core/show/diff/key.h"
#include "core/show/diff/match.h"
#include "core/show/diff/statistics.h"
#include "core/profile/profile.h"

enum diff_per {
	PER_RUN,	/* sums of a run */
	PER_NUMBER,	/* divided by .units of the side */
	PER_EVENT,	/* divided by what the event .per_event counted in the run */
	PER_SECOND,	/* divided by the length of the run, .seconds of struct diff_run */
	PER_TOTAL,	/* divided by the sum of all rows: shares */
};

struct diff_opts {
	const char *keys;		/* as -s has them */
	enum diff_per per;
	double units[NR_SIDES];
	const char *per_event;		/* borrowed */
	struct match *match;		/* the match of the same runs, those of A first; borrowed; NULL: diff_new() makes it */
	/* Only samples in functions and files with these names in the match; NULL: all. Others are ignored. */
	const char *only_symbol, *only_dso;
};

/* The samples with one value of each sort key. By default the keys name a function and its file. */
struct diff_row {
	const char *values[DIFF_KEYS_MAX];	/* by key; borrowed */
	uint32_t function;		/* number in the match; UINT32_MAX: the keys do not name a function */
	double mean[NR_SIDES];		/* over the runs of a side */
	uint64_t nr[NR_SIDES];		/* samples of all runs of a side */
	struct estimate difference, ratio;	/* ratio.value INFINITY: A has none; .error INFINITY, .p NAN: nothing is known */
	double permuted;		/* the result of permutation_test(); 0: too few runs, or .difference is not significant */
	bool changed;			/* by more than chance; with one run on a side, also by more than runs usually differ */
};

struct diff {
	const struct diff_key *keys[DIFF_KEYS_MAX];
	unsigned nr_keys;
	struct match *match;
	struct match *own_match;	/* owned; NULL: .match is borrowed */
	struct strtab *strings;		/* owned */
	enum profile_unit unit;
	bool wall;			/* the event is wall time: threads running and waiting */
	bool waits;			/* the event is how long threads were off the CPU */
	enum diff_per per;
	size_t nr_runs[NR_SIDES];
	bool sampling_only;		/* a side has only one run, so errors are those of sampling */
	bool damaged[NR_SIDES];		/* a recording of the side is cut or damaged */
	bool counted;			/* period 1: each hit was recorded in all runs, so that there is no sampling error */
	VEC(struct diff_row) rows;	/* changed rows by their difference, then the others by their amount; largest first */
	size_t nr_changed;
	struct diff_row total;
	double noise;			/* noise_of() the total of A; INFINITY: A has one run, or a total of 0 */
	double explained;		/* the differences of changed rows as a share of the total's */
};

/* @runs: at least one of A and of B, with times (profile_query.times); borrowed by *out (diff_free()). 0, or -1 (printed). */
int diff_new(struct diff **out, const struct diff_run *runs, size_t nr, const struct diff_opts *opts);
void diff_free(struct diff *d);

/* Sets *out to the number by which the sums of a run are divided (--per). Returns 0, or -1 after printing an error. */
int diff_divisor(const struct diff_run *run, const struct diff_opts *opts, double *out);

#endif
