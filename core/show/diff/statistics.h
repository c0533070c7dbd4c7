/*
 * Decides for prec diff which differences are too large for chance. It computes confidence intervals and a permutation test, and
 * limits the false discovery rate. Its random numbers have a fixed seed, so equal arguments give equal results.
 */
#ifndef CORE_SHOW_DIFF_STATISTICS_H
#define CORE_SHOW_DIFF_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* The chance that |t| >= @t, 0 and up. @df above 0; INFINITY: normal. Abramowitz and Stegun 26.5.27 and 26.7.1. */
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
/* B - A. With 2 runs or more per side: Welch, with at least half the sampling variance. Else: sampling variance alone. */
struct estimate difference_of(const struct side *a, const struct side *b);
/* B / A - 1, with an error from the first-order approximation. Its value is INFINITY if A is 0 and B is not. */
struct estimate ratio_of(const struct side *a, const struct side *b);

/* Half the interval's width of B / A - 1, for a B that varies like A. A has 2 runs or more. INFINITY: A's mean is 0. */
double noise_of(const struct side *a);

#define PERMUTATION_RUNS 5	/* on each side; with fewer a permutation test shows nothing */

/* The share of ways to divide the runs (all; if too many, random ones) in which means differ at least as much as A's and B's. */
double permutation_test(const struct side *a, const struct side *b);

/* Sets out[i] if row i is called changed: on average at most @share of these have not (Benjamini and Hochberg, 1995). */
void choose_changed(const double *p, size_t nr, double share, bool *out);

#endif
