/*
 * Phases of a command, for -v: how long each took, the CPU time of all threads, and the part of it that more threads would not make
 * shorter. Under one that is opened when another is over there are no gaps:
 *
 *	struct phase p = phase_begin();
 *	read();
 *	phase_end(&p, "reading");	prints "phase reading: 0.250 s, 0.480 s of CPU, 0.010 s of it serial", and begins the next
 *
 * Serial is all that runs outside of pool_run(), and the longest item of each such loop.
 * Layer: base
 */
#ifndef CORE_BASE_PHASE_H
#define CORE_BASE_PHASE_H

#include <stdint.h>

struct phase { uint64_t wall_ns, cpu_ns, shared_ns; };

struct phase phase_begin(void);
void phase_end(struct phase *p, const char *name);

#endif
