/*
 * Keeps the open calls and the last branches of a thread while a hardware trace is decoded, in a state that perf calls a thread
 * stack. worker.c makes the call chains and branch stacks of samples from it.
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
	/* Last branches have no gaps: when tracing starts or ends, earlier branches are dropped, and no branch is added. */
	bool unbroken;
};

struct thread_stack_branch {
	uint64_t from, to;	/* 0: not known (tracing began, or ended, there) */
	uint32_t flags;		/* enum synth_flag */
	uint64_t size;		/* bytes of the branch instruction: a call returns to .from + .size; 0: it was an interrupt */
};

enum thread_stack_mark_kind {
	STACK_CALL,		/* returns to ip */
	STACK_LAST_CALL,	/* returns to ip, and tracing ended with this call */
	STACK_RETURN,		/* undecided: a return to ip */
	STACK_BEGIN,		/* undecided: tracing began, so calls with which it had ended are dropped */
};

struct thread_stack_mark { uint64_t ip; uint32_t kind; };
struct branch_entry { uint64_t from, to, flags; };	/* flags as in struct perf_branch_entry */

/*
 * The calls are kept as a stack of return addresses. A return to an address that is not in the stack is ignored, because its call
 * was not traced. A return to an address below the top drops the entries above it (longjmp). Tracing may end at a call into code
 * that is not traced. This call is dropped when tracing begins again.
 *
 * A trace is decoded in pieces (stage.h), possibly in any order. Then the calls from before the start of a piece are unknown. The
 * thread stack of such a piece is *open*: it keeps the returns from these earlier calls as marks between its own calls.
 * thread_stacks_follow() puts an open thread stack on the stack of the piece before. The result is a *closed* thread stack.
 */
struct thread_stack {
	uint32_t tid;
	uint32_t epoch, first_epoch;	/* thread_stacks_of(): .epoch is that at the last branch, .first_epoch at the first */
	const struct thread_stack_opts *opts;	/* borrowed from the set */
	bool open;			/* unknown calls may be below the first mark, and unknown branches before the first */
	uint64_t nr_below;		/* of a closed stack: number of calls below the first mark, which were dropped */
	size_t low;			/* the smallest number of marks since thread_stacks_follow(), which uses it */
	VEC(struct thread_stack_mark) marks;
	struct branch_entry *branch_entries;	/* owned; a ring of opts->branches; NULL until there is one */
	unsigned next_entry, nr_branch_entries;
	bool broken;			/* earlier branches were dropped (.unbroken) */
};

/*
 * The thread stacks of all threads in a queue, or in one piece of a queue.
 *
 *	one worker:	uses the same closed thread stacks for all pieces, and calls thread_stacks_clear() at the first piece of a
 *			queue
 *	many workers:	decode all pieces, in any order, with open thread stacks (thread_stacks_new(.., true)). Then
 *			thread_stacks_follow(), called for the pieces in order, gives the stacks at the start of each piece, and
 *			the workers decode the pieces again with these stacks, in any order
 */
struct thread_stacks {
	struct thread_stack_opts opts;
	bool open;
	VEC(struct thread_stack *) list;	/* owned */
	struct index by_tid;		/* positions in .list */
};

struct thread_stacks *thread_stacks_new(const struct thread_stack_opts *opts, bool open);
void thread_stacks_free(struct thread_stacks *t);	/* NULL is fine */
/* Empties all stacks, at the beginning of a queue. */
void thread_stacks_clear(struct thread_stacks *t);

/*
 * Returns the stack of thread @tid, at a fixed address, and makes it if it does not exist. @epoch: the thread's migration epoch, a
 * number that changes when the thread was on another CPU. Its calls there are not in these stacks, so its old stack is emptied
 * then.
 */
struct thread_stack *thread_stacks_of(struct thread_stacks *t, uint32_t tid, uint32_t epoch);

/* Returns the stack of thread @tid as it is; NULL: it does not exist. */
const struct thread_stack *thread_stacks_find(const struct thread_stacks *t, uint32_t tid);

/*
 * Updates @t by the next piece, whose open thread stacks are @log. Returns the closed stacks at the start of the piece, with which
 * it is decoded again: the part of @t that the piece needs. Owned by the caller.
 */
struct thread_stacks *thread_stacks_follow(struct thread_stacks *t, const struct thread_stacks *log);
/* Copies the stack of thread @tid from @from to @to, if @to has none. */
void thread_stacks_lend(struct thread_stacks *to, const struct thread_stacks *from, uint32_t tid);
/* Returns a copy of closed thread stacks, owned by the caller. */
struct thread_stacks *thread_stacks_copy(const struct thread_stacks *t);

/* Updates the stack: a branch was taken, or tracing began or ended. */
void thread_stack_on_branch(struct thread_stack *t, const struct thread_stack_branch *b);

/* Returns the call depth. In an open thread stack, it counts only the calls within the piece. */
uint64_t thread_stack_depth(const struct thread_stack *t);
/*
 * Writes the call chain of a sample at @ip: up to @max words in @out, including markers (PERF_CONTEXT_*) before @ip and wherever
 * the chain crosses @kernel_start. @t may be NULL. Returns the number of words.
 */
size_t thread_stack_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
/* Writes up to @max of the last branches, the last one first. @t may be NULL. Returns their number. */
size_t thread_stack_branches(const struct thread_stack *t, struct branch_entry *out, size_t max);

/*
 * Like the two functions above, for a sample that was taken at @ip, but is reported after more trace. The kernel's calls and
 * branches since then, which handle the sampling interrupt, are left out. The chain begins with @ip.
 */
size_t thread_stack_late_chain(const struct thread_stack *t, uint64_t *out, size_t max, uint64_t ip, uint64_t kernel_start);
size_t thread_stack_late_branches(const struct thread_stack *t, struct branch_entry *out, size_t max, uint64_t ip,
				  uint64_t kernel_start);

/* Makes a struct words, as samples have them, of @nr words at @data. */
static inline struct words words_of(const void *data, uint64_t nr)
{
	return (struct words){ .nr = nr, .data = data };
}

#endif
