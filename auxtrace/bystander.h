/*
 * Samples of the recording's other events, taken while a trace ran: what the trace knows of their threads at their times
 * is added to them, call chains and last branches (--itrace=G, L).
 *
 *	bystanders_gather()	all of them, by queue and time
 *	bystanders_tell()	while the trace is decoded: what its trails know at a time; by several threads, of different ones
 *	bystanders_add()	from then on the session's samples have it
 *
 * Layer: auxtrace
 */
#ifndef AUXTRACE_BYSTANDER_H
#define AUXTRACE_BYSTANDER_H

#include "auxtrace/trail.h"
#include "core/flow/session.h"

struct aux_queues;

struct bystander {
	uint64_t time;		/* item.at */
	uint64_t position;	/* item.position */
	uint64_t ip;
	uint32_t queue;		/* its number */
	uint32_t tid;
	uint32_t nr_chain, nr_jumps;
	uint64_t *words;	/* owned: of the chain, then 3 of each jump; NULL: nothing was told */
};

struct bystander_opts {
	unsigned chain_depth, branches;	/* 0: not wanted */
	uint64_t kernel_start;
	bool timeless;			/* the trace has no times: only samples that carry some of it are at a known place in it */
};

struct bystanders {			/* = {0}; bystanders_release() */
	struct sample_augmenter augmenter;	/* first */
	struct bystander_opts opts;
	VEC(struct bystander) list;	/* by queue and time */
	VEC(size_t) by_position;
};

/* To be called before the session has a source, and events beside the file's. */
void bystanders_gather(struct bystanders *b, struct session *s, const struct aux_queues *queues,
		       const struct bystander_opts *opts);
void bystanders_release(struct bystanders *b);

/* The first one of @queue at or behind @time; the number of them all: there is none. */
size_t bystanders_from(const struct bystanders *b, uint32_t queue, uint64_t time);
/* @trail is that of its thread when it was taken; NULL: nothing is known of it. */
void bystanders_tell(struct bystanders *b, size_t number, const struct trail *trail);
void bystanders_add(struct bystanders *b, struct session *s);

#endif
