/*
 * Phases of a command, for -v: how long each took, and how many threads had work in it. Under one that is opened when another is
 * over there are no gaps:
 *
 *	struct phase p = phase_begin();
 *	read();
 *	phase_end(&p, "reading");	prints "phase reading: 0.250 s, 0.480 s of CPU", and begins the next
 *
 * Layer: base
 */
#ifndef CORE_BASE_PHASE_H
#define CORE_BASE_PHASE_H

#include <stdint.h>

struct phase { uint64_t wall_ns, cpu_ns; };

struct phase phase_begin(void);
/* The CPU time is that of all threads. */
void phase_end(struct phase *p, const char *name);

#endif
