/*
 * Waits as samples: what a recording says of context switches and wake-ups becomes samples of one more event, "offcpu-time".
 * Its period is time (ns) off the CPU, its place the stack where the thread left the CPU, its time when that was.
 * Layer: flow
 */
#ifndef CORE_FLOW_WAITS_H
#define CORE_FLOW_WAITS_H

#include "core/base/wire.h"
#include "core/model/wait_reason.h"
#include "core/model/waits.h"

struct item;
struct session;

#define WAKER_UNKNOWN	UINT32_MAX
#define WAKER_INTERRUPT	(UINT32_MAX - 1)

struct wait_view {		/* of a sample of this event: struct sample.wait */
	const struct wait *wait;
	enum wait_reason reason;
	uint32_t waker;			/* the name of who woke it, a number for machine_comm(), or WAKER_* */
	const struct item *woken_by;	/* the sample of the wake-up; NULL: none */
};

struct waits_opts {
	bool forced;		/* though it was not recorded for that */
	unsigned max_depth;	/* of call chains: item_reader_init() */
};

/*
 * Replay the switches and add the event, if the recording was made with --off-cpu or @o->forced; else nothing is done. The raw
 * events that tell of the switches are then marked (struct event.feeds). Once, before the passes. Returns 0, or -1 (printed)
 * where that was forced and the recording has no switches.
 */
int session_add_waits(struct session *s, const struct waits_opts *o);
/* The replay; NULL: session_add_waits() has added nothing. */
const struct waits *session_waits(const struct session *s);
/* Borrowed from the session; NULL likewise. */
const struct event *session_waits_event(const struct session *s);

/*
 * From now on the waits are samples of @wall, in two parts each: off the CPU, and ready. Returns how deep call chains are wanted,
 * as in struct waits_opts.
 */
unsigned session_waits_are_wall(struct session *s, const struct event *wall);

/* Single waits as samples, by their numbers in session_waits()->list; for one thread. */
struct wait_worker;
struct wait_worker *wait_worker_new(const struct session *s);
void wait_worker_free(struct wait_worker *w);
/* Borrowed until the next call. */
const struct item *wait_worker_read(struct wait_worker *w, size_t number);

/* wait_steps.c: what the records say of threads, for waits_new(), in one array. The caller's: vec_free(). */
struct wait_steps {
	VEC(struct wait_step) list;
	bool switches;		/* context switches were recorded in any way, */
	bool stacks;		/* and with call chains */
	bool wakes;		/* wake-ups were recorded */
	uint64_t end;		/* the latest time of all, ns */
};
void wait_steps_gather(struct wait_steps *out, const struct session *s);

#endif
