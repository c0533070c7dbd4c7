/*
 * Synthesizes samples of instructions and branches, and records of decode errors, in the callbacks that the CoreSight decoder
 * calls while it follows the traced program (sink.h).
 */
#include "auxtrace/cs_etm/sampler.h"

#include "arch/arm64/insn.h"
#include "auxtrace/block.h"
#include "core/arch.h"

/* ---- who and when ---- */

/* Returns the time at @p in ns; 0: the trace does not give it. */
static uint64_t now(const struct cs_worker *w, const struct cs_point *p)
{
	return w->stage->clock.known && p->time ? aux_clock_ns(&w->stage->clock, p->time) : 0;
}

/* Finds the thread at @p: by the trace's context, or else by the recording's context switches. */
static void update_task(struct cs_worker *w, const struct cs_point *p)
{
	uint32_t tid = w->cpu->tid == CS_TID_CID ? p->cid : w->cpu->tid == CS_TID_VMID ? p->vmid :
		       w->cpu->tid == CS_TID_CID_V7 ? p->cid >> 8 : 0;

	aux_update_task(&w->aux, now(w, p), tid ? tid : AUX_NONE, w->stage->chunks.v[w->piece->chunk].from);
}

static void start_sample(struct cs_worker *w, const struct cs_point *p, const struct event *ev, uint64_t ip, uint64_t place)
{
	update_task(w, p);
	aux_start_sample(&w->aux, ev, ip, aux_cpumode(&w->aux, place));
}

/* ---- instructions ---- */

static void on_passed(void *ctx, struct cs_point *p, const struct block *b, unsigned nr)
{
	struct cs_worker *w = ctx;
	uint64_t ip = block_insn_ip(b, nr);

	start_sample(w, p, w->stage->instructions, ip, ip);
	w->aux.sample.period = w->stage->period;
	w->aux.sample.insn_size = b->sizes[nr];
	aux_put_thread_stack(&w->aux, ip);
	aux_give(&w->aux);
	p->stop += w->stage->period;
}

static void each_insn(struct cs_worker *w, const struct cs_point *p, const struct block *b, unsigned nr)
{
	uint64_t ip = b->ip;

	start_sample(w, p, w->stage->instructions, ip, ip);
	aux_put_thread_stack(&w->aux, ip);
	for (unsigned i = 0; i < nr; i++) {
		aux_move_sample(&w->aux, ip);
		w->aux.sample.insn_size = b->sizes[i];
		aux_give(&w->aux);
		ip += b->sizes[i];
	}
}

/* ---- branches ---- */

/* Uses a table, because a switch would cost a branch misprediction for most blocks. */
static uint32_t insn_flags(unsigned kind, unsigned detail)
{
	static const struct { uint32_t always, conditional; } rows[] = {
		[INSN_COND] = { SYNTH_BRANCH | SYNTH_CONDITIONAL, 0 },
		[INSN_CALL] = { SYNTH_BRANCH | SYNTH_CALL, SYNTH_CONDITIONAL },
		[INSN_CALL_INDIRECT] = { SYNTH_BRANCH | SYNTH_CALL, SYNTH_CONDITIONAL },
		[INSN_RET] = { SYNTH_BRANCH | SYNTH_RETURN, SYNTH_CONDITIONAL },
		[INSN_FAR_CALL] = { SYNTH_BRANCH | SYNTH_CALL | SYNTH_SYSCALL, 0 },
		[INSN_FAR_RET] = { SYNTH_BRANCH | SYNTH_RETURN | SYNTH_INTERRUPT, 0 },
		[INSN_JUMP] = { SYNTH_BRANCH, SYNTH_CONDITIONAL },
		[INSN_JUMP_INDIRECT] = { SYNTH_BRANCH, SYNTH_CONDITIONAL },
	};

	if (kind >= ARRAY_SIZE(rows))
		return 0;
	return rows[kind].always | (detail & ARM_CONDITIONAL ? rows[kind].conditional : 0);
}

/* Numbers of exceptions: IHI 0064, table 6-12; those that do not depend on the executed instruction are interrupts. */
static uint32_t exception_flags(const struct cs_worker *w, int number)
{
	static const uint32_t asynchronous = 1 << 0 | 1 << 1 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 14 | 1 << 15;

	if (number == 2 && w->last.known && w->last.flags & SYNTH_SYSCALL)
		return SYNTH_BRANCH | SYNTH_CALL | SYNTH_SYSCALL;
	return SYNTH_BRANCH | SYNTH_CALL | SYNTH_INTERRUPT | (number < 16 && asynchronous >> number & 1 ? SYNTH_ASYNC : 0);
}

static void emit_branch(struct cs_worker *w, const struct cs_point *p, uint64_t from, uint64_t to, uint32_t flags, uint32_t size)
{
	if (!w->aux.sink || !w->stage->branches || (w->stage->branches_shown && !(flags & w->stage->branches_shown)))
		return;
	start_sample(w, p, w->stage->branches, from, from ? from : to);
	w->aux.sample.addr = to;
	w->aux.sample.flags = flags;
	w->aux.sample.insn_size = size;
	aux_give(&w->aux);
}

static void leave_thread_stack(struct cs_worker *w, const struct cs_point *p, const struct thread_stack_branch *b)
{
	if (!w->aux.stacks)
		return;
	update_task(w, p);
	aux_follow(&w->aux, b);
}

