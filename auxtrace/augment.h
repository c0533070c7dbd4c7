/*
 * Adds call chains and last branches, found in a hardware trace, to samples of ordinary events such as cycles (--itrace=G, L).
 * intel_pt/augment.c calls these functions while it decodes the trace.
 */
#ifndef AUXTRACE_AUGMENT_H
#define AUXTRACE_AUGMENT_H

#include "auxtrace/thread_stack.h"
#include "core/base/hash.h"
#include "core/read/session.h"

struct aux_stage;

/* A sample that gets a call chain or last branches from the trace. */
struct augmented_sample {
	uint64_t time;		/* item.at */
	uint64_t position;	/* item.position */
	uint64_t ip;
	uint32_t queue;		/* number of the trace queue of its CPU or thread */
	uint32_t tid;
	uint32_t nr_chain, nr_branch_entries;
	uint64_t *words;	/* owned: the chain, then 3 for each branch (struct branch_entry); NULL: not in the trace */
};

struct augmented_samples {			/* = {0}; augmented_samples_release() */
	struct sample_augmenter augmenter;	/* first */
	const struct aux_stage *stage;		/* borrowed */
	VEC(struct augmented_sample) list;	/* sorted by queue and time */
	struct index by_position;		/* numbers of samples in .list, by their .position */
};

/*
 * Collects the samples of the stage's session, for opts.add_chain and .add_last_branch. Call it first, before a source or an event
 * is added to the session.
 */
void augmented_samples_gather(struct augmented_samples *all, const struct aux_stage *stage);
void augmented_samples_release(struct augmented_samples *all);

/* Returns the number of the first sample at or after @time of @queue, or else of a later queue; list.nr: no sample follows. */
size_t augmented_samples_from(const struct augmented_samples *all, uint32_t queue, uint64_t time);
/*
 * Stores the call chain and last branches of sample @number while the trace is decoded. @stack: the stack of the sample's thread at
 * the sample's time; NULL: unknown. Several threads may call it at the same time for different samples.
 */
void augmented_samples_report(struct augmented_samples *all, size_t number, const struct thread_stack *stack);
/* Adds the stored chains and branches to the samples whenever the session reads them later. */
void augmented_samples_add(struct augmented_samples *all);

#endif
