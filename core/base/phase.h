/*
 * Measures the phases of a command, and prints the result with -v. The result has the elapsed time of the phase, the CPU time of
 * all threads, and the serial part of the CPU time, which more threads would not shorten. phase_end() also begins the next
 * phase, so there is no time between two phases:
 *
 *	struct phase p = phase_begin();
 *	read();
 *	phase_end(&p, "reading");	prints "phase reading: 0.250 s, 0.480 s of CPU, 0.010 s of it serial", and begins the next
 *
 * The CPU time outside of pool_run() is serial. If one iteration of a pool_run() is so long that the other threads run out of
 * work, a part of the CPU time of this iteration is serial, too (pool.c).
 * Layer: base
 */
#ifndef CORE_BASE_PHASE_H
#define CORE_BASE_PHASE_H

#include <stdint.h>

struct phase { uint64_t wall_ns, cpu_ns, shared_ns; };

struct phase phase_begin(void);
void phase_end(struct phase *p, const char *name);

#endif
