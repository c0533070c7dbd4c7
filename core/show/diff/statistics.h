/*
 * Computes the statistics of prec diff: Student's t, Welch's interval, the permutation test, and the false discovery rate over all
 * rows. All functions depend on their arguments alone, because random numbers start from a fixed seed.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_STATISTICS_H
#define CORE_SHOW_DIFF_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The chance that |t| is at least @t (0 and up) with @df degrees of freedom (above 0; INFINITY: the normal distribution).
 * Abramowitz and Stegun 26.5.27 and 26.7.1.
 */
double t_two_sided(double t, double df);
/* The t that |t| exceeds with the chance @p, above 0 and below 1. */
double t_limit(double p, double df);

struct estimate {		/* of a difference, or of a ratio - 1 */
	double value;
	double error;		/* half the width of the interval at LEVEL; INFINITY: nothing is known */
	double p;		/* the chance of a difference as large if there is none */
};

#define LEVEL		0.95	/* of all intervals */
#define FALSE_SHARE	0.03	/* of rows that are called changed, at most this many are not, on average */

struct side {			/* the values of one side, a number for each run */
	const double *v;
	size_t nr;
	double sampling;	/* the variance of one run's number that sampling alone makes */
};

double mean_of(const double *v, size_t nr);
/*
 * B - A. With two runs or more on both sides: Welch's interval, with a variance of at least half the sampling variance. Else
 * the sampling variance alone.
 */
struct estimate difference_of(const struct side *a, const struct side *b);
/* B / A - 1, by the first term of its series; INFINITY if A is 0. */
struct estimate ratio_of(const struct side *a, const struct side *b);

/*
 * The noise level: half the interval of B / A - 1 for a side B of as many runs that are like those of A. A has two or more;
 * INFINITY: it is 0.
 */
double noise_of(const struct side *a);

#define PERMUTATION_RUNS 5	/* on each side, from where on a permutation test can tell anything */

/* The share of ways to deal the runs out to both sides that make means differ as much; all ways, or many drawn ones. */
double permutation_test(const struct side *a, const struct side *b);

/*
 * Benjamini and Hochberg (1995): which of @nr hypotheses with the chances p[] to call false, so that on average at most
 * @share of those are called so wrongly. Fills out[].
 */
void choose_changed(const double *p, size_t nr, double share, bool *out);

#endif
