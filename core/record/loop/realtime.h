/*
 * Makes all threads of the recorder run soon after a ring buffer wakes them: by a real-time priority if the user requests one
 * (-r), and otherwise by short time slices. urgency.h sets the priority of a single thread.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_REALTIME_H
#define CORE_RECORD_LOOP_REALTIME_H

#include <stdint.h>

/*
 * Sets the priority of this thread and of threads that it creates. @priority is a priority of SCHED_FIFO; if it is not allowed,
 * an error is printed. 0 means normal priority with the same share of a CPU, but with time slices as short as the kernel allows.
 * A thread that wakes with little to do then runs before threads that have been running (Linux 6.12; no effect before). Returns
 * 0 or -1.
 */
int realtime_request(uint64_t priority);

#endif
