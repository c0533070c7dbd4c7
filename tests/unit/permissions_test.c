/* Refusals: the knob, its value and the least that would work are named; and what is tried next is what helps. */
#include "core/record/events/permissions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/perfdata/attr.h"
#include "core/record/open/event_open.h"

static int failures;

static void check(bool ok, const char *name, const char *what)
{
	if (ok)
		return;
	printf("%s: %s\n", name, what);
	failures++;
}

static const struct {
	const char *name;
	struct permission_facts facts;
	struct event_attr attr;
	pid_t pid;
	int err;
	const char *says[3];
} refusals[] = {
	{ "all CPUs", { .paranoid = 2, .has_paranoid = true }, {0}, -1, EACCES,
	  { "perf_event_paranoid=0", "that is 2", "CAP_PERFMON" } },
	{ "the kernel", { .paranoid = 2, .has_paranoid = true }, {0}, 7, EACCES, { "perf_event_paranoid=1", "':u'", "that is 2" } },
	{ "anything", { .paranoid = 4, .has_paranoid = true }, { .exclude_kernel = 1 }, 7, EACCES,
	  { "perf_event_paranoid=2", "that is 4", NULL } },
	{ "another's", { .paranoid = 2, .has_paranoid = true, .foreign = true }, { .exclude_kernel = 1 }, 7, EACCES,
	  { "process 7", "CAP_SYS_PTRACE", NULL } },
	{ "another's, and strict", { .paranoid = 4, .has_paranoid = true, .foreign = true }, {0}, 7, EACCES,
	  { "process 7", "another user's", "CAP_SYS_PTRACE" } },
	{ "a probe in a program", { .paranoid = 2, .has_paranoid = true, .probes = { 8, 9 } },
	  { .type = 9, .exclude_kernel = 1 }, 7, EACCES,
	  { "a probe needs CAP_PERFMON", "whatever kernel.perf_event_paranoid is", "as root" } },
	{ "a probe in the kernel", { .paranoid = 2, .has_paranoid = true, .probes = { 8, 9 }, .foreign = true }, { .type = 8 }, -1,
	  EACCES, { "a probe needs CAP_PERFMON", NULL, NULL } },
	{ "a probe, with rights", { .paranoid = 2, .perfmon = true, .probes = { 8, 9 }, .lockdown = true },
	  { .type = 8 }, -1, EPERM,
	  { "locked down", NULL, NULL } },
	{ "no probe", { .paranoid = 2, .has_paranoid = true }, { .type = 9 }, -1, EACCES, { "perf_event_paranoid=0", NULL, NULL } },
	{ "container", { .paranoid = -1, .has_paranoid = true, .perfmon = true, .seccomp = true }, {0}, -1, EPERM,
	  { "seccomp", NULL, NULL } },
	{ "lockdown", { .paranoid = -1, .perfmon = true, .lockdown = true }, {0}, -1, EPERM, { "locked down", NULL, NULL } },
	{ "no perf", {0}, {0}, 7, ENOSYS, { "without perf events", NULL, NULL } },
	{ "files", { .max_files = 1024 }, {0}, 7, EMFILE, { "1024", "ulimit -n", NULL } },
	{ "all files", {0}, {0}, 7, ENFILE, { "fs.file-max", NULL, NULL } },
	{ "memory", {0}, {0}, 7, ENOMEM, { "no memory", NULL, NULL } },
	{ "breakpoints", {0}, { .type = PERF_TYPE_BREAKPOINT }, 7, ENOSPC, { "debug registers", NULL, NULL } },
	{ "chains", { .max_stack = 64 }, { .sample_max_stack = 100 }, 7, EOVERFLOW,
	  { "perf_event_max_stack", "64", "100" } },
	{ "old kernel", {0}, {0}, 7, E2BIG, { "too old", NULL, NULL } },
	{ "gone", {0}, {0}, 7, ESRCH, { "process 7", NULL, NULL } },
	{ "no counter", {0}, { .type = PERF_TYPE_HARDWARE }, 7, ENOENT, { "cpu-clock", NULL, NULL } },
};

