/* Options to attrs: what each bit follows from, and what must not be set together. */
#include "core/record/open/sampling.h"

#include <stdio.h>

static int failures;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	printf("%s\n", what);
	failures++;
}

static struct event_attr attr_of(uint32_t type, uint64_t config, struct sampling_opts o)
{
	struct event_request r = { .attr = { .type = type, .config = config } };

	return sampling_attr(&r, &r, &o);
}

static struct event_attr faults(struct sampling_opts o)
{
	return attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, o);
}

static bool has(const struct event_attr *a, uint64_t bits)
{
	return (a->sample_type & bits) == bits;
}

/* perf_swevent_event() samples every hit of a software event that has PERIOD and no frequency. */
static void test_period_bit(void)
{
	struct event_attr a;

	a = faults((struct sampling_opts){ .freq = 4000 });
	check(a.freq && a.sample_freq == 4000 && has(&a, PERF_SAMPLE_PERIOD), "by frequency: a period in each sample");
	a = faults((struct sampling_opts){ .freq = 4000, .no_period = true });
	check(a.freq && !has(&a, PERF_SAMPLE_PERIOD), "by frequency, --no-period");
	a = faults((struct sampling_opts){ .period = 7, .period_bit = true });
	check(!a.freq && a.sample_period == 7 && !has(&a, PERF_SAMPLE_PERIOD), "-c 7 -P: every hit would be sampled");
	a = faults((struct sampling_opts){ .period = 1, .period_bit = true });
	check(has(&a, PERF_SAMPLE_PERIOD), "-c 1 -P");
	a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, (struct sampling_opts){ .period = 7, .period_bit = true });
	check(has(&a, PERF_SAMPLE_PERIOD), "a counter with -c 7 -P");
	a = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, (struct sampling_opts){ .period = 7 });
	check(!has(&a, PERF_SAMPLE_PERIOD), "a counter with -c 7");
}

static void test_clock_floor(void)
{
	struct event_attr a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, (struct sampling_opts){ .period = 5000 });

	check(a.sample_period == 10000, "cpu-clock below 10 us");
	a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, (struct sampling_opts){ .period = 20000 });
	check(a.sample_period == 20000, "task-clock above 10 us");
	a = faults((struct sampling_opts){ .period = 5 });
	check(a.sample_period == 5, "no clock, no floor");
}

static void test_levels(void)
{
	struct event_attr a = faults((struct sampling_opts){ .freq = 1, .all_user = true });

	check(!a.exclude_user && a.exclude_kernel && a.exclude_hv, "--all-user");
	a = faults((struct sampling_opts){ .freq = 1, .all_kernel = true });
	check(a.exclude_user && !a.exclude_kernel && a.exclude_hv, "--all-kernel");
}

/* One layout for all trailers: the bits that decide it must be those of the samples. */
static void test_side_band(void)
{
	const uint64_t id_bits = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER;

	for (unsigned i = 0; i < 8; i++) {
		struct sampling_opts o = {
			.freq = 100, .no_time = i & 1, .cpu = i & 2, .inherit = i & 4, .use_clockid = i & 1, .clockid = 1,
		};
		struct event_attr a = faults(o), s = side_band_attr(&o, i & 4);

		check((a.sample_type & id_bits) == (s.sample_type & id_bits), "trailers differ");
		check(a.read_format == s.read_format, "read formats differ");
		check(a.use_clockid == s.use_clockid && a.clockid == s.clockid, "clocks differ: no common ring");
		check(a.inherit == s.inherit, "inheritance differs");
		check(s.mmap && s.mmap2 && s.comm && s.comm_exec && s.task && s.build_id, "side band is not all on");
		check(!a.mmap && !a.mmap2 && !a.comm && !a.task, "side band is on the samples");
		check(s.disabled == s.enable_on_exec && s.disabled == !!(i & 4), "side band begins at the wrong time");
		check(a.disabled && a.sample_id_all && s.sample_id_all, "events are opened disabled");
		check(a.watermark && s.watermark, "wake-ups by events, not by bytes");
		o.switches = true;
		check(side_band_attr(&o, false).context_switch, "no switches");
		o.side_band_apart = true;
		s = side_band_attr(&o, false);
		check(s.wakeup_watermark == 1 && !s.context_switch, "switches wake the reader of maps");
		s = switches_attr(&o, i & 4);
		check(s.context_switch && !s.mmap && !s.task && s.enable_on_exec == !!(i & 4), "switches");
		check(s.wakeup_watermark != 1, "each switch wakes");
	}
}

static void test_bits(void)
{
	struct event_attr a = faults((struct sampling_opts){ .freq = 1, .chain = CHAIN_FP, .addr = true, .raw = true, .read = true,
							     .inherit = true, .no_user_chain = true, .max_stack = 9 });

	check(has(&a, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_RAW), "-g -d -R");
	check(a.exclude_callchain_user && !a.exclude_callchain_kernel && a.sample_max_stack == 9, "chains");
	check(a.inherit_stat && a.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING, "-s");
	a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, (struct sampling_opts){ .freq = 4000 });
	check(!a.freq && a.sample_period == 1 && has(&a, PERF_SAMPLE_RAW), "bpf-output is a message each");
	a = faults((struct sampling_opts){ .freq = 1, .no_samples = true });
	check(!a.freq && !a.sample_period, "-n");
}

int main(void)
{
	test_period_bit();
	test_clock_floor();
	test_levels();
	test_side_band();
	test_bits();
	return failures != 0;
}
