/* Reads the system's clocks. */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The time of clock @id in ns; 0 if there is no such clock (clock_gettime(2)). */
uint64_t clock_ns(clockid_t id);
/* CLOCK_MONOTONIC, which always exists. */
uint64_t now_ns(void);

/* The time when this machine was booted, in seconds since 1970. */
int64_t boot_seconds(void);

#endif