static void test_refusals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct buf b = {0};

		permission_explain(&b, &refusals[i].facts, &refusals[i].attr, refusals[i].pid, -1, refusals[i].err);
		for (size_t k = 0; k < 3 && refusals[i].says[k]; k++)
			check(strstr(buf_str(&b), refusals[i].says[k]), refusals[i].name, buf_str(&b));
		buf_release(&b);
	}
}

static void test_chains(void)
{
	struct event_attr a = { .sample_max_stack = 100 };
	struct fallback f = {0};

	check(event_fallback(&a, EOVERFLOW, &f) && !a.sample_max_stack, "long chains", "the kernel's limit is not tried");
	check(!event_fallback(&a, EOVERFLOW, &f), "long chains", "does not end");
}

static void test_precise_then_clock(void)
{
	struct event_attr a = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .precise_ip = 3 };
	struct fallback f = { .precise_max = true };
	const char *said = NULL;
	int tries = 0;

	while (a.type == PERF_TYPE_HARDWARE && tries++ < 10)
		said = event_fallback(&a, ENOENT, &f);
	check(tries == 4, "cycles:P", "not one try for each precision");
	check(said && strstr(said, "cpu-clock") && a.config == PERF_COUNT_SW_CPU_CLOCK && !a.precise_ip, "cycles:P", "no clock");
	check(!event_fallback(&a, ENOENT, &f), "cpu-clock", "something is tried behind the last");
}

static void test_precise_asked_for(void)
{
	struct event_attr a = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .precise_ip = 2 };
	struct fallback f = {0};

	check(!event_fallback(&a, EOPNOTSUPP, &f), "instructions:pp", "what was asked for is not done without");
}

static void test_user_only(void)
{
	struct event_attr a = { .type = PERF_TYPE_SOFTWARE };
	struct fallback f = { .may_be_user = true };
	const char *said = event_fallback(&a, EACCES, &f);

	check(said && *said && a.exclude_kernel, "EACCES", "user space alone is not tried");
	check(!event_fallback(&a, EACCES, &f), "EACCES again", "something is tried");
	a = (struct event_attr){0};
	f.may_be_user = false;
	check(!event_fallback(&a, EACCES, &f), "k asked for", "user space alone is tried");
}

static void test_older_kernels(void)
{
	struct event_attr a = { .type = PERF_TYPE_SOFTWARE, .read_format = PERF_FORMAT_ID | 16, .build_id = 1, .mmap2 = 1 };
	struct event_attr next = a;
	struct fallback f = {0};

	check(event_fallback(&a, EINVAL, &f) && a.read_format == PERF_FORMAT_ID && a.build_id, "5.19", "not the newest first");
	check(event_fallback(&a, EINVAL, &f) && !a.build_id && a.mmap2, "5.10", "not the next");
	event_drop_features(&next, f.nr_dropped);
	check(!memcmp(&a, &next, sizeof(a)), "5.10", "the next event keeps what was dropped");
	check(event_fallback(&a, EINVAL, &f) && !a.mmap2, "3.10", "mmap2");
	check(!event_fallback(&a, EINVAL, &f), "EINVAL", "does not end");
	a = (struct event_attr){ .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_CGROUP };
	f = (struct fallback){0};
	check(event_fallback(&a, EINVAL, &f) && a.sample_type == (PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_CGROUP),
	      "5.11", "the older weight is not tried");
	check(event_fallback(&a, EINVAL, &f) && a.sample_type == (PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT),
	      "5.6", "samples still name their cgroup");
}

int main(void)
{
	test_refusals();
	test_chains();
	test_precise_then_clock();
	test_precise_asked_for();
	test_user_only();
	test_older_kernels();
	return failures != 0;
}
