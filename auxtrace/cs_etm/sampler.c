/*
 * One worker's decoding of pieces: flow -> samples. Who runs is asked where the flow says that it may have changed.
 * Layer: auxtrace
 */
#include "auxtrace/cs_etm/stage.h"

#include <stdio.h>
#include <string.h>

#include "arch/arm64/insn.h"
#include "auxtrace/block.h"
#include "auxtrace/code.h"
#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/synth.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/pool.h"
#include "core/flow/item.h"
#include "core/flow/session.h"

#define NO_UNIT SIZE_MAX

struct spaces { uint32_t user, kernel; };

enum pending { NOTHING, BEGIN, BRANCH };	/* a branch to be told when it is known where it went */

struct sampler {
	struct cs_stage *stage;
	struct cs_taker calls;
	struct block_cache *cache;
	struct cs_flow *flow;
	const struct cs_cpu *cpu;	/* whose .flow is */
	struct where_cache *where_cache;
	struct buf scratch;
	struct cs_streams streams;	/* of unit number .unit */
	size_t unit;
	VEC(struct spaces) spaces;	/* what the numbers mean that the flow has for spaces */
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
	enum pending pending;
	uint64_t from, to;
	uint32_t flags, size;
	struct record record;
	struct sample sample;
	struct item item;
};

/* ---- who and where ---- */

static uint64_t now(const struct sampler *w, const struct cs_point *p)
{
	if (w->stage->clock.known && !w->stage->timeless && p->time)
		return MAX(aux_clock_ns(&w->stage->clock, p->time), w->piece_time);
	return w->piece_time;
}

/* The time as the machine knows it. */
static uint64_t machine_time(const struct sampler *w, const struct cs_point *p)
{
	const struct cs_unit *unit = &w->stage->units.v[w->piece->unit];
	const struct aux_span *span;

	if (!w->stage->timeless)
		return now(w, p);
	span = aux_queue_span(unit->queue, unit->from);
	return span ? span->time : UINT64_MAX - 1;
}

/* As the trace's context says; else as the records do. */
static struct who who_now(const struct sampler *w, const struct cs_point *p, uint64_t time)
{
	const struct cs_unit *unit = &w->stage->units.v[w->piece->unit];
	uint32_t tid = w->cpu->tid == CS_TID_CID ? p->cid : w->cpu->tid == CS_TID_VMID ? p->vmid : 0;
	const struct thread *t;

	if (!tid)
		return who_at(&w->stage->who, unit->queue, time, unit->from);
	t = tids_find(&w->stage->tids, tid, time);
	return (struct who){ .from = t ? t->from : 0, .to = t ? t->to : UINT64_MAX, .pid = t ? t->pid : tid, .tid = tid };
}

static uint32_t number_of_spaces(struct sampler *w, uint32_t user, uint32_t kernel)
{
	vec_for(s, &w->spaces)
		if (s->user == user && s->kernel == kernel)
			return (uint32_t)(s - w->spaces.v);
	vec_push(&w->spaces, (struct spaces){ .user = user, .kernel = kernel });
	return (uint32_t)w->spaces.nr - 1;
}

static void look_around(struct sampler *w, const struct cs_point *p)
{
	uint64_t time = machine_time(w, p);

	if (!w->where || time < w->who.from || time >= w->who.to || p->cid != w->cid || p->vmid != w->vmid)
		w->who = who_now(w, p, time);
	else if (time >= w->where->from && time < w->where->to)
		return;
	w->cid = p->cid;
	w->vmid = p->vmid;
	w->where = machine_where(w->where_cache, w->who.pid, w->who.tid, time);
	w->space = number_of_spaces(w, w->where->user_space, w->where->kernel_space);
}

static uint32_t on_space(void *ctx, const struct cs_point *p)
{
	struct sampler *w = ctx;

	look_around(w, p);
	return w->space;
}

static size_t read_space(const struct sampler *w, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct spaces *s;

	if (space >= w->spaces.nr)
		return 0;
	s = &w->spaces.v[space];
	return code_at(w->stage->code, ip >= w->stage->kernel_start ? s->kernel : s->user, ip, out, n);
}

