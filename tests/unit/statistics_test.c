/* Quantiles are those of printed tables, intervals hold the truth as often as they say, few rows are called changed wrongly. */
#include "core/show/diff/statistics.h"

#include <math.h>

#include "tests/unit/check.h"

static void check_near(const char *what, double got, double want, double within)
{
	CHECK(fabs(got - want) <= within, "%s: %.6f, not %.6f", what, got, want);
}

/* Two-sided 95 % and 99 % limits: Abramowitz and Stegun, table 26.10. */
static void check_quantiles(void)
{
	static const struct { double df, at_5, at_1; } rows[] = {
		{ 1, 12.706, 63.657 }, { 2, 4.303, 9.925 }, { 3, 3.182, 5.841 }, { 4, 2.776, 4.604 }, { 5, 2.571, 4.032 },
		{ 8, 2.306, 3.355 }, { 10, 2.228, 3.169 }, { 30, 2.042, 2.750 }, { 120, 1.980, 2.617 }, { INFINITY, 1.960, 2.576 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		check_near("5 %", t_limit(0.05, rows[i].df), rows[i].at_5, 0.0006);
		check_near("1 %", t_limit(0.01, rows[i].df), rows[i].at_1, 0.0006);
		check_near("there and back", t_two_sided(t_limit(0.02, rows[i].df), rows[i].df), 0.02, 1e-9);
	}
	/* With one degree of freedom it is Cauchy's: P(|t| > 1) = 1/2. With two: 1 - t / sqrt(2 + t * t). */
	check_near("Cauchy", t_two_sided(1, 1), 0.5, 1e-12);
	check_near("two", t_two_sided(2, 2), 1 - 2 / sqrt(6), 1e-12);
	check_near("no difference", t_two_sided(0, 7), 1, 1e-12);
}

/* Welch's own case, by hand: means 20 and 22, variances 4 and 16 of 4 runs each. */
static void check_welch(void)
{
	const double low = sqrt(3), a[] = { 20 - low, 20 - low, 20 + low, 20 + low };
	const double b[] = { 22 - 2 * low, 22 - 2 * low, 22 + 2 * low, 22 + 2 * low };
	struct side sa = { a, 4, 0 }, sb = { b, 4, 0 };
	struct estimate e = difference_of(&sa, &sb), ratio = ratio_of(&sa, &sb);
	double df = 25 / (1.0 / 3 + 16.0 / 3);

	check_near("difference", e.value, 2, 1e-12);
	check_near("its error", e.error, t_limit(0.05, df) * sqrt(5), 1e-9);
	check_near("its chance", e.p, t_two_sided(2 / sqrt(5), df), 1e-12);
	check_near("ratio", ratio.value, 0.1, 1e-12);
	sa.sampling = sb.sampling = 100;
	check_near("never below half of what sampling makes", difference_of(&sa, &sb).error, t_limit(0.05, 6) * sqrt(25), 1e-9);
	sa.nr = 1;
	check_near("one run: sampling alone", difference_of(&sa, &sb).error, t_limit(0.05, INFINITY) * sqrt(125), 1e-9);
}

static void check_exact(void)
{
	const double a[] = { 5, 5 }, b[] = { 5, 5 }, c[] = { 6, 6 };

	CHECK(difference_of(&(struct side){ a, 2, 0 }, &(struct side){ b, 2, 0 }).p == 1);
	CHECK(difference_of(&(struct side){ a, 2, 0 }, &(struct side){ c, 2, 0 }).p == 0);
	CHECK(isinf(ratio_of(&(struct side){ (double[]){ 0 }, 1, 0 }, &(struct side){ c, 1, 0 }).value));
}

static void check_permutations(void)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 11, 12, 13, 14, 15 };
	struct side sa = { a, 5, 0 }, sb = { b, 5, 0 };
	double many_a[12], many_b[12];

	/* Two of the 252 ways are as far apart. */
	check_near("apart", permutation_test(&sa, &sb), 2.0 / 252, 1e-12);
	check_near("the same", permutation_test(&sa, &sa), 1, 1e-12);
	for (size_t i = 0; i < ARRAY_SIZE(many_a); i++) {
		many_a[i] = (double)i;
		many_b[i] = (double)i + 100;
	}
	/* 2.7 million ways, two of which: drawn ones. */
	CHECK(permutation_test(&(struct side){ many_a, 12, 0 }, &(struct side){ many_b, 12, 0 }) < 0.001);
}

