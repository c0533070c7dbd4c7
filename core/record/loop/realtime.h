/* Sets the recorder's real-time priority (-r), so that it runs as soon as a ring wakes it. Layer: loop */
#ifndef CORE_RECORD_LOOP_REALTIME_H
#define CORE_RECORD_LOOP_REALTIME_H

#include <stdint.h>

/*
 * For this thread and those it makes: @priority is that of SCHED_FIFO, with an error if it is not allowed (printed). 0:
 * normal priority, with the same share of a CPU, but in slices as short as the kernel has them: a thread that wakes with
 * little to do runs before those that have been running (Linux 6.12; before, nothing changes). Returns 0 or -1.
 */
int realtime_request(uint64_t priority);

#endif
