/*
 * Finds the calls in a recording: functions entered and left, for each thread, from the branches of a hardware trace or from
 * probes at a function's entry and return.
 *
 * A call reaches from the instruction that made it to the return that ends it. Nothing is invented:
 *
 * - A function that was already running when tracing began has an inferred begin; so has each caller that a return leads to. A
 *   function that still runs when tracing ends has an inferred end.
 * - A gap (lost trace, a decode error, a time that a filter leaves out) ends all calls of the threads that it affects, and a new
 *   segment begins after it. No call spans a gap.
 *
 * A jump to the first instruction of another function is a tail call: that function runs inside the one that jumped, and one
 * return ends both. A jump into the middle of a function that has not returned ends all calls that it made (longjmp). While a
 * thread is in a system call, an interrupt or other code that is not traced, it is in a call named "[syscall]", "[interrupt]" or
 * "[untraced]".
 * Layer: profile
 */
#ifndef CORE_PROFILE_CALL_WALK_H
#define CORE_PROFILE_CALL_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_places;
struct filter;
struct session;

enum call_flag {
	CALL_BEGIN_INFERRED	= 1,	/* it ran already when tracing began */
	CALL_END_INFERRED	= 2,	/* it still ran when tracing ended */
	CALL_OUTERMOST		= 4,	/* no other call of the function was open around it: .alone_* are what it adds to totals */
	CALL_UNTRACED		= 8,	/* no call: the thread was elsewhere, see above */
};

/*
 * A finished call. Calls inside it were reported before. Times are ns of the recording's clock, instructions those of the
 * thread.
 */
struct walked_call {
	uint32_t function;		/* of call_walk_places() */
	uint32_t thread;		/* the machine's number */
	uint32_t segment;		/* numbers the stretches of a thread's trace between gaps */
	int32_t level;			/* callers have lower ones; comparable within the segment only */
	int64_t order;			/* of calls in the segment: callers before callees */
	uint32_t flags;			/* enum call_flag */
	uint64_t begin, end, insns;
	/* The part that calls of the same function around or inside it do not count: totals count recursion once. */
	uint64_t alone_ns, alone_insns;
};

/* Orders two struct walked_call for qsort(3): by thread, segment and order. */
int walked_call_compare(const void *a, const void *b);

struct call_walk;

struct call_walk_opts {
	const struct filter *filter;	/* borrowed */
	bool insns;			/* count instructions: all branches of the trace must be there, not calls alone */
	void (*call)(void *ctx, const struct call_walk *w, const struct walked_call *call);
	/* Time that passed, and instructions that ran, in the function itself, not in what it called. NULL: not wanted. */
	void (*self)(void *ctx, uint32_t function, uint64_t ns, uint64_t insns);
	void *ctx;
};

struct call_walk_seen {			/* the input's extent */
	uint64_t branches, probes;	/* samples */
	uint64_t gaps;			/* that ended calls */
};

/* Walk over all of @s; its trace's source is attached already. Owned by the caller: call_walk_free(). */
struct call_walk *call_walk_new(struct session *s, const struct call_walk_opts *o);
void call_walk_free(struct call_walk *w);

/* The functions that were called; borrowed. */
const struct code_places *call_walk_places(const struct call_walk *w);
struct call_walk_seen call_walk_seen(const struct call_walk *w);

#endif
