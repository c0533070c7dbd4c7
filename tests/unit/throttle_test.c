/* Throttled time is that of each thread's own records, and without what CPUs were idle in it. */
#include "core/record/loop/cpu_accounting.h"

#include "core/record/live/stats.h"
#include "core/record/loop/workload.h"
#include "core/record/open/event_set.h"
#include "core/perfdata/record.h"
#include "tests/unit/check.h"

#define MS	1000000ull
#define ID	5

struct throttle { struct record_header h; uint64_t time, id, stream; };

static struct throttle at(uint64_t ms, uint64_t stream, bool begins)
{
	uint32_t type = begins ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;

	return (struct throttle){ { .type = type, .size = sizeof(struct throttle) }, ms * MS, ID, stream };
}

static void make_set(struct event_set *set)
{
	struct event_attr clock = { .type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .sample_period = MS };

	event_table_add_id(&set->table, event_table_add(&set->table, &clock), ID);
	event_table_finish(&set->table);
}

/* A thread that inherited the event ends while it is throttled. Another is throttled for 3 ms, twice. */
static void check_threads(const struct event_set *set)
{
	struct throttle records[8] = {
		at(10, 1, true), at(1000, 2, true), at(1003, 2, false), at(2000, 2, true), at(2003, 2, false),
	};
	struct ring_span s = { (const uint8_t *)records, sizeof(records) - 1, 0, 5 * sizeof(records[0]) };
	struct stats t;

	stats_init(&t, &set->table, MAPPED_IDS_NONE);
	stats_watch_clock(&t, 0, false);
	stats_count(&t, &s, 0);
	CHECK(t.throttled == 3);
	CHECK(t.throttled_ns == 6 * MS, "%llu ns", (unsigned long long)t.throttled_ns);
	stats_release(&t);
}

/* Two CPUs for 1 s, of which they are busy for busy_ms. */
static void check_idle(const struct event_set *set, uint64_t busy_ms, uint64_t samples, uint64_t idle, uint64_t throttled_ms,
		       uint64_t want_ms)
{
	struct cpu_accounting c = { .source = COVERAGE_PROC_STAT, .all_ns = 2000 * MS, .busy_ns = busy_ms * MS };
	struct stats t = { .clock_counted = samples, .samples = samples, .clock_idle = idle, .throttled_ns = throttled_ms * MS };
	struct workload w = {0};
	struct feature_coverage f;

	cpu_accounting_coverage(&f, &c, set, &t, &w);
	CHECK((f.throttled_ns + MS / 2) / MS == want_ms, "%llu ns, not %llu ms", (unsigned long long)f.throttled_ns,
	      (unsigned long long)want_ms);
}

int main(void)
{
	struct event_set set = {0};

	make_set(&set);
	check_threads(&set);
	/* 1157 ms have samples, 1074 of them idle; of the 843 others, the CPUs were idle in 666. */
	check_idle(&set, 260, 1157, 1074, 843, 177);
	/* All throttled time was idle; all was busy; nothing was sampled. */
	check_idle(&set, 200, 1200, 1000, 800, 0);
	check_idle(&set, 2000, 500, 0, 1500, 1500);
	check_idle(&set, 260, 0, 0, 2000, 260);
	event_table_release(&set.table);
	return checks_done();
}
