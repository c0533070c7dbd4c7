/*
 * Finds the thread that ran on a CPU at a given time, from the context switches, ITRACE_START records and AUX records of the
 * recording. worker.c assigns decoded samples to threads with it. If the trace itself has a tid, finds the thread with this tid.
 */
#ifndef AUXTRACE_CPU_TASK_H
#define AUXTRACE_CPU_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct aux_queue;
struct aux_window;
struct machine;
struct session;
struct thread;

struct cpu_task {		/* a thread, from the time when it gets a CPU to the time when it leaves it */
	uint64_t from, to;	/* ns, [from, to); .to is UINT64_MAX: until the recording ends */
	uint32_t pid, tid;
	uint32_t epoch;		/* migration epoch: number of the thread's earlier moves between CPUs */
};

struct cpu_schedule { VEC(struct cpu_task) tasks; };

struct cpu_tasks {		/* = {0}; cpu_tasks_release() */
	VEC(struct cpu_schedule) cpus;	/* by CPU number */
	VEC(struct cpu_task) threads;	/* the threads that ITRACE_START records name; .from and .to are unused */
};

/* To be called before the session has a source. */
void cpu_tasks_gather(struct cpu_tasks *t, struct session *s);
void cpu_tasks_release(struct cpu_tasks *t);

/*
 * Returns the task that ran in @q's trace at @time and position @at. Its pid and tid are AUX_NONE if it is not known. In the trace
 * of a CPU, it is the task of the last context switch, or of the ITRACE_START record, which names the thread that ran when tracing
 * started. If neither covers @time, it is the task of the AUX record at @at.
 */
struct cpu_task cpu_task_at(const struct cpu_tasks *t, const struct aux_queue *q, uint64_t time, uint64_t at);

/* True if @window wants any task that may have run in @q's trace from @from to @to (ns). */
bool cpu_task_wanted(const struct cpu_tasks *t, const struct aux_queue *q, const struct aux_window *window, uint64_t from,
		uint64_t to);

struct tids {				/* = {0}; tids_release() */
	VEC(const struct thread *) list;	/* by tid, then by time; the threads are borrowed from the machine */
};

/* Lists the threads of @m, which must be sealed (machine.h). */
void tids_gather(struct tids *t, const struct machine *m);
void tids_release(struct tids *t);
/* The thread that had @tid at @time, or the next one that had it; NULL: none. */
const struct thread *tids_find(const struct tids *t, uint32_t tid, uint64_t time);

#endif
