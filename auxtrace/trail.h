/*
 * A thread's trail: what its branches leave behind, from which call chains and last branches of samples are made.
 *
 * Calls that have not returned are a stack of return addresses. A return to an address that is not in the stack leaves it
 * alone (its call was not seen); one to an address below the top drops what is above (longjmp). A call with which tracing
 * ended is gone when tracing begins again.
 *
 * Trace is decoded in pieces, in any order. What lies under the first call of a piece is not known then: an open trail
 * keeps what it cannot decide, as marks between its calls, until trails_follow() puts it on what was before it.
 *
 *	one worker:	the same closed trails for piece after piece, trails_clear() at the first one of a queue
 *	many:		decode all pieces, in any order, with open trails (trails_new(.., true)); one after the other
 *			trails_follow() tells what each begins with, and decode them again, in any order, with that
 * Layer: auxtrace
 */
#ifndef AUXTRACE_TRAIL_H
#define AUXTRACE_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/base/wire.h"

struct trail_opts {
	bool calls;		/* follow calls and returns */
	unsigned branches;	/* how many of the last branches are kept; 0: none */
	/* Where tracing began or ended is no branch, and those before it are forgotten: between two there is no jump unseen. */
	bool unbroken;
};

struct trail_branch {
	uint64_t from, to;	/* 0: not known (tracing began, or ended, there) */
	uint32_t flags;		/* enum synth_flag */
	uint64_t size;		/* bytes of the branch instruction: a call returns so far behind .from; 0: it was an interrupt */
};

enum trail_mark_kind {
	TRAIL_CALL,		/* returns to ip */
	TRAIL_LAST_CALL,	/* the same, and tracing ended with it */
	TRAIL_RETURN,		/* undecided: a return to ip */
	TRAIL_BEGIN,		/* undecided: tracing began, calls with which it had ended are gone */
};

struct trail_mark { uint64_t ip; uint32_t kind; };
struct trail_jump { uint64_t from, to, flags; };	/* flags as in struct perf_branch_entry */

struct trail {
	uint32_t tid;
	uint32_t era, first_era;	/* see trails_of(); the one of the last branch, and of the first */
	const struct trail_opts *opts;	/* borrowed from the set */
	bool open;			/* more is, or may be, below the first mark and before the first branch */
	uint64_t below;			/* closed: how many calls are below the first mark, though it is not known which */
	size_t low;			/* how few marks were left at any time: trails_follow()'s own */
	VEC(struct trail_mark) marks;
	struct trail_jump *jumps;	/* owned; a ring of opts->branches; NULL until there is one */
	unsigned next_jump, nr_jumps;
	bool broken;			/* those from before are not of this run */
};

/* A trail for each thread: of a queue, or of a piece of it. */
struct trails {
	struct trail_opts opts;
	bool open;
	VEC(struct trail *) list;	/* owned */
	struct index by_tid;		/* to positions in the list */
};

struct trails *trails_new(const struct trail_opts *opts, bool open);
void trails_free(struct trails *t);	/* NULL is fine */
/* Forget all: the beginning of a queue. */
void trails_clear(struct trails *t);

/*
 * The trail of thread @tid, made where there is none; at a fixed address. @era: a number that changes when the thread has
 * been somewhere else in between, of which these trails know nothing: what it left behind is forgotten then.
 */
struct trail *trails_of(struct trails *t, uint32_t tid, uint32_t era);

/* That of thread @tid as it is; NULL: there is none. */
const struct trail *trails_find(const struct trails *t, uint32_t tid);

/*
 * @log are the open trails of the piece that follows what @t knows: now @t knows that piece, too. Returns what of @t's
 * knowledge before it decoding the piece again begins with: closed, owned by the caller.
 */
struct trails *trails_follow(struct trails *t, const struct trails *log);
/* Let @to have @from's trail of thread @tid, if that has one and @to has none. */
void trails_lend(struct trails *to, const struct trails *from, uint32_t tid);
/* A copy of closed trails, owned by the caller. */
struct trails *trails_copy(const struct trails *t);

/* A branch was taken, or tracing began or ended. */
void trail_take(struct trail *t, const struct trail_branch *b);

/* How deep in calls; of an open trail: within the piece. */
uint64_t trail_depth(const struct trail *t);
/*
 * The call chain of a sample at @ip: up to @max words in @out, markers (PERF_CONTEXT_*) included: one stands before @ip, and
 * wherever the chain crosses @kernel_start. @t may be NULL. Returns how many.
 */
size_t trail_chain(const struct trail *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
/* Up to @max of the last branches, the last one first. @t may be NULL. Returns how many. */
size_t trail_jumps(const struct trail *t, struct trail_jump *out, size_t max);

/*
 * The same for a sample that was taken at @ip and told of later, when more was traced already: what the kernel did since
 * is left out. The chain begins with @ip.
 */
size_t trail_late_chain(const struct trail *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
size_t trail_late_jumps(const struct trail *t, struct trail_jump *out, size_t max, uint64_t ip, uint64_t kernel_start);

/* Words of one's own as a sample has them. */
static inline struct words words_of(const void *data, uint64_t nr)
{
	return (struct words){ .nr = nr, .data = data };
}

#endif
