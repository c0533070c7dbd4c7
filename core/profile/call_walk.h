/*
 * Finds the function calls of each thread, from the branches of a hardware trace or from probes at function entry and return.
 * Profiles (session_calls.c), prec report --durations and the SQL table "calls" show them.
 */
#ifndef CORE_PROFILE_CALL_WALK_H
#define CORE_PROFILE_CALL_WALK_H

#include "core/profile/profile.h"

struct code_places;
struct filter;
struct session;

/* A finished call, after the calls inside it. Times: ns of the recording's clock; instructions: of the thread. */
struct walked_call {
	uint32_t function;		/* number in call_walk_places() */
	uint32_t thread;		/* the machine's number of the thread */
	uint32_t segment;		/* number of the part of the thread's trace between two gaps */
	int32_t level;			/* a caller has a lower level than its callees; comparable only within a segment */
	int64_t order;			/* sorts the calls of a segment so that callers are before callees */
	uint32_t flags;			/* enum call_flag */
	uint64_t begin, end, insns;
	/* The call's part of its function's totals, which count nested calls of one function (recursion) only once. */
	uint64_t alone_ns, alone_insns;
};

/* Orders two struct walked_call for qsort(3): by thread, segment and order. */
int walked_call_compare(const void *a, const void *b);

struct call_walk;

struct call_walk_opts {
	const struct filter *filter;	/* borrowed */
	bool insns;			/* count instructions; needs all branches of the trace, not only calls */
	void (*call)(void *ctx, const struct call_walk *w, const struct walked_call *call);
	/* Self time and instructions of a function, without the functions that it called. NULL: not wanted. */
	void (*self)(void *ctx, uint32_t function, uint64_t ns, uint64_t insns);
	void *ctx;
};

struct call_walk_seen {			/* what the recording has */
	uint64_t branches, probes;	/* numbers of samples */
	uint64_t gaps;			/* number of gaps that ended calls */
};

/*
 * Walks over all of @s; the source of its trace must be attached. Owned by the caller: call_walk_free().
 *
 * A call reaches from the instruction that made it to the return that ends it. Two rules hold for calls that are not fully traced:
 *
 * - If a function was already running when tracing began, its begin is marked as inferred. The callers of this function are not
 *   known until a return leads to them, and their begins are marked, too. If a function still runs when tracing ends, its end is
 *   marked as inferred.
 * - A gap (lost trace, a decode error, or a time that a filter excludes) ends all calls of the threads that it affects. A new
 *   segment of the thread begins after the gap. No call spans a gap.
 *
 * A jump to the first instruction of another function is a tail call: that function runs inside the function that jumped, and one
 * return ends both. A jump into the middle of a function that has not returned ends all calls that this function made (longjmp).
 * While a thread is in a system call, an interrupt or other code that is not traced, it is in a call named "[syscall]",
 * "[interrupt]" or "[untraced]".
 */
struct call_walk *call_walk_new(struct session *s, const struct call_walk_opts *o);
void call_walk_free(struct call_walk *w);

/* The functions that were called; borrowed. */
const struct code_places *call_walk_places(const struct call_walk *w);
struct call_walk_seen call_walk_seen(const struct call_walk *w);

#endif
