/*
 * Decodes one part of a CoreSight trace, from a synchronisation point on, in a worker thread. It runs the decoder of flow.h over
 * the part, and the decoder calls samples.c, which synthesizes the samples.
 */
#include "auxtrace/cs_etm/sampler.h"

#include <string.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/packet.h"
#include "core/arch.h"

#define NO_CHUNK SIZE_MAX

/* ---- pieces ---- */

static struct cs_worker *sampler_new(struct cs_stage *stage, bool silent)
{
	struct cs_worker *w = xcalloc(1, sizeof(*w));

	aux_worker_init(&w->aux, &stage->aux);
	w->stage = stage;
	w->chunk = NO_CHUNK;
	w->cache = block_cache_new(&arch_arm64, aux_read_code, &w->aux);
	cs_choose_calls(&w->calls, stage, silent);
	return w;
}

static void decode_chunk(struct cs_worker *w, size_t chunk)
{
	const struct cs_chunk *c = &w->stage->chunks.v[chunk];

	if (w->chunk == chunk)
		return;
	cs_streams_release(&w->unpacked);
	if (w->chunk < w->stage->chunks.nr && !w->stage->chunks.v[w->chunk].kept)
		aux_queue_release(w->stage->chunks.v[w->chunk].queue, w->stage->chunks.v[w->chunk].from,
				 w->stage->chunks.v[w->chunk].to);
	if (!c->kept)
		cs_chunk_unpack(&w->unpacked, w->stage, c, &w->scratch);
	w->streams = c->kept ? &c->streams : &w->unpacked;
	w->chunk = chunk;
}

static void decode_cpu(struct cs_worker *w, const struct cs_cpu *cpu)
{
	if (w->cpu == cpu)
		return;
	cs_flow_free(w->flow);
	w->flow = cs_flow_new(&cpu->config, w->cache, &w->calls, w);
	w->cpu = cpu;
}

/* True if a Trace On packet follows this piece before any packet that implies execution. */
static bool tracing_restarts_after(const struct cs_worker *w)
{
	const struct cs_stream *s = w->stream;
	size_t at = w->piece->to;
	struct cs_packet pkt;
	int size;

	while ((size = cs_packet_read(&pkt, s->data + at, s->len - at, &w->cpu->config)) > 0) {
		switch (pkt.type) {
		case CS_TRACE_ON:
			return true;
		case CS_ASYNC:
		case CS_TRACE_INFO:
		case CS_TIMESTAMP:
		case CS_EVENT:
		case CS_IGNORE:
			break;
		default:
			return false;
		}
		at += (size_t)size;
	}
	return false;
}

/* Reports the branch out of the piece to the begin of the next one, whose decoder does not know the source. */
static void finish_branches(struct cs_worker *w, struct cs_point *p)
{
	if (!w->calls.branch || w->piece->last)
		return;
	if (tracing_restarts_after(w))
		cs_give_end(w, p);
	else if (w->pending == PENDING_BRANCH)
		cs_give_pending(w, p, w->to);
}

/* Counts of instructions continue from the piece before. Periods count from the last break of tracing. */
void cs_span_follow(struct aux_stage *s, size_t number)
{
	struct cs_span *p = &((struct cs_stage *)s)->pieces.v[number];

	p->insns_before = p[-1].insns_before + p[-1].insns;
	p->base = p[-1].rest == CS_NO_REST ? p[-1].base : p[-1].insns_before + p[-1].rest;
}

static void note_results(struct cs_worker *w, size_t number, uint64_t insns)
{
	struct aux_stage *stage = &w->stage->aux;
	struct cs_span *p = w->piece;

	p->insns = insns - p->insns_before;
	p->rest = w->rest == CS_NO_REST ? CS_NO_REST : w->rest - p->insns_before;
	memcpy(p->gaps, w->gaps, sizeof(p->gaps));
	if (stage->in_order && number + 1 < stage->source.pieces.nr && !aux_is_first(stage, number + 1))
		cs_span_follow(stage, number + 1);
}

static void decode_piece(struct cs_worker *w, size_t number, const struct item_sink *sink)
{
	struct cs_span *piece = &w->stage->pieces.v[number];
	const struct cs_chunk *chunk = &w->stage->chunks.v[piece->chunk];
	uint64_t period = w->stage->period;
	struct cs_point *p;

	decode_chunk(w, piece->chunk);
	decode_cpu(w, piece->cpu);
	w->piece = piece;
	w->stream = cs_streams_find(w->streams, piece->cpu->config.id);
	aux_worker_begin(&w->aux, chunk->queue, chunk->from, w->stage->aux.source.pieces.v[number].time, sink);
	w->aux.cpu = piece->cpu->cpu;
	w->last.known = false;
	w->pending = PENDING_NOTHING;
	memset(w->gaps, 0, sizeof(w->gaps));
	p = cs_flow_point(w->flow);
	p->insns = piece->insns_before;
	w->base = piece->base;
	w->rest = CS_NO_REST;
	/* Samples are due at whole periods after .base. */
	p->stop = w->calls.passed ? p->insns - (p->insns - w->base) % period + period : UINT64_MAX;
	cs_flow_run(w->flow, w->stream, piece->from, piece->to);
	finish_branches(w, p);
	if (piece->last)
		cs_end_period(w, p);
	note_results(w, number, p->insns);
}

/* ---- for a prescan ---- */

void *cs_sampler_new_prescan(struct aux_stage *s)
{
	return sampler_new((struct cs_stage *)s, true);
}

struct thread_stacks *cs_sampler_prescan(void *worker, size_t piece)
{
	struct cs_worker *w = worker;
	struct aux_stage *s = &w->stage->aux;

	w->aux.stacks = s->follow ? thread_stacks_new(&s->stack, true) : NULL;
	decode_piece(w, piece, NULL);
	return w->aux.stacks;
}

/* ---- struct item_source ---- */

void *cs_sampler_new(struct item_source *s)
{
	return sampler_new((struct cs_stage *)s, false);
}

void cs_sampler_free(struct item_source *s, void *worker)
{
	struct cs_worker *w = worker;

	cs_flow_free(w->flow);
	block_cache_free(w->cache);
	cs_streams_release(&w->unpacked);
	buf_release(&w->scratch);
	aux_worker_release(&w->aux);
	free(w);
}

void cs_sampler_decode(struct item_source *source, void *worker, size_t piece, const struct item_sink *sink)
{
	struct aux_stage *s = (struct aux_stage *)source;
	struct cs_worker *w = worker;

	if (!aux_turn_begin(s, piece, &w->aux.stacks))
		return;
	decode_piece(w, piece, sink);
	aux_turn_end(s, piece, w->aux.stacks);
}
