/*
 * Compares the CPU time that the samples of a recording stand for with the time that the kernel charged to the recorded tasks.
 * Also computes how much of the difference each cause explains, such as lost samples or throttling.
 */
#include "core/perfdata/coverage.h"

#include "core/base/buf.h"

#define PERIODS_MIN	200	/* fewer periods of CPU time give no meaningful percentage */
#define LUCK_MAX	101.0	/* percent: the most that rounding to whole periods explains; more is shown as an error */
#define UNCHARGED_MAX	105.0	/* percent of the charged time: if the event counts more, uncharged time does not explain it */
#define SHOWN_MIN	0.05	/* percent: smaller shares would be printed as 0.0 */

/*
 * The share of the samples that are in charged time. If idle CPUs are recorded, too, some samples are in time that was not charged
 * to a task. The share is computed from the written samples, and assumed for the lost ones.
 */
static double busy_share(const struct feature_coverage *f)
{
	return f->samples ? 1 - (double)MIN(f->idle, f->samples) / (double)f->samples : 1;
}

/*
 * The percentage that counts as complete. An event also counts time that is not charged to its task: of interrupts, and time
 * taken by a hypervisor. So samples may be a little above the charged time, if they are not above the event's count.
 */
static double whole_of(const struct feature_coverage *f)
{
	double counted = 100 * (double)f->counted_ns * busy_share(f) / (double)f->charged_ns;

	return counted <= UNCHARGED_MAX ? MAX(counted, LUCK_MAX) : LUCK_MAX;
}

/*
 * Returns @share, but at most *@missing, and takes it from *@missing. Throttled time in which a task sleeps or a CPU is idle was
 * not charged, so its length says only how much may be missing.
 */
static double explained(double share, double *missing)
{
	double part = MIN(share, *missing);

	*missing -= part;
	return part;
}

bool coverage_of(struct coverage *out, const struct feature_coverage *f, uint64_t samples)
{
	double sample = f->charged_ns ? 100 * (double)f->period_ns * busy_share(f) / (double)f->charged_ns : 0;
	uint64_t cut = f->samples > samples ? f->samples - samples : 0;
	double missing;

	if (f->source == COVERAGE_UNKNOWN || !f->period_ns || f->charged_ns / f->period_ns < PERIODS_MIN)
		return false;
	*out = (struct coverage){
		.charged_s = (double)f->charged_ns / 1e9, .here = sample * (double)samples,
	};
	missing = MAX(100 - out->here, 0.0);
	out->lost = explained(sample * (double)f->lost, &missing);
	out->unwritten = explained(sample * (double)f->unwritten, &missing);
	out->cut = explained(sample * (double)cut, &missing);
	out->throttled = explained(100 * (double)f->throttled_ns / (double)f->charged_ns, &missing);
	if (f->counted_ns)
		out->unsampled = 100 * (double)f->counted_ns * busy_share(f) / (double)f->charged_ns - (100 - missing);
	out->unsampled = explained(MAX(out->unsampled, 0.0), &missing);
	out->other = missing;
	if (out->here <= whole_of(f))
		out->here = MIN(out->here, 100.0);
	return true;
}

void coverage_put(const struct coverage *b, struct buf *out)
{
	const struct { const char *name; double share; } missing[] = {
		{ "lost", b->lost }, { "throttled", b->throttled }, { "unwritten", b->unwritten }, { "cut", b->cut },
		{ "missed by the clock", b->unsampled }, { "unexplained", b->other },
	};
	const char *before = ";";

	buf_printf(out, "%.1f %% of %.2f s CPU is here", b->here, b->charged_s);
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		if (missing[i].share < SHOWN_MIN)
			continue;
		buf_printf(out, "%s %.1f %% %s", before, missing[i].share, missing[i].name);
		before = ",";
	}
}
