/*
 * A worker's state. It decodes one piece after the other (sampler.c); what the flow reports becomes samples (samples.c).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_SAMPLER_H
#define AUXTRACE_CS_ETM_SAMPLER_H

#include "auxtrace/cs_etm/stage.h"
#include "auxtrace/worker.h"

struct block_cache;
struct cs_flow;

enum pending { NOTHING, BEGIN, BRANCH };	/* a branch to be told when it is known where it went */

struct cs_sampler {
	struct aux_worker aux;		/* first */
	struct cs_stage *stage;
	struct cs_sink calls;
	struct block_cache *cache;
	struct cs_flow *flow;
	const struct cs_cpu *cpu;	/* whose .flow is */
	struct buf scratch;
	const struct cs_streams *streams;	/* of chunk number .chunk: its own, or .unpacked */
	struct cs_streams unpacked;
	size_t chunk;
	/* Of the piece at work. */
	struct cs_span *piece;
	const struct cs_stream *stream;
	uint32_t gaps[CS_NR_GAPS];
	struct {			/* the last instruction executed */
		bool known;
		uint64_t ip;
		uint32_t flags, size;
	} last;
	uint64_t base, rest;		/* see struct cs_span */
	enum pending pending;
	uint64_t from, to, returns;	/* returns: after it, if it is a call */
	uint32_t flags, size;
};

/* The calls that make samples of what the flow tells. @silent: only count, and follow thread stacks. */
void cs_choose_calls(struct cs_sink *out, const struct cs_stage *s, bool silent);
/* What is left of a period, with the branches that led there, where tracing breaks off. */
void cs_give_rest(struct cs_sampler *w, struct cs_point *p);
/* Tracing ended after the last instruction. */
void cs_give_end(struct cs_sampler *w, struct cs_point *p);
/* The branch that is still pending went to @to. */
void cs_give_pending(struct cs_sampler *w, const struct cs_point *p, uint64_t to);

#endif
