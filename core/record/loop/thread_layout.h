/* How --threads divides the rings: into groups of CPUs, each read by one thread that runs on given CPUs. Layer: loop */
#ifndef CORE_RECORD_LOOP_THREAD_LAYOUT_H
#define CORE_RECORD_LOOP_THREAD_LAYOUT_H

#include "core/base/cpus.h"

struct thread_share {
	struct cpus cpus;		/* whose rings it empties */
	struct cpus affinity;		/* where it runs */
};

struct thread_layout {
	bool given;			/* --threads */
	bool by_masks, by_node;
	const char *siblings;		/* the file of a CPU's topology that lists its group; NULL: it is alone, or by_* */
	VEC(struct thread_share) shares;
};

/* Parse "cpu" (also ""), "core", "package", "numa" or CPUS/AFFINITY[:CPUS/AFFINITY...]. Prints errors; returns 0 or -1. */
int thread_layout_parse(struct thread_layout *out, const char *spec);
/*
 * Limits the shares to rings of CPUs in @recorded and threads on CPUs in @online, and removes empty shares. Prints
 * errors; returns 0 or -1.
 */
int thread_layout_fit(struct thread_layout *l, const struct cpus *recorded, const struct cpus *online);
void thread_layout_release(struct thread_layout *l);

#endif
