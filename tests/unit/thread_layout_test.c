/* The words of --threads become shares: every recorded CPU in one, none empty, and what cannot be is refused. */
#include "core/record/loop/thread_layout.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "tests/unit/check.h"

static struct cpus list(const char *text)
{
	struct cpus c = {0};

	if (*text)
		CHECK(!cpus_parse(&c, text, NULL), "%s", text);
	return c;
}

static void put_list(struct buf *b, const struct cpus *c)
{
	vec_for(cpu, &c->list)
		buf_printf(b, "%s%d", cpu == c->list.v ? "" : ",", *cpu);
}

/* "CPUS/AFFINITY" of each share, with colons between them. */
static void put_shares(struct buf *b, const struct thread_layout *l)
{
	vec_for(s, &l->shares) {
		if (s != l->shares.v)
			buf_putc(b, ':');
		put_list(b, &s->cpus);
		buf_putc(b, '/');
		put_list(b, &s->affinity);
	}
}

/* @want NULL: it is refused. */
static void fits(const char *spec, const char *recorded, const char *online, const char *want)
{
	struct cpus on = list(online), rec = list(recorded);
	struct thread_layout l = {0};
	struct buf got = {0};
	int err = thread_layout_parse(&l, spec) || thread_layout_fit(&l, &rec, &on);

	CHECK(!err == !!want, "'%s' of %s, online %s", spec, recorded, online);
	put_shares(&got, &l);
	if (want)
		CHECK_TEXT(buf_str(&got), want);
	CHECK(l.given);
	buf_release(&got);
	thread_layout_release(&l);
	CHECK(!l.given && !l.shares.nr);
	cpus_release(&on);
	cpus_release(&rec);
}

static void refused(const char *spec)
{
	struct thread_layout l = {0};

	CHECK(thread_layout_parse(&l, spec), "'%s'", spec);
	thread_layout_release(&l);
}

/* Whatever this machine's groups are: a CPU is in one share, which runs where its CPUs are. */
static void shares_out(const char *spec)
{
	struct thread_layout l = {0};
	struct cpus online = {0};

	CHECK(!cpus_online(&online));
	CHECK(!thread_layout_parse(&l, spec) && !thread_layout_fit(&l, &online, &online), "%s", spec);
	vec_for(cpu, &online.list) {
		unsigned nr = 0;

		vec_for(s, &l.shares)
			nr += cpus_has(&s->cpus, *cpu) && cpus_has(&s->affinity, *cpu);
		CHECK(nr == 1, "%s: CPU %d is in %u shares", spec, *cpu, nr);
	}
	vec_for(s, &l.shares)
		CHECK(s->cpus.list.nr && s->affinity.list.nr == s->cpus.list.nr, "%s", spec);
	thread_layout_release(&l);
	cpus_release(&online);
}

/* A file of a made-up sysfs below the working directory. */
static void put_file(const char *path, const char *text)
{
	char *dirs = xstrdup(path);
	FILE *f;

	for (char *slash = strchr(dirs, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(dirs, 0777);
		*slash = '/';
	}
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f), "%s", path);
	free(dirs);
}

/* Four CPUs, two of a core each, in two nodes that are not the cores; a fifth without topology. */
static void groups_of_a_machine(void)
{
	static const char *const siblings[] = { "0,2\n", "1,3\n", "0,2\n", "1,3\n" };
	char path[128];

	for (int cpu = 0; cpu < 4; cpu++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		put_file(path, siblings[cpu]);
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/core_siblings_list", cpu);
		put_file(path, "0-3\n");
	}
	put_file("sys/devices/system/node/has_cpu", "0-1\n");
	put_file("sys/devices/system/node/node0/cpulist", "0-1\n");
	put_file("sys/devices/system/node/node1/cpulist", "2-3\n");
	setenv("SYSFS_PATH", "sys", 1);
	fits("core", "0-3", "0-3", "0,2/0,2:1,3/1,3");
	fits("core", "1-2", "0-3", "1/1:2/2");
	fits("package", "0-4", "0-4", "0,1,2,3/0,1,2,3:4/4");
	fits("numa", "0-4", "0-4", "0,1/0,1:2,3/2,3:4/4");
	fits("numa", "2-3", "0-3", "2,3/2,3");
	fits("cpu", "0-1", "0-3", "0/0:1/1");
	unsetenv("SYSFS_PATH");
}

int main(void)
{
	static const char *const wrong[] = {
		"socket", "0", "0/", "/0", "0/0:1", "0/0:0/1", "0/0:1/0", "0-2/0:2/1", "x/0", "0/x", "0/0/0", ":", " cpu",
	};
	static const char *const groups[] = { "", "cpu", "core", "package", "numa" };

	fits("", "0-2", "0-3", "0/0:1/1:2/2");
	fits("cpu", "1,3", "0-3", "1/1:3/3");
	fits("0,2-3/2-3:1/1", "0-3", "0-3", "0,2,3/2,3:1/1");
	/* Only recorded CPUs, and only if a thread can run there. */
	fits("0-7/0-7", "1-2", "0-3", "1,2/0,1,2,3");
	fits("0/0:1/1", "0-3", "0-3", "0/0:1/1");
	fits("0/0:5/1", "0-3", "0-3", NULL);
	fits("0/0:1/5", "0-3", "0-3", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		shares_out(groups[i]);
	groups_of_a_machine();
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		refused(wrong[i]);
	return checks_done();
}
