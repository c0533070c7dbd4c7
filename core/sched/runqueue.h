/*
 * Finds the number of threads that wait for each CPU at any time, from the scheduler's tracepoints. The running thread does not
 * count; the idle task never waits.
 *
 * The state of a thread before its first event is inferred: if it is switched in without a wake-up, it had been waiting from the
 * start. If a switch is missing, the same holds from that gap on, and the gap is counted. If wake-ups are missing, too, the
 * thread may have slept; it then counts as waiting only if that was no longer than the longest complete wait.
 * Layer: sched
 */
#ifndef CORE_SCHED_RUNQUEUE_H
#define CORE_SCHED_RUNQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNQUEUE_UNKNOWN	UINT16_MAX	/* the CPU is not known */
#define RUNQUEUE_MAX		(UINT16_MAX - 1)	/* longer queues have this length */

enum sched_kind {
	SCHED_SWITCH,		/* @pid leaves @cpu, @other is next */
	SCHED_WAKE,		/* @pid, which may be new, is ready to run on @cpu */
	SCHED_MIGRATE,		/* @pid migrates from CPU @other to @cpu */
};

struct sched_step {		/* one event of such a tracepoint */
	uint64_t time, position;	/* the order */
	uint32_t cpu, pid, other;	/* pid: the kernel's number of a thread */
	uint8_t kind;			/* enum sched_kind */
	bool runnable;			/* SCHED_SWITCH: @pid is still runnable, so it waits */
};

struct sched_gaps {		/* missing events, as the steps show */
	uint64_t nr_switches, nr_wakes;
	uint64_t first_time;		/* of the first one, ns */
	uint32_t first_cpu;
};

struct runqueues;

/*
 * Sorts and replays @nr steps. @wakes: wake-ups were recorded, also of new threads. Without them, a thread that is switched in
 * may have slept, so only preempted threads are known to wait. Owned by the caller.
 */
struct runqueues *runqueues_new(struct sched_step *steps, size_t nr, bool wakes);
void runqueues_free(struct runqueues *q);
/* How long thread @pid waited for a CPU, ns; 0 for a thread that is not in the steps. */
uint64_t runqueues_waited(const struct runqueues *r, uint32_t pid);
struct sched_gaps runqueues_gaps(const struct runqueues *r);

struct runqueue_cursor { uint32_t cpu; size_t at; };	/* a worker's last answer; {0} to begin with */

/* The number of threads that wait for @cpu after steps at @time. Safe from any thread, each with its own cursor. */
uint16_t runqueue_length(const struct runqueues *r, struct runqueue_cursor *c, uint32_t cpu, uint64_t time);

#endif
