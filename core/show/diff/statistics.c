/*
 * Implements the statistics of prec diff (statistics.h): Student's t distribution, Welch's confidence intervals, the permutation
 * test, and the choice of significant rows by the method of Benjamini and Hochberg.
 */
#include "core/show/diff/statistics.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/util.h"

/* ---- Student's t ---- */

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), from the front (Lentz). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	h = d;
	for (int m = 1; m <= 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		for (int i = 0; i < 2; i++) {
			double term = i ? odd : even;

			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			step = c * d;
			h *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* I_x(a, b) */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double t_two_sided(double t, double df)
{
	if (isinf(t))
		return 0;
	return isinf(df) ? erfc(t / M_SQRT2) : incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double t_limit(double p, double df)
{
	double low = 0, high = 1;

	while (t_two_sided(high, df) > p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		*(t_two_sided(middle, df) > p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* ---- two sides ---- */

double mean_of(const double *v, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += v[i];
	return nr ? sum / (double)nr : 0;
}

static double variance_of(const struct side *s)
{
	double mean = mean_of(s->v, s->nr), sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		sum += (s->v[i] - mean) * (s->v[i] - mean);
	return sum / (double)(s->nr - 1);
}

/*
 * Returns the variance of the mean, and its degrees of freedom in *df. @runs: it comes from the variation of the runs, else from
 * sampling alone (*df INFINITY). A few runs that are alike by chance have a variance that is too small, so it is at least half the
 * sampling variance, which is an overestimate itself.
 */
static double variance_of_mean(const struct side *s, bool runs, double *df)
{
	*df = runs ? (double)(s->nr - 1) : INFINITY;
	return (runs ? MAX(variance_of(s), s->sampling / 2) : s->sampling) / (double)s->nr;
}

/* Makes an estimate of @value, a difference of two parts with the variances @va and @vb. */
static struct estimate estimate_of(double value, double va, double df_a, double vb, double df_b)
{
	struct estimate e = { .value = value };
	double v = va + vb, error = sqrt(v), df;

	if (!(v > 0)) {
		e.p = value != 0 ? 0 : 1;
		return e;
	}
	/* Welch and Satterthwaite: x * x / INFINITY is 0, and 1 / 0 INFINITY. */
	df = v * v / (va * va / df_a + vb * vb / df_b);
	e.error = t_limit(1 - LEVEL, df) * error;
	e.p = t_two_sided(fabs(value) / error, df);
	return e;
}

struct estimate difference_of(const struct side *a, const struct side *b)
{
	bool runs = a->nr > 1 && b->nr > 1;
	double df_a, df_b, va = variance_of_mean(a, runs, &df_a), vb = variance_of_mean(b, runs, &df_b);

	return estimate_of(mean_of(b->v, b->nr) - mean_of(a->v, a->nr), va, df_a, vb, df_b);
}

struct estimate ratio_of(const struct side *a, const struct side *b)
{
	bool runs = a->nr > 1 && b->nr > 1;
	double ma = mean_of(a->v, a->nr), mb = mean_of(b->v, b->nr), ratio = mb / ma;
	double df_a, df_b, va = variance_of_mean(a, runs, &df_a), vb = variance_of_mean(b, runs, &df_b);

	if (!(ma > 0))
		return (struct estimate){ mb > 0 ? INFINITY : 0, INFINITY, 1 };
	return estimate_of(ratio - 1, ratio * ratio * va / (ma * ma), df_a, vb / (ma * ma), df_b);
}

/* The spread is estimated from A alone, with its degrees of freedom. */
double noise_of(const struct side *a)
{
	double mean = mean_of(a->v, a->nr), df, v = variance_of_mean(a, true, &df);

	return mean > 0 ? t_limit(1 - LEVEL, df) * sqrt(2 * v) / mean : INFINITY;
}

/* ---- permutations ---- */

#define MOST_WAYS 20000	/* if there are more ways, as many random ones are counted */

struct permutation_test {
	const double *v;	/* the values of all runs, those of A first */
	size_t nr, nr_a;
	double total, seen;	/* .total: the sum of all values; .seen: the distance of the means of A and B */
	uint64_t nr_splits, as_far;
};

static void count_split(struct permutation_test *t, double sum_a)
{
	double apart = fabs((t->total - sum_a) / (double)(t->nr - t->nr_a) - sum_a / (double)t->nr_a);

	t->nr_splits++;
	/* Sums in another order differ in their last bits. */
	t->as_far += apart >= t->seen - 1e-9 * fabs(t->total);
}

/* Counts all ways to choose @wanted of the values with index @from or more. @sum: the sum of those already chosen. */
static void deal_all(struct permutation_test *t, size_t from, size_t wanted, double sum)
{
	if (!wanted) {
		count_split(t, sum);
		return;
	}
	for (size_t i = from; i + wanted <= t->nr; i++)
		deal_all(t, i + 1, wanted - 1, sum + t->v[i]);
}

/* xorshift64*, Marsaglia (2003) and Vigna (2016). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static void deal_some(struct permutation_test *t, double *v)
{
	uint64_t state = 1;

	t->as_far = t->nr_splits = 1;	/* the real division into A and B is a way, too */
	for (unsigned way = 1; way < MOST_WAYS; way++) {
		double sum = 0;

		for (size_t i = 0; i < t->nr_a; i++) {
			size_t j = i + next_random(&state) % (t->nr - i);
			double taken = v[j];

			v[j] = v[i];
			v[i] = taken;
			sum += taken;
		}
		count_split(t, sum);
	}
}

static double splits_of(size_t nr, size_t wanted)
{
	double ways = 1;

	for (size_t i = 1; i <= wanted; i++)
		ways = ways * (double)(nr - wanted + i) / (double)i;
	return ways;
}

double permutation_test(const struct side *a, const struct side *b)
{
	size_t nr = a->nr + b->nr;
	double *v = xmalloc(MAX(nr, 1) * sizeof(*v)), p;
	struct permutation_test t = { .v = v, .nr = nr, .nr_a = a->nr };

	for (size_t i = 0; i < nr; i++)
		t.total += v[i] = i < a->nr ? a->v[i] : b->v[i - a->nr];
	t.seen = fabs(mean_of(a->v, a->nr) - mean_of(b->v, b->nr));
	if (splits_of(nr, a->nr) <= MOST_WAYS)
		deal_all(&t, 0, a->nr, 0);
	else
		deal_some(&t, v);
	p = (double)t.as_far / (double)t.nr_splits;
	free(v);
	return p;
}

/* ---- many rows ---- */

ORDER(compare_doubles, double, compare_numbers(*a, *b))

void choose_changed(const double *p, size_t nr, double share, bool *out)
{
	double *sorted = xmalloc(MAX(nr, 1) * sizeof(*sorted)), limit = -1;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = p[i];
	qsort(sorted, nr, sizeof(*sorted), compare_doubles);
	for (size_t i = 0; i < nr; i++)
		if (sorted[i] <= share * (double)(i + 1) / (double)nr)
			limit = sorted[i];
	for (size_t i = 0; i < nr; i++)
		out[i] = p[i] <= limit;
	free(sorted);
}
