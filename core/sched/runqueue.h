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
#define RUNQUEUE_MAX		(UINT16_MAX - 1)	/* longer ones have this length */

enum sched_kind {
	SCHED_SWITCH,		/* @pid leaves @cpu, @other comes */
	SCHED_WAKE,		/* @pid is ready to run on @cpu; new ones too */
	SCHED_MIGRATE,		/* @pid goes to @cpu, from @other */
};

struct sched_step {		/* one hit of such a tracepoint */
	uint64_t time, position;	/* the order */
	uint32_t cpu, pid, other;	/* pid: a thread's, as the kernel numbers them */
	uint8_t kind;			/* enum sched_kind */
	bool runnable;			/* SCHED_SWITCH: @pid goes on waiting */
};

struct sched_gaps {		/* gaps that the steps show */
	uint64_t nr_switches, nr_wakes;
	uint64_t first_time;		/* of the first one, ns */
	uint32_t first_cpu;
};

struct runqueues;

/*
 * Replay @nr steps, which are sorted here. @wakes: wake-ups were recorded, of new threads too; without them a thread
 * that comes may have slept, and only those that were preempted are known to wait. Owned by the caller.
 */
struct runqueues *runqueues_new(struct sched_step *steps, size_t nr, bool wakes);
void runqueues_free(struct runqueues *q);
/* How long thread @pid waited for a CPU, ns; 0 for one that is not in the steps. */
uint64_t runqueues_waited(const struct runqueues *r, uint32_t pid);
struct sched_gaps runqueues_gaps(const struct runqueues *r);

struct runqueue_cursor { uint32_t cpu; size_t at; };	/* a worker's last answer; {0} to begin with */

/* How many wait for @cpu at @time, a step of that very time being done. Safe from any thread, each with its cursor. */
uint16_t runqueue_length(const struct runqueues *r, struct runqueue_cursor *c, uint32_t cpu, uint64_t time);

#endif
