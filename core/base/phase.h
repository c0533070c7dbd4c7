/*
 * Measures the elapsed time and the CPU time of each phase of a command, and prints them with -v. Also prints the serial CPU
 * time, which more threads would not shorten. pool.c measures the CPU time that they would.
 */
#ifndef CORE_BASE_PHASE_H
#define CORE_BASE_PHASE_H

#include <stdint.h>

/* The clocks at the begin of a phase. .shared_ns: CPU time that is spread over threads, or could be (log_shared()). */
struct phase { uint64_t wall_ns, cpu_ns, shared_ns; };

/* phase_end() prints a phase and begins the next. CPU time: all threads. Serial: outside pool_run(), or others wait (pool.c). */
struct phase phase_begin(void);
void phase_end(struct phase *p, const char *name);

#endif
