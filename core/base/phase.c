/* Measures the time and the CPU time of each phase of a command, and prints them with -v. */
#include "core/base/phase.h"

#include "core/base/clock.h"
#include "core/base/log.h"

struct phase phase_begin(void)
{
	return (struct phase){ now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID), log_shared() };
}

void phase_end(struct phase *p, const char *name)
{
	struct phase now = phase_begin();
	uint64_t cpu = now.cpu_ns - p->cpu_ns, shared = MIN(now.shared_ns - p->shared_ns, cpu);

	debug(1, "phase %s: %.3f s, %.3f s of CPU, %.3f s of it serial", name, (double)(now.wall_ns - p->wall_ns) / 1e9,
	      (double)cpu / 1e9, (double)(cpu - shared) / 1e9);
	*p = now;
}
