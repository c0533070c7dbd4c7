/*
 * One worker's decoding of pieces: flow -> samples. Who runs is asked where the flow says that it may have changed.
 * Layer: auxtrace
 */
#include "auxtrace/cs_etm/sampler.h"

#include <string.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/packet.h"
#include "core/arch.h"
#include "core/flow/session.h"
#include "core/model/code.h"

#define NO_UNIT SIZE_MAX

/* ---- who and where ---- */

uint64_t cs_now(const struct cs_sampler *w, const struct cs_point *p)
{
	if (w->stage->clock.known && !w->stage->timeless && p->time)
		return MAX(aux_clock_ns(&w->stage->clock, p->time), w->piece_time);
	return w->piece_time;
}

/* The time as the machine knows it. */
uint64_t cs_machine_time(const struct cs_sampler *w, const struct cs_point *p)
{
	return w->stage->timeless ? w->unit_time : cs_now(w, p);
}

/* As the trace's context says; else as the records do. */
static struct who who_now(const struct cs_sampler *w, const struct cs_point *p, uint64_t time)
{
	const struct cs_unit *unit = &w->stage->units.v[w->piece->unit];
	uint32_t tid = w->cpu->tid == CS_TID_CID ? p->cid : w->cpu->tid == CS_TID_VMID ? p->vmid : 0;
	const struct thread *t;

	if (!tid)
		return who_at(&w->stage->who, unit->queue, time, unit->from);
	t = tids_find(&w->stage->tids, tid, time);
	return (struct who){ .from = t ? t->from : 0, .to = t ? t->to : UINT64_MAX, .pid = t ? t->pid : tid, .tid = tid };
}

static uint32_t number_of_spaces(struct cs_sampler *w, uint32_t user, uint32_t kernel)
{
	vec_for(s, &w->spaces)
		if (s->user == user && s->kernel == kernel)
			return (uint32_t)(s - w->spaces.v);
	vec_push(&w->spaces, (struct cs_spaces){ .user = user, .kernel = kernel });
	return (uint32_t)w->spaces.nr - 1;
}

void cs_look_around(struct cs_sampler *w, const struct cs_point *p)
{
	uint64_t time = cs_machine_time(w, p);

	if (!w->where || time < w->who.from || time >= w->who.to || p->cid != w->cid || p->vmid != w->vmid) {
		w->trail = NULL;
		w->who = who_now(w, p, time);
	} else if (time >= w->where->from && time < w->where->to) {
		return;
	}
	if (w->trails && w->who.tid != AUX_NONE)
		w->trail = trails_of(w->trails, w->who.tid, w->who.era);
	w->trail_moved = true;
	w->cid = p->cid;
	w->vmid = p->vmid;
	w->where = machine_where(w->where_cache, w->who.pid, w->who.tid, time);
	w->space = number_of_spaces(w, w->where->user_space, w->where->kernel_space);
}

static size_t read_space(const struct cs_sampler *w, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct cs_spaces *s;

	if (space >= w->spaces.nr)
		return 0;
	s = &w->spaces.v[space];
	return code_at(session_machine(w->stage->session), ip >= w->stage->kernel_start ? s->kernel : s->user, ip, out, n);
}

static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *out, size_t n)
{
	return read_space(ctx, space, ip, out, n);
}

/* ---- pieces ---- */

static struct cs_sampler *sampler_new(struct cs_stage *stage, bool silent)
{
	struct cs_sampler *w = xcalloc(1, sizeof(*w));

	w->stage = stage;
	w->unit = NO_UNIT;
	w->where_cache = where_cache_new(session_machine(stage->session));
	w->cache = block_cache_new(&arch_arm64, read_code, w);
	cs_choose_calls(&w->calls, stage, silent);
	if (stage->opts.chain)
		w->chain = xcalloc(stage->opts.chain_depth + 2, sizeof(*w->chain));
	if (stage->opts.last_branch)
		w->jumps = xcalloc(stage->opts.last_branch_depth, sizeof(*w->jumps));
	return w;
}

static void sampler_free(struct cs_sampler *w)
{
	cs_flow_free(w->flow);
	block_cache_free(w->cache);
	where_cache_free(w->where_cache);
	cs_streams_release(&w->unpacked);
	buf_release(&w->scratch);
	vec_free(&w->spaces);
	free(w->chain);
	free(w->jumps);
	free(w);
}

static void take_unit(struct cs_sampler *w, size_t unit)
{
	const struct cs_unit *u = &w->stage->units.v[unit];
	const struct aux_span *span;

	if (w->unit == unit)
		return;
	cs_streams_release(&w->unpacked);
	if (!u->kept)
		cs_unit_unpack(&w->unpacked, w->stage, u, &w->scratch);
	w->streams = u->kept ? &u->streams : &w->unpacked;
	w->unit = unit;
	span = aux_queue_span(u->queue, u->from);
	w->unit_time = span ? span->time : UINT64_MAX - 1;
}

static void take_cpu(struct cs_sampler *w, const struct cs_cpu *cpu)
{
	if (w->cpu == cpu)
		return;
	cs_flow_free(w->flow);
	w->flow = cs_flow_new(&cpu->config, w->cache, &w->calls, w);
	w->cpu = cpu;
}

