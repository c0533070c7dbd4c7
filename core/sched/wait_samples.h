/*
 * Makes samples of an additional event, "offcpu-time", from the context switches and wake-ups of a recording, so that every command
 * can show waits. cmd/input.c calls it.
 */
#ifndef CORE_SCHED_WAIT_SAMPLES_H
#define CORE_SCHED_WAIT_SAMPLES_H

#include "core/sched/wait_locks.h"
#include "core/sched/wait_reason.h"
#include "core/sched/waits.h"

struct filter;
struct item;
struct session;
struct trace_event;

/* Results of wait_view_waker() that are no comm: the waker is unknown, or an interrupt. */
#define COMM_UNKNOWN	UINT32_MAX
#define COMM_INTERRUPT	(UINT32_MAX - 1)

/* Results of wait_view_holder(): one of these, and a number in the lower 32 bits. */
#define WAIT_HOLDER_TASK	(1ull << 32)	/* index in session_waits()->tasks of the thread that held the lock */
#define WAIT_HOLDER_RELEASED	(2ull << 32)	/* index in session_waits()->tasks of the thread that ended the wait, but may not
						 * have held the lock */
#define WAIT_HOLDER_NAME	(3ull << 32)	/* number for machine_comm() of the unknown thread that ended the wait */
#define WAIT_HOLDER_INTERRUPT	(4ull << 32)
#define WAIT_HOLDER_CPU		(5ull << 32)	/* the thread was ready, and waited for a CPU */
#define WAIT_HOLDER_UNKNOWN	(6ull << 32)

struct wait_view {		/* the wait of a sample of this event: struct sample.wait */
	const struct wait *wait, *whole;	/* .wait: a part of .whole, or all of it */
	struct wait_worker *worker;	/* reads the record of the wake-up on demand */
	enum wait_reason reason;
	uint32_t lock;			/* a number of session_wait_locks(), or WAIT_NO_LOCK */
	uint64_t holder;		/* WAIT_HOLDER_*; 0: the thread that ended the wait */
};

/* The sample of the wake-up, borrowed as long as the sample of the wait; NULL: none. */
const struct item *wait_view_woken_by(const struct wait_view *v);
/* The name of the waker: a number for machine_comm(), or COMM_UNKNOWN, COMM_INTERRUPT. */
uint32_t wait_view_waker(const struct wait_view *v);
/* The holder: WAIT_HOLDER_*. */
uint64_t wait_view_holder(const struct wait_view *v);

struct waits_opts {
	bool forced;		/* add waits even if the recording was made without --off-cpu */
	unsigned max_depth;	/* for call chains: see item_reader_init() */
};

/*
 * Replays the switches and adds the event, if the recording was made with --off-cpu or @o->forced is set. Marks the source events
 * (struct event.hidden_source). Call it once, before the passes. Returns 0, also if it did nothing: live streams, headers without
 * data, and recordings without times have no waits. Returns -1 (printed) if @o->forced is set, but the recording has no switches or
 * no times. A sample of the event has the time and the stack of the switch out; its period is the time off the CPU in ns.
 */
int session_add_waits(struct session *s, const struct waits_opts *o);
/* The waits; NULL: session_add_waits() added none. */
const struct waits *session_waits(const struct session *s);
/* The locks of the waits; NULL: the recording has no waits, or no arguments of system calls. */
const struct wait_locks *session_wait_locks(const struct session *s);
/*
 * Makes samples only of the parts of waits in the filter's time ranges, each at the begin of its part; sums of waits are
 * unchanged. Call it before the passes.
 */
void session_clip_waits(struct session *s, const struct filter *f);
/*
 * From now on, the time in which the thread of a wait was ready is a sample of its own, a wait for a CPU. @holders: also makes a
 * sample for each part of a wait with a different holder.
 */
void session_split_waits(struct session *s, bool holders);
/* Adds an event whose samples are times, in ns, with call chains; @config: SYNTH_*. */
struct event *session_add_time_event(struct session *s, uint64_t config, const char *name);
/* The event "offcpu-time", borrowed from the session; NULL: there are no waits. */
const struct event *session_waits_event(const struct session *s);

/*
 * From now on, each wait becomes two samples of @wall: the time off the CPU, and the time in which the thread was ready. Returns
 * the depth of call chains, as in struct waits_opts. Call it only if there are session_waits().
 */
unsigned session_waits_are_wall(struct session *s, const struct event *wall);

/* Reads single waits as samples, by their index in session_waits()->list; for one thread. */
struct wait_worker;
struct wait_worker *wait_worker_new(const struct session *s);
void wait_worker_free(struct wait_worker *w);
/* The sample of a wait, borrowed until the next call. */
const struct item *wait_worker_read(struct wait_worker *w, size_t number);

/*
 * The switches, wake-ups and other records of a recording from which waits are computed. wait_steps.c collects them. The caller
 * frees .list and .sums by vec_free(). waits_new() takes over .args.
 */
struct wait_steps {
	VEC(struct wait_step) list;
	struct wait_args_list args;
	VEC(uint64_t) sums;	/* positions of records with sums of waits, ascending */
	bool summed;		/* there is an event for sums */
	bool switches;		/* context switches were recorded by any event */
	bool stacks;		/* context switches were recorded with call chains */
	bool wakes;		/* wake-ups were recorded */
	uint64_t end;		/* the latest time in the recording, ns */
};
void wait_steps_gather(struct wait_steps *out, const struct session *s);
/* True if @t is a tracepoint of all system calls with their numbers. */
bool wait_steps_is_call(const struct trace_event *t);

#endif
