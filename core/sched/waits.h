/*
 * Finds the times when threads were off the CPU, from context switches, wake-ups, forks and exits. wait_samples.c makes samples of
 * these waits.
 */
#ifndef CORE_SCHED_WAITS_H
#define CORE_SCHED_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

#define WAIT_NO_TASK	UINT32_MAX
#define WAIT_NO_WAKER	UINT32_MAX	/* the thread that ended the wait is unknown */
#define WAIT_INTERRUPT	(UINT32_MAX - 1)	/* an interrupt ended the wait */
#define WAIT_NOWHERE	UINT64_MAX	/* no position in the file */
#define WAIT_NO_ARGS	UINT32_MAX
#define WAIT_NO_NAME	UINT32_MAX

/*
 * How a thread left the CPU: identifier, name (wait_state_name()), meaning. The first one also stands for an unknown state.
 * Source: TASK_* of include/linux/sched.h, Linux 4.14 to 6.18.
 */
#define WAIT_STATES(ROW)								\
	ROW(BLOCKED, "blocked", "it waits, but how is not known")				\
	ROW(PREEMPTED, "preempted", "it could have run on")				\
	ROW(SLEEPING, "sleeping", "it waits, and a signal ends that, too")		\
	ROW(UNINTERRUPTIBLE, "uninterruptible", "it waits, and no signal ends that")	\
	ROW(STOPPED, "stopped", "by a signal")						\
	ROW(TRACED, "traced", "by a debugger")						\
	ROW(PARKED, "parked", "a thread of the kernel")					\
	ROW(IDLE, "idle", "uninterruptible, and no load: a thread of the kernel")	\
	ROW(NEW, "new", "it was made, and has not run yet")				\
	ROW(READY, "ready", "woken, but without a free CPU")	\
	ROW(EXITED, "exited", "the thread has ended: no wait")

#define WAIT_STATE_IDENTIFIER(id, name, meaning) WAIT_##id,
enum wait_state { WAIT_STATES(WAIT_STATE_IDENTIFIER) NR_WAIT_STATES };
#undef WAIT_STATE_IDENTIFIER

enum wait_step_kind {
	WAIT_STEP_OUT, WAIT_STEP_IN,
	WAIT_STEP_WAKE,		/* @tid is woken */
	WAIT_STEP_FORKED, WAIT_STEP_END,
	WAIT_STEP_CALL,		/* @tid enters a system call; waits->args has its argument by @position */
	WAIT_STEP_SAMPLE,	/* a sample of @tid, whose stack is used if the switch out has none */
	WAIT_STEP_EXEC,		/* @tid runs, and has just executed another program */
};

/*
 * Sources of a switch: the tracepoint sched_switch, the software event context-switches, and the SWITCH record of the thread.
 * WAIT_BY_RECORD_BEFORE: the SWITCH record of the thread that leaves names the next thread, before the kernel switches.
 * WAIT_BY_NEXT: a sched_switch that is used only for the next thread, because another event has the switches out, with stacks. The
 * first record of a switch begins or ends a wait, and the other records add data to it.
 */
enum wait_source {
	WAIT_BY_TRACEPOINT = 1, WAIT_BY_EVENT = 2, WAIT_BY_RECORD = 4, WAIT_BY_RECORD_BEFORE = 8, WAIT_BY_NEXT = 16,
};

/* The argument of a system call that a thread may wait in, such as the address of a futex: it identifies what is waited for. */
struct wait_args {
	uint64_t position;	/* position of the call's record in the file */
	uint64_t value;		/* an address, a descriptor, a pid */
	uint32_t pid;		/* the process, in which the address or descriptor is valid */
	uint32_t name;		/* the name of a descriptor: index in features->descriptors, or WAIT_NO_NAME */
	uint8_t kind;		/* enum arch_call_kind */
	bool held;		/* the call waits for a futex that is a held lock: wait_args_are_held() */
};

struct wait_args_list { VEC(struct wait_args) list; };	/* by .position */