/* Does tracing begin anew behind this piece, before anything else is executed? */
static bool restarts_behind(const struct cs_sampler *w)
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

/* What the next piece cannot know: where its first instruction came from. */
static void finish_branches(struct cs_sampler *w, struct cs_point *p)
{
	if (!w->calls.branch || w->piece->last)
		return;
	if (restarts_behind(w))
		cs_give_end(w, p);
	else if (w->pending == BRANCH)
		cs_give_pending(w, p, w->to);
}

void cs_span_follow(struct cs_span *p)
{
	p->insns_before = p[-1].insns_before + p[-1].insns;
	p->base = p[-1].rest == CS_NO_REST ? p[-1].base : p[-1].insns_before + p[-1].rest;
}

static void note_results(struct cs_sampler *w, uint64_t insns)
{
	struct cs_span *p = w->piece, *end = w->stage->pieces.v + w->stage->pieces.nr;
	const struct source_piece *at = &w->stage->source.pieces.v[p - w->stage->pieces.v];

	p->insns = insns - p->insns_before;
	p->rest = w->rest == CS_NO_REST ? CS_NO_REST : w->rest - p->insns_before;
	memcpy(p->gaps, w->gaps, sizeof(p->gaps));
	if (w->stage->in_order && p + 1 < end && at[1].stream == at->stream)
		cs_span_follow(p + 1);
}

static void decode_piece(struct cs_sampler *w, size_t number, const struct item_sink *sink)
{
	struct cs_span *piece = &w->stage->pieces.v[number];
	uint64_t period = w->stage->period;
	struct cs_point *p;

	take_unit(w, piece->unit);
	take_cpu(w, piece->cpu);
	w->piece = piece;
	w->piece_time = w->stage->source.pieces.v[number].time;
	w->stream = cs_streams_find(w->streams, piece->cpu->config.id);
	w->sink = sink;
	w->where = NULL;
	w->trail = NULL;
	w->last.known = false;
	w->pending = NOTHING;
	memset(w->gaps, 0, sizeof(w->gaps));
	p = cs_flow_point(w->flow);
	p->insns = piece->insns_before;
	w->base = piece->base;
	w->rest = CS_NO_REST;
	p->stop = w->calls.passed ? p->insns - (p->insns - w->base) % period + period : UINT64_MAX;
	cs_flow_run(w->flow, w->stream, piece->from, piece->to);
	finish_branches(w, p);
	if (piece->last)
		cs_give_rest(w, p);
	note_results(w, p->insns);
}

/* What the stream's threads left behind when the piece begins. */
static struct trails *first_trails(const struct cs_sampler *w, size_t number)
{
	struct cs_stage *stage = w->stage;
	const struct source_piece *at = &stage->source.pieces.v[number];
	struct trails *trails = stage->trails.v[at->stream];

	if (stage->surveyed)
		return trails_copy(stage->pieces.v[number].start);
	if (!number || at[-1].stream != at->stream)
		trails_clear(trails);
	return trails;
}

/* ---- for a survey ---- */

void *cs_sampler_new_survey(struct cs_stage *stage)
{
	return sampler_new(stage, true);
}

struct trails *cs_sampler_survey(void *worker, size_t piece)
{
	struct cs_sampler *w = worker;

	w->trails = w->stage->follow ? trails_new(&w->stage->trail, true) : NULL;
	decode_piece(w, piece, NULL);
	return w->trails;
}

/* ---- struct item_source ---- */

void *cs_sampler_new(struct item_source *s)
{
	return sampler_new((struct cs_stage *)s, false);
}

void cs_sampler_free(struct item_source *s, void *worker)
{
	(void)s;
	sampler_free(worker);
}

/* ---- turns ---- */

static void await_turn(struct cs_stage *s, size_t number)
{
	const struct source_piece *at = &s->source.pieces.v[number];

	if (!number || at[-1].stream != at->stream)
		return;
	pthread_mutex_lock(&s->lock);
	while (!s->pieces.v[number - 1].done && !s->in_vain)
		pthread_cond_wait(&s->decoded, &s->lock);
	/* Another pass begins with the first one again. */
	s->pieces.v[number - 1].done = false;
	pthread_mutex_unlock(&s->lock);
}

static void end_turn(struct cs_stage *s, size_t number)
{
	pthread_mutex_lock(&s->lock);
	s->pieces.v[number].done = true;
	pthread_cond_broadcast(&s->decoded);
	pthread_mutex_unlock(&s->lock);
}

void cs_sampler_skip(struct item_source *source, size_t piece)
{
	struct cs_stage *s = (struct cs_stage *)source;

	(void)piece;
	pthread_mutex_lock(&s->lock);
	s->in_vain = true;
	pthread_cond_broadcast(&s->decoded);
	pthread_mutex_unlock(&s->lock);
}

void cs_sampler_decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink)
{
	struct cs_sampler *w = worker;

	(void)s;
	if (w->stage->in_turns)
		await_turn(w->stage, piece);
	if (w->stage->follow)
		w->trails = first_trails(w, piece);
	decode_piece(w, piece, sink);
	if (w->stage->in_turns)
		end_turn(w->stage, piece);
	if (w->stage->surveyed)
		trails_free(w->trails);
	w->trails = NULL;
}
