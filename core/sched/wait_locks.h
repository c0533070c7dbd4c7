/*
 * Finds the locks that threads wait for (waits.h), and the threads that held them. wait_samples.c shows the result in
 * samples of waits.
 *
 * If one thread ends another thread's wait for a lock, it has released the lock. Between two releases of a lock, the thread that
 * made the second release held the lock, or was about to take it:
 *
 *	released by       1           2                3
 *	lock        ------|-----------|----------------|---
 *	waiter          [   held by 2     held by 3    ]
 *
 */
#ifndef CORE_SCHED_WAIT_LOCKS_H
#define CORE_SCHED_WAIT_LOCKS_H

#include "core/sched/waits.h"

#define WAIT_NO_LOCK	UINT32_MAX
#define WAIT_MAX_PARTS	64u	/* maximum parts of a wait. If there are more releases, the holders at this many evenly spaced times
				 * are taken */

struct wait_lock {
	uint64_t value;		/* as in struct wait_args */
	uint64_t time;		/* time of the first wait for it, ns */
	uint32_t pid;
	uint32_t name;		/* as in struct wait_args; a descriptor with a new file is a new lock */
	uint8_t kind;		/* enum arch_call_kind */
	bool held;		/* all waits for it have .held in their arguments, so a thread that releases the lock has held it */
	size_t first, nr;	/* the range of its releases in .releases */
};

struct wait_release { uint64_t time; uint32_t lock, task; };

struct wait_locks {
	VEC(struct wait_lock) list;		/* in order of their first calls in the file */
	VEC(uint32_t) of_args;			/* by index in waits->args: a lock, or WAIT_NO_LOCK */
	VEC(struct wait_release) releases;	/* by lock and time */
};

struct wait_part { uint64_t to; uint32_t task; };	/* .to: the part's end, ns; .task: the holder, or WAIT_NO_TASK: unknown */

/* Finds the locks of all waits, and their releases. Owned by the caller: wait_locks_free(). */
struct wait_locks *wait_locks_new(const struct waits *w);
void wait_locks_free(struct wait_locks *l);
/* The lock of @wait: its number, or WAIT_NO_LOCK. */
uint32_t wait_locks_of(const struct wait_locks *l, const struct wait *wait);
/*
 * Splits @wait, which is for @lock, by holders, up to the time when its thread was ready. Parts are in order of time. Returns the
 * number of parts, at least 1. O(log n). A wait is divided among the threads that released the lock during the wait. For other
 * objects (a condition variable, a semaphore), only the threads that ended the waits are known.
 */
unsigned wait_locks_split(const struct wait_locks *l, uint32_t lock, const struct wait *wait,
			  struct wait_part parts[WAIT_MAX_PARTS]);

#endif
