/* Parses lists of CPUs such as "0-3,8", the notation of the kernel and of perf, and reads such lists from sysfs. */
#ifndef CORE_BASE_CPUS_H
#define CORE_BASE_CPUS_H

#include "core/base/vec.h"

#define CPU_MAX 65536u	/* CPU numbers are below this; a larger number in a file is damage */

struct cpus {			/* ascending, no number twice; cpus_release() */
	VEC(int) list;
};

/* Parse @s into @out (numbers below CPU_MAX). Returns 0, or -EINVAL with *bad at the error in @s. */
int cpus_parse(struct cpus *out, const char *s, const char **bad);
/* Reads the CPUs that are online, from sysfs. Returns 0 or -errno. */
int cpus_online(struct cpus *out);
/* The same for the CPUs that may ever be present. */
int cpus_possible(struct cpus *out);
bool cpus_has(const struct cpus *c, int cpu);
void cpus_release(struct cpus *c);

#endif
