/*
 * Finds the critical path of a thread for prec report --critical-path: for each moment, the thread (of any process) whose work
 * it depended on. core/show/report/critical_path.c prints the path.
 *
 * The search goes back in time from @at. At the wake-up that ended a wait, the search goes on in the waker:
 *
 *	waiter   ...running |----- off ------| ready |running @at
 *	waker        off ...|ready|running...^ wakes
 *
 */
#ifndef CORE_SCHED_WAIT_PATH_H
#define CORE_SCHED_WAIT_PATH_H

#include "core/sched/waits.h"

#define PATH_NO_WAIT	SIZE_MAX

enum path_kind { PATH_RUNNING, PATH_READY, PATH_OFF };

struct path_step {
	uint64_t from, to;	/* ns */
	size_t wait;		/* index in waits->list: this wait; for RUNNING, the wait before it, or PATH_NO_WAIT */
	uint32_t task;		/* number in waits->tasks */
	uint8_t kind;		/* enum path_kind */
	bool wakes;		/* at .to, this thread wakes the thread of the next step */
};

struct wait_path { VEC(struct path_step) steps; };	/* in order of time, without gaps; vec_free(&path.steps) */

/* The waits of each thread, in order of time. */
struct wait_lists;
struct wait_lists *wait_lists_new(const struct waits *w);	/* @w is borrowed */
void wait_lists_free(struct wait_lists *l);

/*
 * Finds the path of @task from @since to @at, ns. The path begins later if it reaches the start of a thread. If an interrupt or an
 * unknown thread ended a wait, the search stays in the waiter.
 */
void wait_path_find(struct wait_path *out, const struct wait_lists *l, uint32_t task, uint64_t since, uint64_t at);

#endif
