/*
 * Decodes all parts of a hardware trace in parallel, without output, to find the state at the start of each part, such as the
 * call stack of each thread. aux_stage_order() (stage.h) decides whether samples need this pass.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_PRESCAN_H
#define AUXTRACE_PRESCAN_H

#include <stddef.h>

struct thread_stacks;

struct prescan_ops {			/* all functions get the stage of prescan() */
	void *(*worker_new)(void *stage);
	void (*worker_free)(void *stage, void *worker);
	/* Decodes piece @number. Returns its thread stacks; NULL: they are not wanted. */
	struct thread_stacks *(*decode)(void *stage, void *worker, size_t number);
	/* Called for each piece in order, by one thread at a time, with its stacks @log, which the callee frees. */
	void (*settle)(void *stage, size_t number, struct thread_stacks *log);
};

/*
 * Decodes @nr pieces with @jobs threads, in any order. A piece is a part of the trace that can be decoded without the parts before
 * it. When all earlier pieces are done, .settle() combines the result of a piece with theirs.
 */
void prescan(const struct prescan_ops *ops, void *stage, size_t nr, unsigned jobs);

#endif
