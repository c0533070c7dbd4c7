/*
 * Gives a thread that empties ring buffers a real-time priority or, if that is not permitted, a better nice value, so that it
 * runs soon after it is woken. pumps.c and recorder.c call it for their threads.
 */
#ifndef CORE_RECORD_LOOP_URGENCY_H
#define CORE_RECORD_LOOP_URGENCY_H

#include <stdbool.h>
#include <stdint.h>

struct urgency {			/* the priority of the calling thread; = {0}: normal */
	bool may, has;			/* .may: the thread may take a real-time priority; .has: it has one now */
	uint64_t began_ns, ran_ns;	/* .began_ns: when the current tenth of a second began, CLOCK_MONOTONIC; .ran_ns: the
					 * thread's CPU time at that moment */
	bool has_nice;			/* the thread has a better nice value than .was_nice, its own */
	int was_nice;
	bool pressed;			/* the thread has used half or more of the time for which it may have the priority in this
					 * tenth of a second */
};

/* Takes the lowest priority of SCHED_FIFO, or the best permitted nice value; reports it with -v. */
void urgency_raise(struct urgency *u);
/*
 * Takes the priority from a thread that has run for too long, until the tenth of a second is over. Call it at each turn of the
 * thread's loop. The thread has the priority for at most half of each tenth of a second, so that a thread with too much work cannot
 * keep other threads from a CPU.
 */
void urgency_keep(struct urgency *u);
/*
 * Gives the calling thread, which reads what the other has not emptied yet, a somewhat better nice value if it has the normal one.
 * Threads and processes that it creates afterwards have the normal one.
 */
void urgency_raise_reader(void);
/* Gives the priority, or the nice value, back. */
void urgency_drop(struct urgency *u);
/*
 * Sets the priority of this thread and of threads that it creates. @priority is a priority of SCHED_FIFO; if it is not allowed,
 * an error is printed. 0 means normal priority with the same share of a CPU, but with time slices as short as the kernel allows.
 * A thread that wakes with little to do then runs before threads that have been running (Linux 6.12; no effect before). Returns
 * 0 or -1.
 */
int realtime_request(uint64_t priority);
/* True if the calling thread has a real-time priority, taken or inherited. */
bool urgency_is_realtime(void);

/* How long the calling thread was ready to run and had no CPU. */
struct cpu_waits { int schedstat; uint64_t all_ns, longest_ns; };
void cpu_waits_begin(struct cpu_waits *w);
/* Returns how long the thread waited for a CPU since the last call, or 0 if it did not wait or this is unknown. */
uint64_t cpu_waits_read(struct cpu_waits *w);
void cpu_waits_end(struct cpu_waits *w);

#endif
