/*
 * Lets a thread run as soon as it is woken, by a real-time priority if allowed. It has this priority for at most half of each tenth
 * of a second, so that a thread with too much to do cannot keep others from a CPU.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_URGENCY_H
#define CORE_RECORD_LOOP_URGENCY_H

#include <stdbool.h>
#include <stdint.h>

struct urgency {			/* of the calling thread; = {0}: normal priority */
	bool may, has;			/* a real-time priority */
	uint64_t began_ns, ran_ns;	/* when the current tenth of a second began: CLOCK_MONOTONIC, and the thread's CPU time */
	bool pressed;			/* the thread has used more than half of the time that it may run in it */
};

/* Takes the lowest priority of SCHED_FIFO, or the best permitted nice value; reports it with -v. */
void urgency_raise(struct urgency *u);
/* Call it at each turn: a thread that has run for too long gives the priority back until the tenth of a second is over. */
void urgency_keep(struct urgency *u);
/* True if the calling thread has a real-time priority, taken or inherited. */
bool urgency_is_realtime(void);

/* How long the calling thread was ready to run and had no CPU. */
struct cpu_waits { int schedstat; uint64_t all_ns, longest_ns; };
void cpu_waits_begin(struct cpu_waits *w);
/* The thread's wait for a CPU since its last call. Returns its length; 0: none, or unknown. */
uint64_t cpu_waits_read(struct cpu_waits *w);
void cpu_waits_end(struct cpu_waits *w);

#endif
