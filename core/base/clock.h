/* Reads clocks, in nanoseconds. Layer: base */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A clock's time in ns; 0 if there is no such clock (clock_gettime(2)). */
uint64_t clock_ns(clockid_t id);
/* CLOCK_MONOTONIC, which always exists. */
uint64_t now_ns(void);

/* When this machine was booted: seconds since 1970. */
int64_t boot_seconds(void);

#endif
