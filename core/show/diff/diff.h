/*
 * Compares two groups of recordings, A and B, for prec diff and prec compare. The result has a row for each value of the sort
 * keys, by default for each function. A row has the amount of each side (for example CPU time), the difference, and the
 * statistical error of the difference.
 *
 *	profiles of A, of B --match.h--> functions --key.h--> rows: an amount and its sampling error for each run
 *	                    --statistics.h--> differences, intervals, which rows have changed
 *
 * Layer: diff
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
	PER_EVENT,	/* divided by what the event .event counted in the run */
	PER_SECOND,	/* divided by the .seconds of the run */
	PER_TOTAL,	/* divided by the sum of all rows: shares */
};

struct diff_opts {
	const char *keys;		/* as -s has them */
	enum diff_per per;
	double units[NR_SIDES];
	const char *per_event;		/* borrowed */
	struct match *match;		/* of the same runs, those of A first; borrowed; NULL: one is made */
	/* Only samples in functions and files with these names in the match; NULL: all. Others are ignored. */
	const char *only_symbol, *only_dso;
};

struct diff_row {
	const char *values[DIFF_KEYS_MAX];	/* of the keys; borrowed */
	uint32_t function;		/* number in the match; UINT32_MAX: the keys do not name a function */
	double mean[NR_SIDES];		/* of runs */
	uint64_t nr[NR_SIDES];		/* samples of all runs */
	struct estimate difference, ratio;	/* ratio.value INFINITY: it is new; .error INFINITY, .p NAN: nothing is known */
	double permuted;		/* permutation_test(); 1 or less; 0 if there are too few runs */
	bool changed;			/* with one run on a side: by more than runs usually differ by, too */
};

struct diff {
	const struct diff_key *keys[DIFF_KEYS_MAX];
	unsigned nr_keys;
	struct match *match;
	struct match *own_match;	/* owned; NULL: .match is borrowed */
	struct strtab *strings;		/* owned */
	enum profile_unit unit;
	bool wall;			/* times are those of threads on and off the CPU */
	bool waits;			/* times are not of a CPU: how long threads were off it */
	enum diff_per per;
	size_t nr_runs[NR_SIDES];
	bool sampling_only;		/* one run on a side: errors are those of sampling */
	bool damaged[NR_SIDES];		/* of a run that it has */
	bool counted;			/* period 1: each hit was recorded in all runs, so that there is no sampling error */
	VEC(struct diff_row) rows;	/* changed ones first, the largest difference first; then the others by what they take */
	size_t nr_changed;
	struct diff_row total;
	double noise;			/* noise_of() the total of A; INFINITY: A has one run */
	double explained;		/* the differences of changed rows as a share of the total's */
};

/*
 * Compare. @runs: those of A and of B, at least one each; profiles have times (profile_query.times) and are borrowed for as long as
 * the diff lives. Prints why two recordings cannot be compared; 0 and *out (diff_free()), or -1.
 */
int diff_new(struct diff **out, const struct diff_run *runs, size_t nr, const struct diff_opts *opts);
void diff_free(struct diff *d);

/* *out: the number by which a run's sums are divided (--per). Prints errors; 0 or -1. */
int diff_divisor(const struct diff_run *run, const struct diff_opts *opts, double *out);

#endif
