/*
 * Finds the times when threads were off the CPU, from context switches, wake-ups, forks and exits.
 *
 * One switch may be recorded by several sources: the tracepoint, the software event and the SWITCH record. The first record
 * begins or ends a wait, the others add data to it. A thread is known from its own first record on. If it is off the CPU at the
 * end of the recording, it waits until then.
 * Layer: sched
 */
#ifndef CORE_SCHED_WAITS_H
#define CORE_SCHED_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/sched/wait_args.h"

#define WAIT_NO_TASK	UINT32_MAX
#define WAIT_NO_WAKER	UINT32_MAX	/* no thread: it is not known who, */
#define WAIT_INTERRUPT	(UINT32_MAX - 1)	/* or an interrupt */
#define WAIT_NOWHERE	UINT64_MAX	/* no record of the file */

/*
 * How a thread left the CPU: identifier, name (wait_state_name()), meaning. The first is that of an unknown state, too.
 * Source: TASK_* of include/linux/sched.h, Linux 4.14 to 6.18.
 */
#define WAIT_STATES(ROW)								\
	ROW(BLOCKED, "blocked", "by itself")						\
	ROW(PREEMPTED, "preempted", "it could have run on")				\
	ROW(SLEEPING, "sleeping", "a signal ends it, too")				\
	ROW(UNINTERRUPTIBLE, "uninterruptible", "none does")				\
	ROW(STOPPED, "stopped", "by a signal")						\
	ROW(TRACED, "traced", "by a debugger")						\
	ROW(PARKED, "parked", "a thread of the kernel")					\
	ROW(IDLE, "idle", "uninterruptible, and no load: a thread of the kernel")	\
	ROW(NEW, "new", "it was made, and has not run yet")				\
	ROW(READY, "ready", "of a wait, the part without a free CPU")			\
	ROW(EXITED, "exited", "it does not come back: no wait")

#define WAIT_STATE_IDENTIFIER(id, name, meaning) WAIT_##id,
enum wait_state { WAIT_STATES(WAIT_STATE_IDENTIFIER) NR_WAIT_STATES };
#undef WAIT_STATE_IDENTIFIER

enum wait_step_kind {
	WAIT_STEP_OUT, WAIT_STEP_IN,
	WAIT_STEP_WAKE,		/* @tid is woken */
	WAIT_STEP_FORKED, WAIT_STEP_END,
	WAIT_STEP_CALL,		/* @tid enters a system call, of which .args has what stands at @position */
	WAIT_STEP_SAMPLE,	/* @tid runs: where it is now stands for where it leaves */
	WAIT_STEP_EXEC,		/* @tid runs, and has just become another program */
};

/*
 * Sources of a switch. The thread that leaves also names the next one, before the kernel switches: by the tracepoint, and by
 * its own record; or by the tracepoint of all CPUs if that gives only the next thread, in addition to the threads' own.
 */
enum wait_source {
	WAIT_BY_TRACEPOINT = 1, WAIT_BY_EVENT = 2, WAIT_BY_RECORD = 4, WAIT_BY_RECORD_BEFORE = 8, WAIT_BY_NEXT = 16,
};

struct wait_step {		/* one record's statement about one thread */
	uint64_t time, position;	/* the order; ns, and in the file */
	uint32_t tid, cpu;
	union {
		uint32_t pid;		/* UINT32_MAX: unknown */
		uint32_t waker;		/* of WAKE: a tid, or WAIT_INTERRUPT */
	};
	uint8_t kind, state;		/* enum wait_step_kind; enum wait_state, of WAIT_STEP_OUT */
	uint8_t source;			/* enum wait_source, of OUT and IN */
	bool has_stack;			/* of OUT: the record at @position has where it was */
};

/* True if it is a thread that can wait: not the idle task, nor a thread past its end. */
static inline bool wait_is_of_thread(uint32_t tid)
{
	return tid != 0 && tid != UINT32_MAX;
}

struct wait {
	uint64_t from, to;	/* ns; to 0: it is none, when it ended was not seen */
	uint64_t ready;		/* when it could run again; 0: not known */
	uint64_t stack;		/* the record that says where it was, or WAIT_NOWHERE */
	uint64_t waker;		/* that of the wake-up, or WAIT_NOWHERE */
	uint32_t task, cpu;	/* number of its thread; the CPU that it left */
	uint32_t waker_tid;	/* or WAIT_NO_WAKER, WAIT_INTERRUPT */
	uint32_t args;		/* of the call that it is in: a number of waits->args, or WAIT_NO_ARGS */
	uint8_t state;
	bool earlier;		/* @stack is of the last sample before */
	bool open;		/* it had not ended at the end of the recording */
	uint64_t nr;		/* as many are summed up here: only how long they took together is known; 0: it is one */
};

struct wait_task {		/* a life of a thread */
	uint32_t pid, tid;
	uint64_t first, last;		/* when it was seen */
	uint64_t on, off, runnable;	/* ns; runnable is not part of off */
	uint32_t before;		/* number of the life before of the same tid, or WAIT_NO_TASK */
};

struct wait_gaps { uint64_t nr_out, nr_in; };	/* switches that are missing, as others show */

struct waits {
	VEC(struct wait) list;		/* by .from */
	VEC(struct wait) sums;		/* as .list, for waits that are not in it */
	VEC(struct wait_task) tasks;
	struct wait_gaps gaps;
	struct index by_tid;		/* of .latest */
	VEC(uint32_t) latest;		/* the last life of each tid */
	struct wait_args_list args;
};

/*
 * Replay @nr steps, which are sorted here, as are @args, which it takes (NULL: none); @end: of the recording, ns. Owned by the
 * caller.
 */
struct waits *waits_new(struct wait_step *steps, size_t nr, uint64_t end, struct wait_args_list *args);
void waits_free(struct waits *w);
/* Add what was summed up while recording: threads were off the CPU for so long, where the steps say that they were on it. */
void waits_add_sums(struct waits *w, const struct wait *sums, size_t nr);

/* By time, then by position; steps that are equal in both keep their order. */
void wait_steps_sort(struct wait_step *steps, size_t nr);

/* The number of a thread's life at a time, ns; WAIT_NO_TASK: unknown thread. */
uint32_t waits_task_at(const struct waits *w, uint32_t tid, uint64_t time);

/* "sleeping". */
const char *wait_state_name(enum wait_state state);
/* The state in prev_state of sched_switch. */
enum wait_state wait_state_of(uint64_t prev_state);
/* How long it was ready, but not running: ns. */
uint64_t wait_delay(const struct wait *w);

#endif