static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *out, size_t n)
{
	return read_space(ctx, space, ip, out, n);
}

/* ---- samples ---- */

static void start_sample(struct sampler *w, const struct cs_point *p, const struct event *ev, uint64_t ip, uint64_t place)
{
	uint16_t mode = place >= w->stage->kernel_start ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	look_around(w, p);
	w->sample = (struct sample){
		.ip = ip, .pid = w->who.pid, .tid = w->who.tid, .cpu = w->cpu->cpu, .period = 1,
		.time = w->stage->timeless ? 0 : now(w, p),
	};
	w->item = (struct item){
		.record = &w->record, .event = ev, .sample = &w->sample, .where = w->where, .time = w->sample.time,
		.at = machine_time(w, p), .cpumode = mode,
	};
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = mode, .size = 8 };
}

static void give(struct sampler *w)
{
	w->sink->item(w->sink, &w->item);
}

/* Instruction number point->stop. */
static void on_passed(void *ctx, struct cs_point *p, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;
	uint64_t ip = block_insn_ip(b, nr);

	start_sample(w, p, w->stage->instructions, ip, ip);
	w->sample.period = w->stage->period;
	w->sample.insn_size = b->sizes[nr];
	give(w);
	p->stop += w->stage->period;
}

static void each_insn(struct sampler *w, const struct cs_point *p, const struct block *b, unsigned nr)
{
	uint64_t ip = b->ip;

	start_sample(w, p, w->stage->instructions, ip, ip);
	for (unsigned i = 0; i < nr; i++) {
		w->sample.ip = ip;
		w->sample.insn_size = b->sizes[i];
		give(w);
		ip += b->sizes[i];
	}
}

/* ---- branches ---- */

static uint32_t insn_flags(unsigned kind, unsigned detail)
{
	uint32_t condition = detail & ARM_CONDITIONAL ? SYNTH_CONDITIONAL : 0;

	switch (kind) {
	case INSN_COND: return SYNTH_BRANCH | SYNTH_CONDITIONAL;
	case INSN_CALL:
	case INSN_CALL_INDIRECT: return SYNTH_BRANCH | SYNTH_CALL | condition;
	case INSN_RET: return SYNTH_BRANCH | SYNTH_RETURN | condition;
	case INSN_FAR_CALL: return SYNTH_BRANCH | SYNTH_CALL | SYNTH_SYSCALL;
	case INSN_FAR_RET: return SYNTH_BRANCH | SYNTH_RETURN | SYNTH_INTERRUPT;
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT: return SYNTH_BRANCH | condition;
	default: return 0;
	}
}

/* Numbers of exceptions: IHI 0064, table 6-12; those that come whatever is executed are interrupts. */
static uint32_t exception_flags(const struct sampler *w, int number)
{
	static const uint32_t asynchronous = 1 << 0 | 1 << 1 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 14 | 1 << 15;

	if (number == 2 && w->last.known && w->last.flags & SYNTH_SYSCALL)
		return SYNTH_BRANCH | SYNTH_CALL | SYNTH_SYSCALL;
	return SYNTH_BRANCH | SYNTH_CALL | SYNTH_INTERRUPT | (number < 16 && asynchronous >> number & 1 ? SYNTH_ASYNC : 0);
}

static void give_branch(struct sampler *w, const struct cs_point *p, uint64_t from, uint64_t to, uint32_t flags, uint32_t size)
{
	if (w->stage->branches_shown && !(flags & w->stage->branches_shown))
		return;
	start_sample(w, p, w->stage->branches, from, from ? from : to);
	w->sample.addr = to;
	w->sample.flags = flags;
	w->sample.insn_size = size;
	give(w);
}

static void give_pending(struct sampler *w, const struct cs_point *p, uint64_t to)
{
	if (w->pending == BEGIN)
		give_branch(w, p, 0, to, SYNTH_BRANCH | SYNTH_BEGIN, 0);
	else if (w->pending == BRANCH)
		give_branch(w, p, w->from, to, w->flags, w->size);
	w->pending = NOTHING;
}

