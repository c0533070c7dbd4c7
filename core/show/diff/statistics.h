/*
 * Decides for prec diff which differences are too large for chance. It computes confidence intervals and a permutation test, and
 * limits the false discovery rate. Its random numbers have a fixed seed, so equal arguments give equal results.
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

struct estimate {		/* the estimate of a difference, or of a ratio - 1 */
	double value;
	double error;		/* half the width of the interval at LEVEL; INFINITY: nothing is known */
	double p;		/* the chance of a difference this large if the sides do not differ */
};

#define LEVEL		0.95	/* the confidence level of all intervals */
#define FALSE_SHARE	0.03	/* on average, at most this share of the rows called changed have not changed */

struct side {			/* the values of one side, a number for each run */
	const double *v;
	size_t nr;
	double sampling;	/* the variance of one run's number that sampling alone makes */
};

double mean_of(const double *v, size_t nr);
/*
 * B - A. With two runs or more on both sides, the error is Welch's interval, with a variance of at least half the sampling
 * variance. Otherwise it comes from the sampling variance alone.
 */
struct estimate difference_of(const struct side *a, const struct side *b);
/* B / A - 1, with an error from the first-order approximation. Its value is INFINITY if A is 0 and B is not. */
struct estimate ratio_of(const struct side *a, const struct side *b);

/*
 * The noise level: half the width of the interval of B / A - 1, for a side B with as many runs as A that vary like A's. A must have
 * two runs or more. INFINITY: the mean of A is 0.
 */
double noise_of(const struct side *a);

#define PERMUTATION_RUNS 5	/* on each side; with fewer a permutation test shows nothing */

/*
 * Tries all ways to divide the runs into sides of the same sizes, or if there are too many, random ones. Returns the share of ways
 * in which the means differ at least as much as those of A and B.
 */
double permutation_test(const struct side *a, const struct side *b);

/*
 * Sets out[i] if row i of @nr, with the p-value p[i], is to be called changed, so that on average at most @share of the rows called
 * changed have not changed (Benjamini and Hochberg, 1995).
 */
void choose_changed(const double *p, size_t nr, double share, bool *out);

#endif
