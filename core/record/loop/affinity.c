/* Sets the CPU affinity of the recorder's threads, with sched_setaffinity(2). */
#include "core/record/loop/affinity.h"

#include <errno.h>
#include <sched.h>

#include "core/base/cpus.h"
#include "core/base/sysfs.h"

struct affinity {
	enum affinity_mode mode;
	VEC(struct cpus) nodes;		/* the CPUs of each NUMA node, for AFFINITY_NODE */
	int at;				/* the CPU to which the thread was moved last; -1: none yet */
	const struct cpus *node;	/* the node to which the thread was moved last; borrowed */
};

int affinity_set(const struct cpus *cpus)
{
	int last = cpus->list.nr ? cpus->list.v[cpus->list.nr - 1] : 0, err;
	size_t size = CPU_ALLOC_SIZE(last + 1);
	cpu_set_t *set = CPU_ALLOC(last + 1);

	CPU_ZERO_S(size, set);
	vec_for(cpu, &cpus->list)
		CPU_SET_S((size_t)*cpu, size, set);
	err = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return err;
}

static void read_nodes(struct affinity *a)
{
	char *line = sysfs_line("devices/system/node/has_cpu");
	struct cpus nodes = {0};

	if (line && !cpus_parse(&nodes, line, NULL))
		vec_for(node, &nodes.list) {
			char *list = sysfs_line("devices/system/node/node%d/cpulist", *node);
			struct cpus cpus;

			if (list && !cpus_parse(&cpus, list, NULL))
				vec_push(&a->nodes, cpus);
			free(list);
		}
	cpus_release(&nodes);
	free(line);
}

struct affinity *affinity_new(enum affinity_mode mode)
{
	struct affinity *a;

	if (mode == AFFINITY_ANY)
		return NULL;
	a = xcalloc(1, sizeof(*a));
	a->mode = mode;
	a->at = -1;
	if (mode == AFFINITY_NODE)
		read_nodes(a);
	return a;
}

static void move_to_node(struct affinity *a, int cpu)
{
	vec_for(node, &a->nodes) {
		if (node == a->node || !cpus_has(node, cpu))
			continue;
		affinity_set(node);
		a->node = node;
	}
}

static void move_to_cpu(struct affinity *a, int cpu)
{
	struct cpus one = {0};

	if (cpu == a->at)
		return;
	vec_push(&one.list, cpu);
	affinity_set(&one);
	cpus_release(&one);
	a->at = cpu;
}

void affinity_move(struct affinity *a, int cpu)
{
	if (!a || cpu < 0)
		return;
	if (a->mode == AFFINITY_NODE)
		move_to_node(a, cpu);
	else
		move_to_cpu(a, cpu);
}

void affinity_free(struct affinity *a)
{
	if (!a)
		return;
	vec_for(node, &a->nodes)
		cpus_release(node);
	vec_free(&a->nodes);
	free(a);
}
