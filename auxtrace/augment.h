/*
 * Augmented samples: ordinary samples of other events get the call chain and the last branches that their thread had at that
 * time, according to the trace (--itrace=G, L).
 *
 *	augmented_samples_gather()	collects these samples, sorted by queue and time
 *	augmented_samples_report()	stores a thread stack for one of them while the trace is decoded; threads may call
 *					it at the same time for different samples
 *	augmented_samples_add()		from then on the session's samples have the addition
 *
 * Layer: auxtrace
 */
#ifndef AUXTRACE_AUGMENT_H
#define AUXTRACE_AUGMENT_H

#include "auxtrace/thread_stack.h"
#include "core/read/session.h"

struct aux_queues;

struct augmented_sample {
	uint64_t time;		/* item.at */
	uint64_t position;	/* item.position */
	uint64_t ip;
	uint32_t queue;		/* its number */
	uint32_t tid;
	uint32_t nr_chain, nr_branch_entries;
	uint64_t *words;	/* owned: the chain, then 3 for each jump; NULL: none */
};

struct augmented_sample_opts {
	unsigned chain_depth, branches;	/* 0: not wanted */
	uint64_t kernel_start;
	bool timeless;			/* the trace has no times: only samples that carry some of it are at a known place in it */
};

struct augmented_samples {			/* = {0}; augmented_samples_release() */
	struct sample_augmenter augmenter;	/* first */
	struct augmented_sample_opts opts;
	VEC(struct augmented_sample) list;	/* by queue and time */
	VEC(size_t) by_position;
};

/* To be called before the session has a source, and before events are added to those of the file. */
void augmented_samples_gather(struct augmented_samples *all, struct session *s, const struct aux_queues *queues,
		       const struct augmented_sample_opts *opts);
void augmented_samples_release(struct augmented_samples *all);

/* The number of the first one of @queue at or after @time; list.nr: there is none. */
size_t augmented_samples_from(const struct augmented_samples *all, uint32_t queue, uint64_t time);
/* @stack: the stack of its thread when it was taken; NULL: unknown. */
void augmented_samples_report(struct augmented_samples *all, size_t number, const struct thread_stack *stack);
void augmented_samples_add(struct augmented_samples *all, struct session *s);

#endif
