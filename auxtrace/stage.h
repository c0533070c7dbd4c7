/*
 * Defines the data that the decoders of all trace devices have, such as the trace of each CPU. Also chooses the order in which
 * worker threads decode the parts of the trace. worker.h has the data of one worker thread.
 */
#ifndef AUXTRACE_STAGE_H
#define AUXTRACE_STAGE_H

#include <pthread.h>

#include "auxtrace/cpu_task.h"
#include "auxtrace/itrace.h"
#include "auxtrace/queue.h"
#include "auxtrace/thread_stack.h"
#include "core/read/source.h"

struct aux_stage;
struct session;

/*
 * The functions of a device for a prescan, which decodes all pieces without output, to find the state at the start of each. .follow
 * and .complete may be NULL: there is nothing to do.
 */
struct aux_prescan_ops {
	void *(*worker_new)(struct aux_stage *s);	/* freed by source.worker_free() */
	/* Decodes piece @number without output. Returns its thread stacks, owned by the caller; NULL: they are not wanted. */
	struct thread_stacks *(*decode)(void *worker, size_t number);
	/* Sets the start state of piece @number, which is not its stream's first, from the end state of the pieces before. */
	void (*follow)(struct aux_stage *s, size_t number);
	/* Adds stacks to @start, with which piece @number begins, for threads that are not in @log, its own stacks. */
	void (*complete)(struct aux_stage *s, size_t number, struct thread_stacks *start, const struct thread_stacks *log);
};

struct aux_stream {
	size_t turn;			/* the number of the piece that may be decoded now. Guarded by the stage's lock */
	struct thread_stacks *stacks;		/* owned; as of the last piece that was decoded in order. NULL: not wanted */
};

struct aux_stage {			/* aux_stage_init(), aux_stage_free() */
	struct item_source source;	/* must be first: the session uses it */
	struct session *session;
	struct itrace_opts opts;
	struct aux_queues queues;
	struct cpu_tasks tasks;
	struct tids tids;		/* empty if the trace names no threads */
	uint64_t kernel_start;
	bool timeless;			/* samples have no time */
	struct thread_stack_opts stack;
	bool follow;			/* samples have call chains or last branches, so thread stacks are needed */
	bool in_order;			/* a stream's pieces are decoded one after the other */
	bool in_turns;			/* .in_order is set, and several threads decode: each piece waits for the one before it */
	bool prescanned;			/* the start states of all pieces are known */
	bool in_vain;			/* a pass has failed: no piece waits for its turn any more. Guarded by .lock */
	pthread_mutex_t lock;
	pthread_cond_t turned;		/* some stream's turn has changed */
	VEC(struct aux_stream) streams;	/* source.nr_streams of them, once the order is chosen */
	VEC(struct thread_stacks *) starts;	/* by piece, owned: after a prescan, the thread stacks when the piece begins */
};

/* @s must be zeroed, except for the functions in .source, to which this adds skip(). */
void aux_stage_init(struct aux_stage *s, struct session *session, const struct itrace_opts *opts, uint64_t kernel_start);
/* Frees a device's stage, whose other members are released. */
void aux_stage_free(struct aux_stage *s);

/* Finds the task in @q's trace: the thread @tid that the trace names, or, if @tid is AUX_NONE, by cpu_task_at(). */
struct cpu_task aux_stage_who(const struct aux_stage *s, const struct aux_queue *q, uint32_t tid, uint64_t time, uint64_t at);

/* True if piece @number is its stream's first. */
static inline bool aux_is_first(const struct aux_stage *s, size_t number)
{
	return !number || s->source.pieces.v[number - 1].stream != s->source.pieces.v[number].stream;
}

/*
 * Chooses the order in which workers decode the pieces. A piece is a part of a stream (the trace of a CPU or thread) at whose start
 * decoding can begin. Call it when all pieces are listed, and .stack and .follow are set.
 *
 * A sample may depend on earlier pieces, because it counts instructions or has a call chain or last branches (@history). Then the
 * pieces of a stream are decoded one after the other, each by any free thread, while other threads decode other streams. If there
 * are more than two threads per stream, all pieces are decoded twice instead: first in a prescan, in any order. @in_order: samples
 * depend on earlier pieces in a way that a prescan cannot compute.
 */
void aux_stage_order(struct aux_stage *s, const struct aux_prescan_ops *ops, bool history, bool in_order);
/* Calls @piece for all pieces, in any order and in several threads, each with a worker of its own. */
void aux_stage_each(struct aux_stage *s, void *(*worker_new)(struct aux_stage *s),
		    void (*piece)(void *ctx, void *worker, size_t number), void *ctx);

/* True if piece @i, whose stream ends before piece @end, may have samples that @window wants. */
typedef bool aux_wanted_fn(const struct aux_stage *s, const struct aux_window *window, size_t i, size_t end);
/*
 * Drops the pieces that are not wanted from .source, and from @pieces, the device's own array of elements of @size bytes. With
 * @history, keeps every piece before a wanted one of the same stream. Keeps all if window->wants is NULL.
 */
void aux_stage_choose(struct aux_stage *s, const struct aux_window *window, aux_wanted_fn *is_wanted, bool history, void *pieces,
		      size_t size);

/*
 * Waits until a worker may decode piece @number. Returns false if the pass has failed, and the piece must not be decoded. *out:
 * the thread stacks with which the piece begins, to be updated; NULL: they are not wanted.
 */
bool aux_turn_begin(struct aux_stage *s, size_t number, struct thread_stacks **out);
/* To be called after decoding, with @stacks from aux_turn_begin(); not if that returned false. */
void aux_turn_end(struct aux_stage *s, size_t number, struct thread_stacks *stacks);
/* Resets the turns after a pass that has not decoded all pieces. */
void aux_turns_reset(struct aux_stage *s);

#endif