/* Tracing ended behind the last instruction. */
static void give_end(struct sampler *w, const struct cs_point *p)
{
	if (w->last.known)
		give_branch(w, p, w->last.ip, 0, (w->pending == BRANCH ? w->flags : w->last.flags) | SYNTH_BRANCH | SYNTH_END,
			    w->last.size);
	w->last.known = false;
	w->pending = NOTHING;
}

static void note_last(struct sampler *w, const struct block *b, unsigned nr)
{
	w->last.known = true;
	w->last.ip = nr == b->nr_insn ? b->end_ip : block_insn_ip(b, nr - 1);
	w->last.size = b->sizes[nr - 1];
	w->last.flags = nr == b->nr_insn ? insn_flags(b->kind, b->detail) : 0;
}

static void on_block(void *ctx, struct cs_point *p, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;

	if (w->stage->branches) {
		if (w->pending != NOTHING)
			give_pending(w, p, b->ip);
		note_last(w, b, nr);
	}
	if (w->stage->instructions && w->stage->period == 1)
		each_insn(w, p, b, nr);
}

/*
 * As perf tells it, an exception is a branch from the instruction before it; and it is none where nothing was executed
 * since tracing began.
 */
static void on_branch(void *ctx, struct cs_point *p, uint64_t from, uint64_t to, unsigned kind, bool taken, int number)
{
	struct sampler *w = ctx;

	(void)p;
	(void)kind;
	if (!taken || w->pending == BEGIN)
		return;
	w->pending = BRANCH;
	w->from = w->last.known ? w->last.ip : from;
	w->size = w->last.known ? w->last.size : 0;
	w->to = to;
	w->flags = number >= 0 ? exception_flags(w, number) : w->last.flags;
}

static void on_start(void *ctx, struct cs_point *p)
{
	struct sampler *w = ctx;

	give_end(w, p);
	w->pending = BEGIN;
}

/* ---- what went wrong ---- */

/* As perf, unasked this shows none. That a buffer begins and ends in the middle of something is no error. */
static bool is_error(const struct sampler *w, enum cs_gap why)
{
	if (!w->sink || !w->stage->opts.given || !w->stage->opts.errors || why == CS_GAP_NO_SYNC || why == CS_GAP_CUT_PACKET)
		return false;
	return (why != CS_GAP_OVERFLOW && why != CS_GAP_DISCARD) || !w->stage->opts.no_overflow_errors;
}

static void on_gap(void *ctx, struct cs_point *p, enum cs_gap why)
{
	struct sampler *w = ctx;
	struct record_auxtrace_error *e = &w->record.auxtrace_error;

	w->gaps[why]++;
	if (!is_error(w, why))
		return;
	start_sample(w, p, NULL, p->ip, p->ip);
	w->item.sample = NULL;
	w->record.header = (struct record_header){ .type = RECORD_AUXTRACE_ERROR, .size = 8 };
	*e = (struct record_auxtrace_error){
		.type = 1, .code = why + 1u, .fmt = 1, .cpu = w->cpu->cpu, .pid = w->who.pid, .tid = w->who.tid, .ip = p->ip,
		.time = w->item.time,
	};
	snprintf(e->msg, sizeof(e->msg), "%s", cs_gap_text(why));
	give(w);
}

/* ---- pieces ---- */

static void choose_calls(struct sampler *w, bool count)
{
	const struct cs_stage *stage = w->stage;

	w->calls = (struct cs_taker){ .space = on_space, .gap = on_gap };
	if (count)
		return;
	if (stage->branches) {
		w->calls.branch = on_branch;
		w->calls.start = on_start;
	}
	if (stage->branches || (stage->instructions && stage->period == 1))
		w->calls.block = on_block;
	if (stage->instructions && stage->period > 1)
		w->calls.passed = on_passed;
}

static struct sampler *sampler_new(struct cs_stage *stage, bool count)
{
	struct sampler *w = xcalloc(1, sizeof(*w));

	w->stage = stage;
	w->unit = NO_UNIT;
	w->where_cache = where_cache_new(session_machine(stage->session));
	w->cache = block_cache_new(&arch_arm64, read_code, w);
	choose_calls(w, count);
	return w;
}

