/*
 * Thread stacks, as perf calls them: the calls of a thread that have not returned, and its last branches. They give the call
 * chains and branch stacks of samples.
 *
 * Open calls are a stack of return addresses. A return to an address that is not in the stack is ignored (its call was not
 * seen); one to an address below the top drops the entries above (longjmp). A call out of the traced code, at which tracing
 * ended, is dropped when tracing begins again.
 *
 * Trace is decoded in pieces, in any order. The calls below the first one of a piece are unknown then: an open thread stack
 * keeps the returns into them as marks between its calls, until thread_stacks_follow() puts it on the stack of the piece before.
 *
 *	one worker:	the same closed thread stacks for piece after piece, thread_stacks_clear() at the first one of a queue
 *	many:		decode all pieces, in any order, with open thread stacks (thread_stacks_new(.., true)); one after the other
 *			thread_stacks_follow() gives the start of each; decode them again, in any order, with that
 * Layer: auxtrace
 */
#ifndef AUXTRACE_THREAD_STACK_H
#define AUXTRACE_THREAD_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/base/wire.h"

struct thread_stack_opts {
	bool calls;		/* follow calls and returns */
	unsigned branches;	/* how many of the last branches are kept; 0: none */
	/* Last branches have no gaps: the start and the end of tracing are not branches, and drop earlier ones. */
	bool unbroken;
};

struct thread_stack_branch {
	uint64_t from, to;	/* 0: not known (tracing began, or ended, there) */
	uint32_t flags;		/* enum synth_flag */
	uint64_t size;		/* bytes of the branch instruction: a call returns so far after .from; 0: it was an interrupt */
};

enum thread_stack_mark_kind {
	STACK_CALL,		/* returns to ip */
	STACK_LAST_CALL,	/* the same, and tracing ended with it */
	STACK_RETURN,		/* undecided: a return to ip */
	STACK_BEGIN,		/* undecided: tracing began, calls with which it had ended are gone */
};

struct thread_stack_mark { uint64_t ip; uint32_t kind; };
struct branch_entry { uint64_t from, to, flags; };	/* flags as in struct perf_branch_entry */

struct thread_stack {
	uint32_t tid;
	uint32_t epoch, first_epoch;	/* see thread_stacks_of(); the one of the last branch, and of the first */
	const struct thread_stack_opts *opts;	/* borrowed from the set */
	bool open;			/* unknown calls may be below the first mark, and unknown branches before the first */
	uint64_t nr_below;		/* closed: the number of unknown calls below the first mark */
	size_t low;			/* the smallest number of marks since thread_stacks_follow(), which uses it */
	VEC(struct thread_stack_mark) marks;
	struct branch_entry *branch_entries;	/* owned; a ring of opts->branches; NULL until there is one */
	unsigned next_entry, nr_branch_entries;
	bool broken;			/* earlier branches were dropped (.unbroken) */
};

/* A thread stack for each thread: of a queue, or of a piece of it. */
struct thread_stacks {
	struct thread_stack_opts opts;
	bool open;
	VEC(struct thread_stack *) list;	/* owned */
	struct index by_tid;		/* to positions in the list */
};

struct thread_stacks *thread_stacks_new(const struct thread_stack_opts *opts, bool open);
void thread_stacks_free(struct thread_stacks *t);	/* NULL is fine */
/* Forget all: the beginning of a queue. */
void thread_stacks_clear(struct thread_stacks *t);

/*
 * The stack of thread @tid, made if there is none; at a fixed address. @epoch: its migration epoch, a number that changes
 * when the thread was on another CPU meanwhile, of which these stacks know nothing: the old stack is dropped then.
 */
struct thread_stack *thread_stacks_of(struct thread_stacks *t, uint32_t tid, uint32_t epoch);

/* The stack of thread @tid as it is; NULL: there is none. */
const struct thread_stack *thread_stacks_find(const struct thread_stacks *t, uint32_t tid);

/*
 * Moves @t over the next piece, whose open thread stacks are @log. Returns the closed stacks with which decoding the piece again
 * begins: the part of @t before it that the piece needs. Owned by the caller.
 */
struct thread_stacks *thread_stacks_follow(struct thread_stacks *t, const struct thread_stacks *log);
/* Copies the stack of thread @tid from @from to @to, if @to has none. */
void thread_stacks_lend(struct thread_stacks *to, const struct thread_stacks *from, uint32_t tid);
/* A copy of closed thread stacks, owned by the caller. */
struct thread_stacks *thread_stacks_copy(const struct thread_stacks *t);

/* A branch was taken, or tracing began or ended. */
void thread_stack_on_branch(struct thread_stack *t, const struct thread_stack_branch *b);

/* The call depth; of an open thread stack: within the piece. */
uint64_t thread_stack_depth(const struct thread_stack *t);
/*
 * The call chain of a sample at @ip: up to @max words in @out, markers (PERF_CONTEXT_*) included: one stands before @ip, and
 * wherever the chain crosses @kernel_start. @t may be NULL. Returns how many.
 */
size_t thread_stack_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
/* Up to @max of the last branches, the last one first. @t may be NULL. Returns how many. */
size_t thread_stack_branches(const struct thread_stack *t, struct branch_entry *out, size_t max);

/*
 * As above for a sample that was taken at @ip, but reported after more trace: calls and branches of the kernel since then, which
 * handle the sampling interrupt, are left out. The chain begins with @ip.
 */
size_t thread_stack_late_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
size_t thread_stack_late_branches(const struct thread_stack *t, struct branch_entry *out, size_t max, uint64_t ip,
				  uint64_t kernel_start);

/* Words of one's own as a sample has them. */
static inline struct words words_of(const void *data, uint64_t nr)
{
	return (struct words){ .nr = nr, .data = data };
}

#endif
