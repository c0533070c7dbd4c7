/*
 * Turns waits into samples: context switches and wake-ups of a recording become samples of one more event, "offcpu-time". The
 * period of such a sample is the time off the CPU (ns), its stack is that of the switch out, and so is its time.
 * Layer: sched
 */
#ifndef CORE_SCHED_WAIT_SOURCE_H
#define CORE_SCHED_WAIT_SOURCE_H

#include "core/sched/wait_locks.h"
#include "core/sched/wait_reason.h"
#include "core/sched/waits.h"

struct filter;
struct item;
struct session;
struct trace_event;

/* wait_view_waker(), in addition to the numbers of comms: an unknown waker, or an interrupt. */
#define COMM_UNKNOWN	UINT32_MAX
#define COMM_INTERRUPT	(UINT32_MAX - 1)

/* wait_view_holder(): one of these, and below it a number. */
#define WAIT_HOLDER_TASK	(1ull << 32)	/* a thread of session_waits()->tasks, which held it */
#define WAIT_HOLDER_RELEASED	(2ull << 32)	/* a task's number; it ended the wait, and may not have held anything */
#define WAIT_HOLDER_NAME	(3ull << 32)	/* machine_comm(): a thread that is not known ended it */
#define WAIT_HOLDER_INTERRUPT	(4ull << 32)
#define WAIT_HOLDER_CPU		(5ull << 32)	/* the thread could have run */
#define WAIT_HOLDER_UNKNOWN	(6ull << 32)

struct wait_view {		/* of a sample of this event: struct sample.wait */
	const struct wait *wait, *whole;	/* .wait: it, or a part of it */
	struct wait_worker *worker;	/* reads the record of the wake-up on demand */
	enum wait_reason reason;
	uint32_t lock;			/* its lock: a number of session_wait_locks(), or WAIT_NO_LOCK */
	uint64_t holder;		/* WAIT_HOLDER_*; 0: the waker */
};

/* The sample of the wake-up, borrowed for as long as that of the wait; NULL: none. */
const struct item *wait_view_woken_by(const struct wait_view *v);
/* The name of the waker: a number for machine_comm(), or COMM_UNKNOWN, COMM_INTERRUPT. */
uint32_t wait_view_waker(const struct wait_view *v);
/* The holder: WAIT_HOLDER_*. */
uint64_t wait_view_holder(const struct wait_view *v);

struct waits_opts {
	bool forced;		/* though it was not recorded for that */
	unsigned max_depth;	/* of call chains: item_reader_init() */
};

/*
 * Replays the switches and adds the event, if the recording was made with --off-cpu or @o->forced; else does nothing. Marks
 * the source events (struct event.hidden_source). Call it once, before the passes. Returns 0, also if nothing was done: live
 * streams, headers alone, and recordings without times have none. -1 (printed): it was forced and the recording has no
 * switches, or no times.
 */
int session_add_waits(struct session *s, const struct waits_opts *o);
/* The replay; NULL: session_add_waits() has added nothing. */
const struct waits *session_waits(const struct session *s);
/* Their locks; NULL: as above, or the recording has no arguments of system calls. */
const struct wait_locks *session_wait_locks(const struct session *s);
/*
 * Each wait's part in the filter's spans of time becomes a sample, at the beginning of that; sums are unchanged. Before the
 * passes.
 */
void session_clip_waits(struct session *s, const struct filter *f);
/* From now on waits are samples for each part that another thread held up. */
void session_split_waits(struct session *s);
/* Borrowed from the session; NULL: there are no waits. */
const struct event *session_waits_event(const struct session *s);

/*
 * From now on the waits are samples of @wall, in two parts each: off the CPU, and ready. Returns how deep call chains are wanted,
 * as in struct waits_opts. Only if session_waits() are there.
 */
unsigned session_waits_are_wall(struct session *s, const struct event *wall);

/* Single waits as samples, by their numbers in session_waits()->list, which is there; for one thread. */
struct wait_worker;
struct wait_worker *wait_worker_new(const struct session *s);
void wait_worker_free(struct wait_worker *w);
/* Borrowed until the next call. */
const struct item *wait_worker_read(struct wait_worker *w, size_t number);

/* wait_steps.c: thread changes in the records. The caller's: vec_free() of .list and .sums; waits_new() takes .args. */
struct wait_steps {
	VEC(struct wait_step) list;
	struct wait_args_list args;
	VEC(uint64_t) sums;	/* records of sums of waits, by position */
	bool summed;		/* there is an event for such */
	bool switches;		/* context switches were recorded in any way, */
	bool stacks;		/* and with call chains */
	bool wakes;		/* wake-ups were recorded */
	uint64_t end;		/* the latest time of all, ns */
};
void wait_steps_gather(struct wait_steps *out, const struct session *s);
/* True if it is hit by system calls of any kind, and has their numbers. */
bool wait_steps_is_call(const struct trace_event *t);

#endif
