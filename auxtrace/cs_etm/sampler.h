/*
 * Defines the state of a worker thread that decodes parts (pieces, stage.h) of a CoreSight trace. sampler.c runs the decoder of
 * flow.h over one part after the other. samples.c has the callbacks that synthesize samples.
 */
#ifndef AUXTRACE_CS_ETM_SAMPLER_H
#define AUXTRACE_CS_ETM_SAMPLER_H

#include "auxtrace/cs_etm/stage.h"
#include "auxtrace/worker.h"

struct block_cache;
struct cs_flow;

/* The event whose target, the next block, is not known yet: none, the begin of tracing, or a taken branch. */
enum pending { PENDING_NOTHING, PENDING_BEGIN, PENDING_BRANCH };

struct cs_worker {
	struct aux_worker aux;		/* first */
	struct cs_stage *stage;
	struct cs_sink calls;		/* callbacks of the flow: samples.c */
	struct block_cache *cache;
	struct cs_flow *flow;
	const struct cs_cpu *cpu;	/* the CPU whose trace .flow follows */
	struct buf scratch;
	const struct cs_streams *streams;	/* the streams of chunk number .chunk: the .streams of the chunk, or .unpacked */
	struct cs_streams unpacked;
	size_t chunk;
	/* State of the piece that is being decoded. */
	struct cs_span *piece;
	const struct cs_stream *stream;
	uint32_t gaps[CS_NR_GAPS];
	struct {			/* the last instruction executed */
		bool known;
		uint64_t time;		/* the time in the trace when it ran */
		uint64_t ip;
		uint32_t flags, size;	/* SYNTH_*; bytes */
	} last;
	uint64_t base, rest;		/* as in struct cs_span, but .rest counts from the begin of the stream */
	enum pending pending;
	/* The branch, if .pending is PENDING_BRANCH. */
	uint64_t from, to, returns;	/* .returns: the return address, if it is a call */
	uint32_t flags, size;		/* SYNTH_*; bytes of the branch instruction */
};

/* Sets the callbacks of @out for the samples that @s wants. @silent: only count and update thread stacks (a prescan). */
void cs_choose_calls(struct cs_sink *out, const struct cs_stage *s, bool silent);
/* At a break in the trace: emits the incomplete sampling period as a sample, and begins the next one here. */
void cs_end_period(struct cs_worker *w, struct cs_point *p);
/* Tracing ended after the last instruction: emit the incomplete period and a branch to 0. */
void cs_give_end(struct cs_worker *w, struct cs_point *p);
/* Emits the pending event, whose target is @to. */
void cs_give_pending(struct cs_worker *w, const struct cs_point *p, uint64_t to);

#endif
