/* The mode table: which (pid, cpu) pairs each combination of options opens. */
#include "core/record/open/target.h"

#include <stdio.h>

#include "core/base/buf.h"

struct mode {
	const char *name;
	struct target target;
	const char *cpus;		/* of -C; NULL: none */
	unsigned nr_threads;		/* 100, 101, ... */
	const char *sampling, *side_band;	/* "pid/cpu ..." */
	bool inherit, on_exec;
};

#define ALL_100 "100/0 100/1 100/2 100/3 "
#define ALL_101 "101/0 101/1 101/2 101/3 "
#define EVERYONE "-1/0 -1/1 -1/2 -1/3 "
/* Enough of a list for "is one given". */
static pid_t one_pid[1] = { 100 };
#define ONE { { .v = one_pid, .nr = 1 } }

static const struct mode modes[] = {
	{ "cmd", { .workload = true }, NULL, 1, ALL_100, ALL_100, true, true },
	{ "-i cmd", { .workload = true, .no_inherit = true }, NULL, 1, ALL_100, ALL_100, false, true },
	{ "--per-thread cmd", { .workload = true, .per_thread = true }, NULL, 1, "100/-1 ", "100/-1 ", false, true },
	{ "-C 0,2 cmd", { .workload = true, .has_cpus = true }, "0,2", 1, "-1/0 -1/2 ", EVERYONE, false, false },
	{ "-C 0,2 --per-thread cmd", { .workload = true, .has_cpus = true, .per_thread = true }, "0,2", 1,
	  "100/0 100/2 ", ALL_100, false, true },
	{ "-a cmd", { .workload = true, .all_cpus = true }, NULL, 1, EVERYONE, EVERYONE, false, false },
	{ "-a", { .all_cpus = true }, NULL, 0, EVERYONE, EVERYONE, false, false },
	{ "-C 1", { .has_cpus = true }, "1", 0, "-1/1 ", EVERYONE, false, false },
	{ "-p", { .pids = ONE }, NULL, 2, ALL_100 ALL_101, ALL_100 ALL_101, true, false },
	{ "-p cmd", { .pids = ONE, .workload = true }, NULL, 1, ALL_100, ALL_100, true, false },
	{ "-p -C 3", { .pids = ONE, .has_cpus = true }, "3", 1, "100/3 ", ALL_100, true, false },
	{ "-t", { .tids = ONE }, NULL, 1, ALL_100, ALL_100, false, false },
	{ "-p --per-thread", { .pids = ONE, .per_thread = true }, NULL, 2, "100/-1 101/-1 ", "100/-1 101/-1 ", false, false },
};

static int failures;

static void list(struct buf *out, const struct target_place *p, size_t nr)
{
	out->len = 0;
	for (size_t i = 0; i < nr; i++)
		buf_printf(out, "%d/%d ", (int)p[i].pid, p[i].cpu);
	buf_str(out);
}

static void expect(const char *mode, const char *what, const char *want, const char *got)
{
	if (str_eq(want, got))
		return;
	printf("%s: %s: want %s, got %s\n", mode, what, want, got);
	failures++;
}

static void test_mode(const struct mode *m, const struct cpus *online)
{
	static const pid_t threads[] = { 100, 101 };
	struct target t = m->target;
	struct places p;
	struct buf got = {0};

	if (m->cpus)
		cpus_parse(&t.cpus, m->cpus, NULL);
	places_plan(&p, &t, online, threads, m->nr_threads);
	list(&got, p.sampling.v, p.sampling.nr);
	expect(m->name, "sampling", m->sampling, got.data);
	list(&got, p.side_band.v, p.side_band.nr);
	expect(m->name, "side band", m->side_band, got.data);
	expect(m->name, "inherit", m->inherit ? "yes" : "no", p.inherit ? "yes" : "no");
	expect(m->name, "on exec", m->on_exec ? "yes" : "no", p.on_exec ? "yes" : "no");
	buf_release(&got);
	places_release(&p);
	cpus_release(&t.cpus);
}

int main(void)
{
	struct cpus online;

	cpus_parse(&online, "0-3", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		test_mode(&modes[i], &online);
	cpus_release(&online);
	return failures != 0;
}
