/*
 * Finds how many threads waited in a CPU's run queue at a given time, from samples of the scheduler's tracepoints, which
 * runqueues.c collects. The running thread does not count, and the idle task never waits.
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

struct sched_step {		/* one sample of a scheduler tracepoint */
	uint64_t time, position;	/* .time: ns; .position: in the file. Steps are ordered by both */
	uint32_t cpu, pid, other;	/* pid: the kernel's number of a thread */
	uint8_t kind;			/* enum sched_kind */
	bool runnable;			/* SCHED_SWITCH: @pid is still runnable, so it waits */
};

struct sched_gaps {		/* missing events, which later events show */
	uint64_t nr_switches, nr_wakes;
	uint64_t first_time;		/* when the first missing event was detected, ns */
	uint32_t first_cpu;
};

struct runqueues;

/*
 * Sorts and replays @nr steps. @wakes: wake-ups were recorded, also of new threads. Without them, a thread that is switched in may
 * have slept, so only preempted threads are known to wait. Owned by the caller. The state of a thread before its first event, or
 * after a missing event, is inferred from its next event. With @wakes, a thread that is switched in without a wake-up is taken to
 * have waited until then. If records of wake-ups are missing, the thread may have been asleep, so an inferred wait is used only if
 * it is no longer than the longest wait with a recorded begin and end.
 */
struct runqueues *runqueues_new(struct sched_step *steps, size_t nr, bool wakes);
void runqueues_free(struct runqueues *q);
/* How long thread @pid waited for a CPU, ns; 0 for a thread that is not in the steps. */
uint64_t runqueues_waited(const struct runqueues *r, uint32_t pid);
struct sched_gaps runqueues_gaps(const struct runqueues *r);

struct runqueue_cursor { uint32_t cpu; size_t at; };	/* a worker's last result; {0} at first */

/* The number of threads that wait for @cpu after the events at @time. May be called from any thread, with its own cursor. */
uint16_t runqueue_length(const struct runqueues *r, struct runqueue_cursor *c, uint32_t cpu, uint64_t time);

#endif