/* The example of Benjamini and Hochberg (1995), section 3.2: at 5 % the four smallest of fifteen. */
static void check_false_share(void)
{
	static const double p[] = { 0.0278, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
				    0.5719, 0.6528, 0.7590, 1.0000 };
	bool out[ARRAY_SIZE(p)];

	choose_changed(p, ARRAY_SIZE(p), 0.05, out);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		CHECK(out[i] == (p[i] <= 0.0095), "p %g", p[i]);
	choose_changed(p, 0, 0.05, out);
}

/* Normal enough: the sum of twelve. */
static double draw(uint64_t *seed, double mean, double deviation)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(random_u64(seed) >> 11) / 9007199254740992.0;
	return mean + deviation * sum;
}

static struct estimate draw_difference(uint64_t *seed, unsigned runs, double difference)
{
	double a[16], b[16];

	for (unsigned i = 0; i < runs; i++) {
		a[i] = draw(seed, 100, 3);
		b[i] = draw(seed, 100 + difference, 6);
	}
	return difference_of(&(struct side){ a, runs, 0 }, &(struct side){ b, runs, 0 });
}

/* The seed is fixed: so are the counts. Three standard deviations of 20,000 draws are half a percent. */
static void check_coverage(void)
{
	uint64_t seed = 11;

	for (unsigned runs = 3; runs <= 15; runs += 4) {
		unsigned held = 0;

		for (unsigned i = 0; i < 20000; i++) {
			struct estimate e = draw_difference(&seed, runs, 5);

			held += fabs(e.value - 5) <= e.error;
		}
		check_near("held", held / 20000.0, 0.95, 0.008);
	}
}

/* Two sides that are alike are as near to each other as the runs of one say, 19 times of 20. */
static void check_noise(void)
{
	const double a[] = { 8, 12 }, none[] = { 0, 0 };
	uint64_t seed = 3;

	/* t of 1 degree of freedom, variance 8: 12.706 * sqrt(2 * 8 / 2) / 10 */
	check_near("by hand", noise_of(&(struct side){ a, 2, 0 }), 12.7062 * sqrt(8) / 10, 1e-4);
	check_near("never below what sampling makes", noise_of(&(struct side){ a, 2, 64 }), 12.7062 * sqrt(32) / 10, 1e-4);
	CHECK(isinf(noise_of(&(struct side){ none, 2, 0 })));
	for (unsigned runs = 4; runs <= 10; runs += 2) {
		unsigned within = 0;

		for (unsigned i = 0; i < 10000; i++) {
			double v[2][10];

			for (unsigned k = 0; k < 2 * runs; k++)
				v[k / runs][k % runs] = draw(&seed, 100, 3);
			within += fabs(mean_of(v[1], runs) / mean_of(v[0], runs) - 1) <= noise_of(&(struct side){ v[0], runs, 0 });
		}
		CHECK(within >= 9400 && within <= 9600, "%u runs: within %u of 10000", runs, within);
	}
}

/* Tables of forty rows, four of them changed: the share of false ones among those that are called changed. */
static void check_tables(void)
{
	uint64_t seed = 12;
	double share = 0;
	unsigned found = 0;

	for (unsigned table = 0; table < 1000; table++) {
		unsigned wrong = 0, called = 0;
		bool changed[40];
		double p[40];

		for (unsigned i = 0; i < 40; i++)
			p[i] = draw_difference(&seed, 5, i < 4 ? 20 : 0).p;
		choose_changed(p, 40, FALSE_SHARE, changed);
		for (unsigned i = 0; i < 40; i++) {
			called += changed[i];
			wrong += changed[i] && i >= 4;
			found += changed[i] && i < 4;
		}
		share += called ? (double)wrong / called : 0;
	}
	CHECK(share / 1000 <= FALSE_SHARE, "of those called changed %.2f %% are not", share / 10);
	CHECK(found > 2000, "only %u of 4000 are found", found);
}

int main(void)
{
	check_quantiles();
	check_welch();
	check_exact();
	check_permutations();
	check_false_share();
	check_coverage();
	check_noise();
	check_tables();
	return checks_done();
}