static void sampler_free(struct sampler *w)
{
	cs_flow_free(w->flow);
	block_cache_free(w->cache);
	where_cache_free(w->where_cache);
	cs_streams_release(&w->streams);
	buf_release(&w->scratch);
	vec_free(&w->spaces);
	free(w);
}

static void take_unit(struct sampler *w, size_t unit)
{
	if (w->unit == unit)
		return;
	cs_streams_release(&w->streams);
	cs_unit_unpack(&w->streams, w->stage, &w->stage->units.v[unit], &w->scratch);
	w->unit = unit;
}

static void take_cpu(struct sampler *w, const struct cs_cpu *cpu)
{
	if (w->cpu == cpu)
		return;
	cs_flow_free(w->flow);
	w->flow = cs_flow_new(&cpu->config, w->cache, &w->calls, w);
	w->cpu = cpu;
}

/* Does tracing begin anew behind this piece, before anything else is executed? */
static bool restarts_behind(const struct sampler *w)
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
static void finish_branches(struct sampler *w, const struct cs_point *p)
{
	if (!w->sink || !w->stage->branches || w->piece->last)
		return;
	if (restarts_behind(w))
		give_end(w, p);
	else if (w->pending == BRANCH)
		give_pending(w, p, w->to);
}

static void note_results(struct sampler *w, uint64_t insns)
{
	struct cs_span *p = w->piece, *end = w->stage->pieces.v + w->stage->pieces.nr;
	const struct source_piece *at = &w->stage->source.pieces.v[p - w->stage->pieces.v];

	p->insns = insns - p->insns_before;
	memcpy(p->gaps, w->gaps, sizeof(p->gaps));
	if (!w->stage->counted && p + 1 < end && at[1].stream == at->stream)
		p[1].insns_before = insns;
}

static void decode_piece(struct sampler *w, size_t number, const struct item_sink *sink)
{
	struct cs_span *piece = &w->stage->pieces.v[number];
	uint64_t period = w->stage->period;
	struct cs_point *p;

	take_unit(w, piece->unit);
	take_cpu(w, piece->cpu);
	w->piece = piece;
	w->piece_time = w->stage->source.pieces.v[number].time;
	w->stream = cs_streams_find(&w->streams, piece->cpu->config.id);
	w->sink = sink;
	w->where = NULL;
	w->last.known = false;
	w->pending = NOTHING;
	memset(w->gaps, 0, sizeof(w->gaps));
	p = cs_flow_point(w->flow);
	p->insns = piece->insns_before;
	p->stop = w->calls.passed ? p->insns - p->insns % period + period : UINT64_MAX;
	cs_flow_run(w->flow, w->stream, piece->from, piece->to);
	finish_branches(w, p);
	note_results(w, p->insns);
}

/* ---- counting ahead ---- */

struct counting {
	struct cs_stage *stage;
	struct sampler **workers;
};

static void count_piece(void *ctx, unsigned worker, size_t number)
{
	struct counting *c = ctx;

	if (!c->workers[worker])
		c->workers[worker] = sampler_new(c->stage, true);
	decode_piece(c->workers[worker], number, NULL);
}

void cs_count_insns(struct cs_stage *stage)
{
	unsigned jobs = session_jobs(stage->session);
	struct counting c = { .stage = stage, .workers = xcalloc(jobs, sizeof(*c.workers)) };

	stage->counted = true;
	pool_run(jobs, stage->pieces.nr, count_piece, &c);
	for (unsigned i = 0; i < jobs; i++)
		if (c.workers[i])
			sampler_free(c.workers[i]);
	free(c.workers);
	for (size_t i = 1; i < stage->pieces.nr; i++) {
		const struct source_piece *at = &stage->source.pieces.v[i];
		struct cs_span *p = &stage->pieces.v[i];

		if (at->stream == at[-1].stream)
			p->insns_before = p[-1].insns_before + p[-1].insns;
	}
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

void cs_sampler_decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink)
{
	(void)s;
	decode_piece(worker, piece, sink);
}
