/* The words of -e: what they become, and where errors are said to be. */
#include "core/events/event_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *text, const char *what)
{
	if (ok)
		return;
	printf("'%s': %s\n", text, what);
	failures++;
}

/* exclude: u k h bits of what is left out; in the order user, kernel, hv. */
struct good {
	const char *text;
	uint32_t type;
	uint64_t config;
	unsigned exclude, precise;
	bool precise_max;
};

#define U 1u
#define K 2u
#define H 4u

static const struct good goods[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0, false },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, 0, false },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0, false },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0, false },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0, 0, false },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0, 0, false },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 0, 0, false },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0, 0, false },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 0, 0, false },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, 0, 0, false },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0, false },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, 0, 0, false },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11, 0, 0, false },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false },
	{ "cpu-cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, K | H, 0, false },
	{ "cycles:ukh", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false },
	{ "cycles:ku", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, H, 0, false },
	{ "cycles:h", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, U | K, 0, false },
	{ "instructions:pp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 2, false },
	{ "instructions:upppk", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, H, 3, false },
	{ "cycles:P", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, true },
	{ "r1a8", PERF_TYPE_RAW, 0x1a8, 0, 0, false },
	{ "rffffffffffffffff:k", PERF_TYPE_RAW, UINT64_MAX, U | H, 0, false },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, 0, 0, false },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, 2 | 1 << 8 | 1 << 16, 0, 0, false },
	{ "dTLB-load-misses:u", PERF_TYPE_HW_CACHE, 3 | 1 << 16, K | H, 0, false },
};

static void test_good(const struct good *g)
{
	struct event_requests r = {0};
	struct event_error err = {0};
	const struct event_attr *a;

	if (event_parse(&r, g->text, &err) || r.list.nr != 1) {
		check(false, g->text, err.what ? err.what : "not one event");
		free(err.what);
		event_requests_release(&r);
		return;
	}
	a = &r.list.v[0].attr;
	check(a->type == g->type && a->config == g->config, g->text, "type or config");
	check((a->exclude_user * U | a->exclude_kernel * K | a->exclude_hv * H) == g->exclude, g->text, "levels");
	check(a->precise_ip == g->precise && r.list.v[0].precise_max == g->precise_max, g->text, "precision");
	check(!strcmp(r.list.v[0].name, g->text), g->text, "the name is not as it was written");
	event_requests_release(&r);
}

static const struct bad { const char *text; size_t from, to; const char *says; } bads[] = {
	{ "", 0, 0, "missing" },
	{ ",", 0, 1, "missing" },
	{ "cs,", 3, 3, "missing" },
	{ "cs,,faults", 3, 4, "missing" },
	{ "cycels", 0, 6, "cycles" },
	{ "faults,cpu-clok:u", 7, 15, "cpu-clock" },
	{ "cs:", 3, 3, "modifiers" },
	{ "cs:uq", 4, 5, "'q'" },
	{ "cs:pppp", 6, 7, "three" },
	{ "cs:u:k", 5, 6, "follow" },
	{ "cs/x/", 3, 4, "unknown term" },
	{ "r", 0, 1, "unknown" },
	{ "rxyz", 0, 4, "unknown" },
	{ "r11223344556677889", 0, 18, "unknown" },
	{ "L1-dcache-sleeps", 0, 16, "unknown" },
};

static void test_bad(const struct bad *b)
{
	struct event_requests r = {0};
	struct event_error err = {0};

	check(!event_parse(&r, "cs", &err), "cs", "first event");
	if (!event_parse(&r, b->text, &err)) {
		check(false, b->text, "was accepted");
	} else {
		check(err.from == b->from && err.to == b->to, b->text, "the error is said to be elsewhere");
		check(strstr(err.what, b->says), b->text, err.what);
		check(r.list.nr == 1, b->text, "an error changed the list");
	}
	free(err.what);
	event_requests_release(&r);
}

static void test_list(void)
{
	static const char text[] = "cs, faults:u,r10:k,cpu-clock";
	struct event_requests r = {0};
	struct event_error err = {0};

	check(!event_parse(&r, text, &err), text, "was refused");
	check(!event_parse(&r, "dummy", &err), "dummy", "was refused");
	check(r.list.nr == 5, text, "not all events are there");
	check(r.list.nr == 5 && !strcmp(r.list.v[1].name, "faults:u") && !strcmp(r.list.v[4].name, "dummy"), text, "names");
	event_requests_release(&r);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		test_good(&goods[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++)
		test_bad(&bads[i]);
	test_list();
	return failures != 0;
}
