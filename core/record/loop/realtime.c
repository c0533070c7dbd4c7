/*
 * Requests real-time priority (-r) for the recorder's threads, or without -r short time slices. On a busy machine, other threads
 * could otherwise keep the CPU for milliseconds, while a ring buffer that should be read overflows.
 * Layer: loop
 */
#include "core/record/loop/realtime.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/log.h"

#define SHORT_SLICE_NS	100000		/* the shortest time slice (Documentation/scheduler/sched-eevdf.rst) */

struct sched_attributes {		/* the argument of sched_setattr(2), which libc does not declare */
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void request_short_slices(void)
{
	struct sched_attributes a = { .size = sizeof(a) };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_OTHER)
		return;
	a.runtime = SHORT_SLICE_NS;
	if (syscall(SYS_sched_setattr, 0, &a, 0))
		debug(1, "the kernel gives no short slices: %s", strerror(errno));
}

int realtime_request(uint64_t priority)
{
	struct sched_param p = { .sched_priority = (int)priority };

	if (!priority)
		request_short_slices();
	if (!priority || !sched_setscheduler(0, SCHED_FIFO, &p))
		return 0;
	return error("cannot take real-time priority %d: %s (SCHED_FIFO has 1 to 99, and needs CAP_SYS_NICE)",
		     p.sched_priority, strerror(errno));
}
