/* The shares of a balance whose samples stand for more than was charged, or whose throttled time is longer than that. */
#include "core/perfdata/coverage.h"

#include "core/base/buf.h"
#include "tests/unit/check.h"

/* 1000 periods of 1 ms were charged. */
static void check(uint64_t samples, uint64_t counted_ns, const char *want)
{
	struct feature_coverage f = {
		.source = COVERAGE_RUSAGE, .charged_ns = 1000000000, .period_ns = 1000000, .samples = samples,
		.counted_ns = counted_ns,
	};
	struct buf out = {0};
	struct coverage b;

	CHECK(coverage_of(&b, &f, samples));
	coverage_put(&b, &out);
	CHECK_TEXT(buf_str(&out), want);
	buf_release(&out);
}

/* 321 of 1000 periods have samples. The counted losses and pauses are longer than the other 679. */
static void check_parts(uint64_t lost, uint64_t throttled_ns, uint64_t counted_ns, const char *want)
{
	struct feature_coverage f = {
		.source = COVERAGE_PROC_STAT, .charged_ns = 1000000000, .period_ns = 1000000, .samples = 321,
		.lost = lost, .throttled_ns = throttled_ns, .counted_ns = counted_ns,
	};
	struct buf out = {0};
	struct coverage b;

	CHECK(coverage_of(&b, &f, f.samples));
	coverage_put(&b, &out);
	CHECK_TEXT(buf_str(&out), want);
	CHECK(b.here + b.lost + b.throttled + b.unwritten + b.cut + b.unsampled + b.other < 100.001, "%s", buf_str(&out));
	buf_release(&out);
}

int main(void)
{
	check_parts(0, 3243000000, 0, "32.1 % of 1.00 s CPU is here; 67.9 % throttled");
	check_parts(20, 3243000000, 900000000, "32.1 % of 1.00 s CPU is here; 2.0 % lost, 65.9 % throttled");
	check_parts(900, 3243000000, 0, "32.1 % of 1.00 s CPU is here; 67.9 % lost");
	check_parts(0, 600000000, 0, "32.1 % of 1.00 s CPU is here; 60.0 % throttled, 7.9 % unexplained");
	check(1000, 1000000000, "100.0 % of 1.00 s CPU is here");
	/* Periods end luckily. */
	check(1008, 1000000000, "100.0 % of 1.00 s CPU is here");
	check(1008, 0, "100.0 % of 1.00 s CPU is here");
	/* The event counted more than was charged, and the samples are of that time. */
	check(1030, 1031000000, "100.0 % of 1.00 s CPU is here");
	check(1050, 1050000000, "100.0 % of 1.00 s CPU is here");
	/* More than the event counted; far more than was charged; not counted. */
	check(1030, 1020000000, "103.0 % of 1.00 s CPU is here");
	check(1200, 1200000000, "120.0 % of 1.00 s CPU is here");
	check(1030, 0, "103.0 % of 1.00 s CPU is here");
	/* Missing time is still reported. */
	check(980, 1030000000, "98.0 % of 1.00 s CPU is here; 2.0 % missed by the clock");
	check(980, 990000000, "98.0 % of 1.00 s CPU is here; 1.0 % missed by the clock, 1.0 % unexplained");
	return checks_done();
}
