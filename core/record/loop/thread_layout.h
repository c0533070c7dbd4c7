/*
 * Divides the recorded CPUs into groups for --threads. One thread reads the ring buffers of all CPUs of a group. The user may
 * choose the CPUs on which it runs.
 */
#ifndef CORE_RECORD_LOOP_THREAD_LAYOUT_H
#define CORE_RECORD_LOOP_THREAD_LAYOUT_H

#include "core/base/cpus.h"

struct thread_share {
	struct cpus cpus;		/* CPUs whose ring buffers the thread empties */
	struct cpus affinity;		/* CPUs on which the thread runs */
};

struct thread_layout {
	bool given;			/* --threads */
	bool by_masks, by_node;
	const char *siblings;		/* the file in a CPU's topology folder (sysfs) that lists the CPUs of its group; NULL: each
					 * CPU is a group, or .by_* */
	VEC(struct thread_share) shares;
};

/* Parse "cpu" (also ""), "core", "package", "numa" or CPUS/AFFINITY[:CPUS/AFFINITY...]. Prints errors; returns 0 or -1. */
int thread_layout_parse(struct thread_layout *out, const char *spec);
/*
 * Makes the groups of CPUs in @recorded. If the user gave the groups, limits them to CPUs in @recorded, and their threads to CPUs
 * in @online; it is an error if no CPU is left. Prints errors; returns 0 or -1.
 */
int thread_layout_fit(struct thread_layout *l, const struct cpus *recorded, const struct cpus *online);
void thread_layout_release(struct thread_layout *l);

#endif
