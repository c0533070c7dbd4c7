/* See phase.h. Layer: base */
#include "core/base/phase.h"

#include "core/base/clock.h"
#include "core/base/log.h"

struct phase phase_begin(void)
{
	return (struct phase){ now_ns(), clock_ns(CLOCK_PROCESS_CPUTIME_ID) };
}

void phase_end(struct phase *p, const char *name)
{
	struct phase now = phase_begin();

	debug(1, "phase %s: %.3f s, %.3f s of CPU", name, (double)(now.wall_ns - p->wall_ns) / 1e9,
	      (double)(now.cpu_ns - p->cpu_ns) / 1e9);
	*p = now;
}
