/*
 * A worker's state: flow -> samples. What it is told by the flow it tells on as samples (samples.c); who runs is asked
 * where the flow says that it may have changed, and pieces are taken one after the other (sampler.c).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_SAMPLER_H
#define AUXTRACE_CS_ETM_SAMPLER_H

#include "auxtrace/cs_etm/stage.h"
#include "core/base/buf.h"
#include "core/flow/item.h"

struct block_cache;
struct cs_flow;
struct where_cache;

struct cs_spaces { uint32_t user, kernel; };

enum pending { NOTHING, BEGIN, BRANCH };	/* a branch to be told when it is known where it went */

struct cs_sampler {
	struct cs_stage *stage;
	struct cs_taker calls;
	struct block_cache *cache;
	struct cs_flow *flow;
	const struct cs_cpu *cpu;	/* whose .flow is */
	struct where_cache *where_cache;
	struct buf scratch;
	const struct cs_streams *streams;	/* of unit number .unit: the unit's, or .unpacked */
	struct cs_streams unpacked;
	size_t unit;
	uint64_t unit_time;		/* of its AUX record, as the machine knows it */
	VEC(struct cs_spaces) spaces;	/* what the numbers mean that the flow has for spaces */
	uint32_t space;
	/* Of the piece at work. */
	struct cs_span *piece;
	uint64_t piece_time;
	const struct cs_stream *stream;
	const struct item_sink *sink;	/* NULL: only count */
	uint32_t gaps[CS_NR_GAPS];
	struct who who;
	uint32_t cid, vmid;		/* of which .who is */
	const struct where *where;
	struct {			/* the last instruction executed */
		bool known;
		uint64_t ip;
		uint32_t flags, size;
	} last;
	struct trails *trails;		/* of the stream; NULL: nobody wants them. Borrowed, or the survey's */
	struct trail *trail;		/* the thread's; NULL: it is not known */
	bool trail_moved;		/* since .chain and .jumps were made */
	uint64_t *chain;		/* owned, as is .jumps; with room for as many as are asked for */
	struct trail_jump *jumps;
	size_t nr_chain, nr_jumps;
	uint64_t base, rest;		/* see struct cs_span */
	enum pending pending;
	uint64_t from, to, returns;	/* returns: behind it, if it is a call */
	uint32_t flags, size;
	struct record record;
	struct sample sample;
	struct item item;
};

/* Who runs at @p, and where: w->who, w->where, w->trail, w->space. */
void cs_look_around(struct cs_sampler *w, const struct cs_point *p);
/* The time of @p in ns, and as the machine knows it. */
uint64_t cs_now(const struct cs_sampler *w, const struct cs_point *p);
uint64_t cs_machine_time(const struct cs_sampler *w, const struct cs_point *p);

/* The calls that make samples of what the flow tells. @silent: only count, and follow threads' trails. */
void cs_choose_calls(struct cs_taker *out, const struct cs_stage *s, bool silent);
/* What is left of a period, with the branches that led there, where tracing breaks off. */
void cs_give_rest(struct cs_sampler *w, struct cs_point *p);
/* Tracing ended behind the last instruction. */
void cs_give_end(struct cs_sampler *w, struct cs_point *p);
/* The branch that is still pending went to @to. */
void cs_give_pending(struct cs_sampler *w, const struct cs_point *p, uint64_t to);

#endif
