/* Names of vendors give the codes of their manuals, for PMUs that this machine does not have; skipped without libpfm4. */
#include "core/record/events/vendor_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/util.h"
#include "core/record/events/event_parse.h"
#include "tests/unit/check.h"

#define SKIPPED	77
#define OTHER	1	/* of a child: it failed */

static const struct { const char *pmu, *name; uint64_t config, config1; } rows[] = {
#include "tests/unit/vendor_event_rows.h"
};

static struct word word_of(const char *s)
{
	return (struct word){ .s = s, .n = strlen(s) };
}

/* The words of -e, with what the language itself has. */
static void check_parsed(const char *text, uint64_t config, bool without_kernel)
{
	struct event_requests all = {0};
	struct event_error err = {0};

	CHECK(!event_parse(&all, text, &err) && all.list.nr == 1, "%s: %s", text, err.what ? err.what : "");
	if (all.list.nr == 1)
		CHECK(all.list.v[0].attr.config == config && all.list.v[0].attr.exclude_kernel == without_kernel, "%s", text);
	event_requests_release(&all);
	free(err.what);
}

/* The library looks at its environment once. */
static void check_pmu(const char *pmu)
{
	struct event_attr attr = {0};

	setenv("LIBPFM_FORCE_PMU", pmu, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_eq(rows[i].pmu, pmu))
			CHECK(vendor_event_find(word_of(rows[i].name), NULL, &attr) && attr.config == rows[i].config &&
			      attr.config1 == rows[i].config1, "%s: %s is %#llx, %#llx", pmu, rows[i].name,
			      (unsigned long long)attr.config, (unsigned long long)attr.config1);
	CHECK(!vendor_event_find(word_of("no_such.thing"), NULL, &attr));
	CHECK(!vendor_event_find(word_of("perf::CYCLES"), NULL, &attr));
	CHECK(!vendor_event_find(word_of("PERF_COUNT_HW_CPU_CYCLES"), NULL, &attr), "the kernel's own names are not a vendor's");
	if (str_eq(pmu, "skl")) {
		check_parsed("l2_rqsts.miss", 0x3f24, false);
		check_parsed("l2_rqsts.miss:u", 0x3f24, true);
		check_parsed("L2_RQSTS:MISS", 0x3f24, false);
		check_parsed("L2_RQSTS:MISS:u", 0x3f24, true);
		check_parsed("UOPS_RETIRED:STALL_CYCLES", 0x18002c2, false);
	}
}

static bool is_built_without(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		setenv("LIBPFM_FORCE_PMU", rows[0].pmu, 1);
		_exit(vendor_event_find(word_of(rows[0].name), NULL, NULL) ? 0 : OTHER);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

/* Of a hybrid machine each kind of CPU has codes of its own, and names that the other lacks. */
static void check_hybrid(void)
{
	static const struct { const char *name; uint64_t core, atom; } both[] = {	/* 0: unknown */
		{ "l2_rqsts.miss", 0x3f24, 0 }, { "mem_bound_stalls.load", 0, 0x734 }, { "topdown_fe_bound.all", 0, 0x71 },
		{ "inst_retired.any", 0xc0, 0xc0 }, { "mem_load_uops_retired.l2_hit", 0, 0x2d1 },
		{ "mem_load_retired.l2_hit", 0x2d1, 0 }, { "br_misp_retired.all_branches", 0xc5, 0xc5 },
	};

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (!vendor_event_find(word_of("mem_bound_stalls.load"), "cpu_atom", NULL)) {
		puts("hybrid machines: libpfm4 has no tables of them");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct event_attr core = {0}, atom = {0};
		bool on_core = vendor_event_find(word_of(both[i].name), "cpu_core", &core);
		bool on_atom = vendor_event_find(word_of(both[i].name), "cpu_atom", &atom);

		CHECK(on_core == !!both[i].core && on_atom == !!both[i].atom && core.config == both[i].core &&
		      atom.config == both[i].atom, "%s: %#llx, %#llx", both[i].name, (unsigned long long)core.config,
		      (unsigned long long)atom.config);
	}
	printf("%zu names of two kinds of CPU\n", ARRAY_SIZE(both));
}

int main(void)
{
	unsigned nr = 0;

	if (is_built_without()) {
		puts("built without libpfm4, or it has no tables of this architecture");
		return SKIPPED;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int status = 0;
		pid_t pid;

		if (i && str_eq(rows[i].pmu, rows[i - 1].pmu))
			continue;
		pid = fork();
		if (!pid) {
			check_pmu(rows[i].pmu);
			fflush(stdout);
			_exit(nr_failed ? OTHER : 0);
		}
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "%s", rows[i].pmu);
		nr++;
	}
	check_hybrid();
	printf("%zu names of %u PMUs\n", ARRAY_SIZE(rows), nr);
	return nr_failed != 0;
}
