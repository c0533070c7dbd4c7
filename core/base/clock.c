/* Reads the system's clocks with clock_gettime(2). */
#include "core/base/clock.h"

uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	return clock_gettime(id, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t boot_seconds(void)
{
	return (int64_t)((clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME)) / 1000000000);
}