/* Reports the pending branch. An exception may return elsewhere than after w->from, so .size leads to the return address. */
static void report_branch(struct cs_worker *w, const struct cs_point *p, uint64_t to)
{
	emit_branch(w, p, w->from, to, w->flags, w->size);
	leave_thread_stack(w, p, &(struct thread_stack_branch){ .from = w->from, .to = to, .flags = w->flags,
								.size = w->returns - w->from });
}

void cs_give_pending(struct cs_worker *w, const struct cs_point *p, uint64_t to)
{
	enum pending pending = w->pending;

	w->pending = PENDING_NOTHING;
	if (pending == PENDING_BRANCH) {
		report_branch(w, p, to);
	} else if (pending == PENDING_BEGIN) {
		emit_branch(w, p, 0, to, SYNTH_BRANCH | SYNTH_BEGIN, 0);
		leave_thread_stack(w, p, &(struct thread_stack_branch){ .to = to, .flags = SYNTH_BRANCH | SYNTH_BEGIN });
	}
}

void cs_end_period(struct cs_worker *w, struct cs_point *p)
{
	uint64_t period = w->stage->period, left = p->insns - w->base;

	if (!w->stage->gives_rest || !w->last.known)
		return;
	w->rest = p->insns;
	w->base = p->insns;
	if (w->calls.passed)
		p->stop = p->insns + period;
	if (!w->aux.sink || !(left % period))
		return;
	start_sample(w, p, w->stage->instructions, w->last.ip, w->last.ip);
	w->aux.sample.period = left % period;
	w->aux.sample.insn_size = w->last.size;
	aux_put_thread_stack(&w->aux, w->last.ip);
	aux_give(&w->aux);
}

void cs_give_end(struct cs_worker *w, struct cs_point *p)
{
	uint64_t time = p->time;

	/* A timestamp after the last instruction is of what comes next, which may be much later. */
	if (w->last.known)
		p->time = w->last.time;
	cs_end_period(w, p);
	if (w->last.known) {
		uint32_t flags = (w->pending == PENDING_BRANCH ? w->flags : w->last.flags) | SYNTH_BRANCH | SYNTH_END;

		emit_branch(w, p, w->last.ip, 0, flags, w->last.size);
		leave_thread_stack(w, p, &(struct thread_stack_branch){ .from = w->last.ip, .flags = flags, .size = w->last.size });
	}
	w->last.known = false;
	w->pending = PENDING_NOTHING;
	p->time = time;
}

static void note_last(struct cs_worker *w, const struct cs_point *p, const struct block *b, unsigned nr)
{
	w->last.known = true;
	w->last.time = p->time;
	w->last.ip = nr == b->nr_insn ? b->end_ip : block_insn_ip(b, nr - 1);
	w->last.size = b->sizes[nr - 1];
	w->last.flags = nr == b->nr_insn ? insn_flags(b->kind, b->detail) : 0;
}

static void on_block(void *ctx, struct cs_point *p, const struct block *b, unsigned nr)
{
	struct cs_worker *w = ctx;

	if (w->pending != PENDING_NOTHING)
		cs_give_pending(w, p, b->ip);
	note_last(w, p, b, nr);
	if (w->aux.sink && w->stage->instructions && w->stage->period == 1)
		each_insn(w, p, b, nr);
}

/* As in perf, an exception is a branch from the instruction before it, unless nothing was executed since tracing began. */
static void on_branch(void *ctx, struct cs_point *p, uint64_t from, uint64_t to, unsigned kind, bool taken, int number)
{
	struct cs_worker *w = ctx;

	if (!taken || w->pending == PENDING_BEGIN)
		return;
	w->last.time = p->time;
	w->pending = PENDING_BRANCH;
	w->from = w->last.known ? w->last.ip : from;
	w->size = w->last.known ? w->last.size : 0;
	w->returns = number >= 0 ? from : w->from + w->size;
	w->to = to;
	w->flags = number >= 0 ? exception_flags(w, number) : w->last.flags;
}

static void on_start(void *ctx, struct cs_point *p)
{
	struct cs_worker *w = ctx;

	cs_give_end(w, p);
	w->pending = PENDING_BEGIN;
}

/* ---- what went wrong ---- */

/* As in perf, errors are shown only on request. Gaps at the ends of a buffer are no errors. */
static bool is_error(const struct cs_worker *w, enum cs_gap why)
{
	const struct itrace_opts *o = &w->stage->aux.opts;

	if (!w->aux.sink || !o->given || !o->errors || why == CS_GAP_NO_SYNC || why == CS_GAP_TRUNCATED_PACKET)
		return false;
	return (why != CS_GAP_OVERFLOW && why != CS_GAP_DISCARD) || !o->no_overflow_errors;
}

static void on_gap(void *ctx, struct cs_point *p, enum cs_gap why)
{
	struct cs_worker *w = ctx;

	w->gaps[why]++;
	if (!is_error(w, why))
		return;
	start_sample(w, p, NULL, p->ip, p->ip);
	aux_give_error(&w->aux, why + 1u, cs_gap_text(why), p->ip, p->unsure);
}

/* ---- which calls ---- */

static uint32_t on_space(void *ctx, const struct cs_point *p)
{
	struct cs_worker *w = ctx;

	update_task(w, p);
	return w->aux.space;
}

void cs_choose_calls(struct cs_sink *out, const struct cs_stage *s, bool silent)
{
	bool branches = s->aux.follow || (s->branches && !silent), each = s->instructions && s->period == 1;

	*out = (struct cs_sink){ .space = on_space, .gap = on_gap };
	if (branches) {
		out->branch = on_branch;
		out->start = on_start;
	}
	if (branches || (each && !silent))
		out->block = on_block;
	if (s->instructions && !each && !silent)
		out->passed = on_passed;
}
