/*
 * Builds a profile from the result of an SQL statement that has a column of call stacks, so that prec query can write a flame
 * graph of the result. Each row adds its number of samples to its stack.
 */
#ifndef CORE_SHOW_QUERY_FLAME_H
#define CORE_SHOW_QUERY_FLAME_H

#include "core/base/vec.h"
#include "core/show/query/query.h"

struct profile_builder;

struct flame_nodes { uint32_t *v; size_t nr; };	/* by stack of the recording: its number in the builder, or PROFILE_NONE */

struct flame {				/* flame_init() */
	const struct query *query;	/* borrowed */
	struct profile_builder *builder;
	unsigned stack, number, comm;	/* numbers of columns; .comm FLAME_NO_COLUMN: there is no such column */
	uint32_t event;			/* its number in the builder; PROFILE_NONE: there was no result yet */
	struct flame_nodes nodes[QUERY_MAX_RECORDINGS];
	VEC(uint32_t) threads;		/* by string of a name: the thread of this name; PROFILE_NONE: none yet */
	uint32_t nr_threads;
	uint64_t nr_left_out;		/* rows without a stack, or without a number above 0 */
};

#define FLAME_NO_COLUMN	UINT32_MAX

/* Returns the sink for a statement of @q. Call flame_end() afterwards in any case. */
struct query_sink flame_init(struct flame *f, const struct query *q);
/* Returns the profile, owned by the caller: profile_free(). NULL: there was no result. */
struct profile *flame_end(struct flame *f);

#endif
