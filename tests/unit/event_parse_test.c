/* The words of -e: what they become, and where errors are said to be. */
#include "core/record/events/event_parse.h"

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
	{ "cs,{cpu-clock,page-fautls}:S", 14, 25, "page-faults" },
	{ "{cs,faults", 10, 10, "'}'" },
	{ "cs/perid=5/", 3, 8, "period" },
	{ "cs/period=x/", 10, 11, "number" },
	{ "cs/period/", 3, 9, "needs a value" },
	{ "cs/period=/", 10, 10, "missing" },
	{ "cs/period=5", 11, 11, "'/'" },
	{ "cs/call-graph=dwarv/", 14, 19, "dwarf" },
	{ "cs/branch_type=any_cal/", 15, 22, "any_call" },
	{ "cs/cpu=x/", 7, 8, "CPU" },
	{ "cs:W", 3, 4, "groups" },
	{ "cs:uku", 5, 6, "before" },
	{ "mem:", 4, 4, "address" },
	{ "mem:0x10/", 9, 9, "length" },
	{ "mem:0x10/9:w", 9, 10, "1 to 8" },
	{ "mem:0x10:rwr", 9, 12, "once" },
	{ "mem:0x10:wz", 9, 10, "'w'" },
	{ "mem:0xxx:w", 4, 8, "neither" },
	{ "u:", 2, 2, "path" },
	{ "u:/bin/sh", 9, 9, "':'" },
	{ "u:/no/such/program:main", 2, 18, "No such file" },
	{ "kprobe:", 7, 7, "function" },
	{ "p:", 2, 2, "function" },
	{ "r:,cs", 2, 2, "function" },
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

/* Which group each of a list is in, and what is asked for each. */
static void test_groups(void)
{
	static const char text[] = "cs,{faults:u,cpu-clock}:kS,dummy,two{cs,faults}:D,{cs}:u";
	static const unsigned groups[] = { 0, 1, 1, 0, 2, 2, 0 };
	struct event_requests r = {0};
	struct event_error err = {0};

	check(!event_parse(&r, text, &err) && r.list.nr == ARRAY_SIZE(groups), text, "was refused");
	for (size_t i = 0; i < r.list.nr; i++)
		check(r.list.v[i].group == groups[i], text, "a group is another");
	check(r.list.nr == 7 && r.list.v[1].sampled_read && r.list.v[2].sampled_read && !r.list.v[3].sampled_read, text, "S");
	check(r.list.nr == 7 && !r.list.v[1].attr.exclude_user && !r.list.v[1].attr.exclude_kernel &&
	      r.list.v[2].attr.exclude_user, text, "levels of events and groups add up");
	check(r.list.nr == 7 && r.list.v[4].attr.pinned && !r.list.v[5].attr.pinned, text, "D is the leader's");
	check(r.list.nr == 7 && r.list.v[4].group_name && !strcmp(r.list.v[4].group_name, "two"), text, "the group's name");
	check(!event_parse(&r, "{cs,faults}", &err) && r.list.nr == 9 && r.list.v[8].group > 2, text, "a second -e");
	event_requests_release(&r);
}

static void test_breakpoints(void)
{
	static const char text[] = "mem:0x1000/8:w,mem:counter+0x8:x:u,mem:step:u,cs/period=7,name=seven/";
	struct event_requests r = {0};
	struct event_error err = {0};
	const struct event_request *v;

	check(!event_parse(&r, text, &err) && r.list.nr == 4, text, "was refused");
	v = r.list.v;
	if (r.list.nr == 4) {
		check(v[0].attr.bp_addr == 0x1000 && v[0].attr.bp_len == 8 && v[0].attr.bp_type == 2 && !v[0].symbol, text, "w");
		check(v[1].symbol && !strcmp(v[1].symbol, "counter") && v[1].symbol_offset == 8 && v[1].attr.bp_type == 4 &&
		      v[1].attr.exclude_kernel, text, "a symbol, executed");
		check(v[2].symbol && v[2].attr.bp_type == 3 && v[2].attr.exclude_kernel, text, "modifiers without an access");
		check(v[3].terms.given & TERM_PERIOD && v[3].terms.period == 7 && !strcmp(v[3].name, "seven"), text, "terms");
	}
	event_requests_release(&r);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		test_good(&goods[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++)
		test_bad(&bads[i]);
	test_list();
	test_groups();
	test_breakpoints();
	return failures != 0;
}
