/*
 * Divides the recorded CPUs into groups for --threads, with a reader thread for each group. A group is a CPU, core, package or
 * NUMA node, as sysfs lists them, or a list of CPUs from the command line.
 */
#include "core/record/loop/thread_layout.h"

#include <string.h>

#include "core/base/log.h"
#include "core/base/sysfs.h"

/* Documentation/ABI/stable/sysfs-devices-system-cpu. The names of the files are from before Linux 5.2, and still exist. */
static const struct { const char *name, *siblings; bool by_node; } layouts[] = {
	{ "", NULL, false }, { "cpu", NULL, false }, { "core", "thread_siblings_list", false },
	{ "package", "core_siblings_list", false }, { "numa", NULL, true },
};

static void share_release(struct thread_share *s)
{
	cpus_release(&s->cpus);
	cpus_release(&s->affinity);
}

void thread_layout_release(struct thread_layout *l)
{
	vec_for(s, &l->shares)
		share_release(s);
	vec_free(&l->shares);
	*l = (struct thread_layout){0};
}

/* ---- parsing ---- */

static bool overlap(const struct cpus *a, const struct cpus *b)
{
	vec_for(cpu, &a->list)
		if (cpus_has(b, *cpu))
			return true;
	return false;
}

static int wrong(const char *spec)
{
	return error("option '--threads' needs cpu, core, package, numa or CPUS/AFFINITY[:CPUS/AFFINITY...] such as "
		     "0,2-3/2-3:1/1, not '%s'", spec);
}

/* Parses "CPUS/AFFINITY". Changes @text. */
static int parse_share(struct thread_layout *l, char *text)
{
	char *slash = strchr(text, '/');
	struct thread_share s = {0};

	if (!slash)
		return -1;
	*slash = '\0';
	if (cpus_parse(&s.cpus, text, NULL) || cpus_parse(&s.affinity, slash + 1, NULL)) {
		share_release(&s);
		return -1;
	}
	vec_push(&l->shares, s);
	return 0;
}

static int check_overlaps(const struct thread_layout *l)
{
	for (size_t i = 0; i < l->shares.nr; i++)
		for (size_t k = 0; k < i; k++)
			if (overlap(&l->shares.v[i].cpus, &l->shares.v[k].cpus) ||
			    overlap(&l->shares.v[i].affinity, &l->shares.v[k].affinity))
				return error("option '--threads': a CPU is in more than one list on the same side of the slash");
	return 0;
}

static int parse_masks(struct thread_layout *l, const char *spec)
{
	char *words = xstrdup(spec), *word, *rest;
	int err = 0;

	for (word = strtok_r(words, ":", &rest); word && !err; word = strtok_r(NULL, ":", &rest))
		err = parse_share(l, word);
	free(words);
	return err || !l->shares.nr ? wrong(spec) : check_overlaps(l);
}

int thread_layout_parse(struct thread_layout *out, const char *spec)
{
	thread_layout_release(out);
	out->given = true;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (!str_eq(layouts[i].name, spec))
			continue;
		out->siblings = layouts[i].siblings;
		out->by_node = layouts[i].by_node;
		return 0;
	}
	out->by_masks = true;
	return parse_masks(out, spec);
}

/* ---- fitting ---- */

static void intersect(struct cpus *c, const struct cpus *with)
{
	size_t nr = 0;

	vec_for(cpu, &c->list)
		if (cpus_has(with, *cpu))
			c->list.v[nr++] = *cpu;
	c->list.nr = nr;
}

static void copy_cpus(struct cpus *out, const struct cpus *from)
{
	*out = (struct cpus){0};
	vec_for(cpu, &from->list)
		vec_push(&out->list, *cpu);
}

static int fit_masks(struct thread_layout *l, const struct cpus *recorded, const struct cpus *online)
{
	vec_for(s, &l->shares) {
		intersect(&s->cpus, recorded);
		intersect(&s->affinity, online);
		if (!s->cpus.list.nr)
			return error("option '--threads': none of the CPUs of a list is recorded");
		if (!s->affinity.list.nr)
			return error("option '--threads': none of the CPUs that a thread is to run on is online");
	}
	return 0;
}

static bool is_shared_out(const struct thread_layout *l, int cpu)
{
	vec_for(s, &l->shares)
		if (cpus_has(&s->cpus, cpu))
			return true;
	return false;
}

/* Adds a share with the recorded CPUs of @list (owned), or with @cpu alone if sysfs has no such list. */
static void add_share(struct thread_layout *l, char *list, int cpu, const struct cpus *recorded)
{
	struct thread_share s = {0};

	if (!list || cpus_parse(&s.cpus, list, NULL))
		vec_push(&s.cpus.list, cpu);
	free(list);
	intersect(&s.cpus, recorded);
	copy_cpus(&s.affinity, &s.cpus);
	if (s.cpus.list.nr)
		vec_push(&l->shares, s);
	else
		share_release(&s);
}

/* Adds a share for each NUMA node that has CPUs. There are no nodes if the kernel has no NUMA support. */
static void add_nodes(struct thread_layout *l, const struct cpus *recorded)
{
	char *line = sysfs_line("devices/system/node/has_cpu");
	struct cpus nodes = {0};

	if (line && !cpus_parse(&nodes, line, NULL))
		vec_for(node, &nodes.list)
			add_share(l, sysfs_line("devices/system/node/node%d/cpulist", *node), -1, recorded);
	cpus_release(&nodes);
	free(line);
}

int thread_layout_fit(struct thread_layout *l, const struct cpus *recorded, const struct cpus *online)
{
	if (l->by_masks)
		return fit_masks(l, recorded, online);
	if (l->by_node)
		add_nodes(l, recorded);
	vec_for(cpu, &recorded->list) {
		if (is_shared_out(l, *cpu))
			continue;
		add_share(l, l->siblings ? sysfs_line("devices/system/cpu/cpu%d/topology/%s", *cpu, l->siblings) : NULL,
			  *cpu, recorded);
	}
	return 0;
}