struct wait_step {		/* the contents of one record about one thread; begins as struct order_key */
	uint64_t time, position;	/* .time: ns; .position: in the file. Steps are ordered by both */
	uint32_t tid, cpu;
	union {
		uint32_t pid;		/* UINT32_MAX: unknown */
		uint32_t waker;		/* WAIT_STEP_WAKE: the tid of the waker, or WAIT_INTERRUPT */
	};
	uint8_t kind, state;		/* .kind: enum wait_step_kind; .state: enum wait_state, for WAIT_STEP_OUT */
	uint8_t source;			/* enum wait_source, for WAIT_STEP_OUT and WAIT_STEP_IN */
	bool has_stack;			/* for WAIT_STEP_OUT: the record at .position has the stack */
};

/* True if @tid is a thread that can wait: not the idle task or a thread that has exited. */
static inline bool wait_is_of_thread(uint32_t tid)
{
	return tid != 0 && tid != UINT32_MAX;
}

struct wait {
	uint64_t from, to;	/* ns; .to is 0 if the end was not recorded: this is no wait */
	uint64_t ready;		/* when it could run again; 0: not known */
	uint64_t stack;		/* position of the record with the stack, or WAIT_NOWHERE */
	uint64_t waker;		/* position of the record of the wake-up, or WAIT_NOWHERE */
	uint32_t task, cpu;	/* .task: index in waits->tasks; .cpu: the CPU that the thread left */
	uint32_t waker_tid;	/* or WAIT_NO_WAKER, WAIT_INTERRUPT */
	uint32_t args;		/* the system call that the thread is in: index in waits->args, or WAIT_NO_ARGS */
	uint8_t state;
	bool earlier;		/* .stack is that of the last sample before the switch out */
	bool open;		/* the wait had not ended at the end of the recording */
	uint64_t nr;		/* the sum of this many waits, with only their total time known; 0: a single wait */
};

struct wait_task {		/* a thread, from its start to its end: a tid may be used again */
	uint32_t pid, tid;
	uint64_t first, last;		/* times of its first and last record */
	uint64_t on, off, runnable;	/* .on: on the CPU; .off: waiting; .runnable: ready to run, not part of .off. All in ns */
	uint32_t before;		/* index of the previous thread with this tid, or WAIT_NO_TASK */
};

struct wait_gaps { uint64_t nr_out, nr_in; };	/* numbers of missing switches out and in, which other records show */

struct waits {
	VEC(struct wait) list;		/* by .from */
	VEC(struct wait) sums;		/* sums of waits that are not in .list */
	VEC(struct wait_task) tasks;
	struct wait_gaps gaps;
	struct index by_tid;		/* index of .latest */
	VEC(uint32_t) latest;		/* for each tid, the index in .tasks of the last thread that had it */
	struct wait_args_list args;
};

/*
 * Sorts and replays @nr steps. Takes over and sorts @args (NULL: none). @end: the end of the recording, ns. Owned by the caller. A
 * thread is known from its first record on. If a thread is off the CPU at the end of the recording, its wait lasts until then.
 */
struct waits *waits_new(struct wait_step *steps, size_t nr, uint64_t end, struct wait_args_list *args);
void waits_free(struct waits *w);
/* Adds waits that were summed while recording: moves their time, which the steps show on the CPU, to the time off it. */
void waits_add_sums(struct waits *w, const struct wait *sums, size_t nr);

/* True if a futex @operation with value @expected waits for a lock that is held. */
bool wait_args_are_held(uint32_t operation, uint32_t expected);

/* The index in .tasks of the thread that had @tid at @time, ns; WAIT_NO_TASK: unknown. */
uint32_t waits_task_at(const struct waits *w, uint32_t tid, uint64_t time);

/* The name of a state, such as "sleeping". */
const char *wait_state_name(enum wait_state state);
/* The state that prev_state of sched_switch stands for. */
enum wait_state wait_state_of(uint64_t prev_state);
/* How long the thread of a wait was ready, but not running, ns. */
uint64_t wait_delay(const struct wait *w);

#endif
