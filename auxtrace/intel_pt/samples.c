/*
 * Synthesizes samples of instructions and branches in the callbacks that the Intel PT decoder calls while it follows the traced
 * program (sink.h).
 */
#include "auxtrace/intel_pt/sampler.h"

#include "auxtrace/block.h"
#include "auxtrace/x86_flags.h"
#include "core/arch.h"

/* Returns SYNTH_* flags. As in perf, an interrupt counts as a call, but an abort does not. */
static uint32_t branch_flags(const struct pt_branch *b)
{
	uint32_t flags = SYNTH_BRANCH;

	if (b->abort)
		flags |= SYNTH_ABORT;
	else if (b->async)
		flags |= b->to ? SYNTH_CALL | SYNTH_ASYNC | SYNTH_INTERRUPT : SYNTH_ASYNC;
	else if (b->from)
		flags |= x86_branch_flags(b->kind, b->detail);
	if (b->in_tx && !b->async)
		flags |= SYNTH_IN_TX;
	return flags | (b->begin ? SYNTH_BEGIN : 0) | (b->end ? SYNTH_END : 0);
}

/* ---- instructions ---- */

static uint64_t insns_of(const struct pt_worker *w, const struct pt_state *s)
{
	return w->carry.before.insns + (s->insns - w->first_insn);
}

/* Emits the sample of an instruction. @cycles: it may have cycles. */
static void finish_insn(struct pt_worker *w, const struct pt_state *s, bool cycles)
{
	struct pt_stage *stage = w->stage;
	struct pt_carry *c = &w->carry;

	if (stage->aux.opts.ipc && cycles && stage->instructions)
		pt_count_sample(w, s, &c->insn);
	if (stage->instructions)
		pt_give(w);
	w->aux.sample.insn_cnt = w->aux.sample.cyc_cnt = 0;
	if (!stage->cycles || !cycles || !pt_count_sample(w, s, &c->cycle))
		return;
	w->aux.sample.period = w->aux.sample.cyc_cnt;
	w->aux.item.event = stage->cycles;
	w->prepared = NULL;
	pt_give(w);
	w->aux.sample.insn_cnt = w->aux.sample.cyc_cnt = 0;
}

void pt_release_pending(struct pt_worker *w)
{
	if (!w->pending)
		return;
	w->pending = false;
	if (w->stage->instructions)
		pt_give(w);
}

static bool is_branch(const struct block *b, unsigned nr)
{
	return nr + 1u == b->nr_insn && b->kind != INSN_OTHER && b->kind != INSN_PTWRITE && b->kind != INSN_MOV_CR3;
}

static void emit_insn(struct pt_worker *w, const struct pt_state *s, const struct block *b, unsigned nr, uint64_t ip,
		      uint64_t period)
{
	struct pt_branch branch = { .from = ip, .kind = b->kind, .detail = b->detail, .in_tx = s->in_tx };

	pt_again_sample(w, s, w->stage->instructions ? w->stage->instructions : w->stage->cycles, ip);
	w->aux.sample.period = period;
	w->aux.sample.addr = 0;
	w->aux.sample.insn_size = b->sizes[nr];
	if (!w->stage->hold) {
		pt_give(w);
		return;
	}
	w->pending = is_branch(b, nr);
	w->aux.sample.flags = w->pending ? branch_flags(&branch) | pt_interrupt_flags(w, s) : pt_state_flags(w, s);
	if (w->stage->aux.opts.depth)
		w->aux.sample.depth = thread_stack_depth(w->aux.stack);
	if (!w->pending)
		finish_insn(w, s, pt_has_cycles(w));
}

/* Makes a sample of each instruction. */
void pt_on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct pt_worker *w = ctx;
	struct pt_state at = *s;
	uint64_t ip = block_insn_ip(b, from);

	pt_release_pending(w);
	if (w->stage->hold) {
		for (; from < to; ip += b->sizes[from++]) {
			at.insns++;
			emit_insn(w, &at, b, from, ip, 1);
		}
		return;
	}
	if (from < to)
		emit_insn(w, s, b, from, ip, 1);
	for (ip += b->sizes[from++]; from < to; ip += b->sizes[from++]) {
		aux_move_sample(&w->aux, ip);
		w->aux.sample.insn_size = b->sizes[from];
		pt_give(w);
	}
}

/* Makes a sample after each period of instructions. */
void pt_on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct pt_worker *w = ctx;

	pt_release_pending(w);
	emit_insn(w, s, b, nr, block_insn_ip(b, nr), w->stage->period);
}

/*
 * Returns the number of instructions to the next sample by time. Between two timing packets, the clock advances one tick per
 * instruction. A sample is due when the clock enters another period. As in perf, this is checked at each branch.
 */
static uint64_t next_tick(struct pt_worker *w, const struct pt_state *s)
{
	uint64_t period = w->stage->ticks, clock, tick;

	if (s->time.tsc != w->clock_tsc) {
		w->clock_tsc = s->time.tsc;
		w->clock_insn = s->insns;
	}
	clock = w->clock_tsc + (s->insns - w->clock_insn);
	tick = clock - clock % period;
	if (w->carry.ticking && tick > w->carry.last_tick)
		return 1;
	if (!w->carry.ticking) {
		clock++;
		tick = clock - clock % period;
		if (tick > w->carry.last_tick) {
			w->carry.last_tick = tick;
			w->carry.ticking = true;
		}
	}
	return tick < w->carry.last_tick ? period : period - (clock - tick);
}

/* Notes that a sample by time was taken at instruction number s->insns. */
static void note_tick(struct pt_worker *w, const struct pt_state *s)
{
	uint64_t clock = w->clock_tsc + (s->insns - w->clock_insn), tick = clock - clock % w->stage->ticks;

	w->carry.last_tick = tick > w->carry.last_tick ? tick : w->carry.last_tick + w->stage->ticks;
	w->carry.sampled = insns_of(w, s);
}

/* Makes a sample after each period of time. */
void pt_on_tick(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct pt_worker *w = ctx;
	struct pt_state at = *s;

	pt_release_pending(w);
	while (from < to) {
		if (!w->walk_left)
			w->walk_left = next_tick(w, &at);
		if (w->walk_left > to - from) {
			w->walk_left -= to - from;
			break;
		}
		from += w->walk_left;
		at.insns += w->walk_left;
		w->walk_left = 0;
		emit_insn(w, &at, b, from - 1, block_insn_ip(b, from - 1), insns_of(w, &at) - w->carry.sampled);
		note_tick(w, &at);
	}
	if (is_branch(b, to - 1))
		w->walk_left = 0;
}

/* ---- branches ---- */

/* Completes the pending sample with branch @b: its instruction branched, or the position was lost after it. */
static void complete_pending(struct pt_worker *w, const struct pt_state *s, const struct pt_branch *b, uint32_t flags, bool cycles)
{
	w->pending = false;
	if (b->taken && b->from == w->aux.sample.ip && !b->async)
		w->aux.sample.addr = b->to;
	if (!(flags & SYNTH_BEGIN))
		w->aux.sample.flags |= flags & (SYNTH_IN_TX | SYNTH_END | SYNTH_INTR_TOGGLE);
	finish_insn(w, s, cycles);
}

/* Drops the distance to the next sample by time, so that it is computed again. */
static void end_walk(struct pt_worker *w, const struct pt_branch *b)
{
	w->walk_left = 0;
	if (b->end)
		w->carry.ticking = false;
}

void pt_on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct pt_worker *w = ctx;
	bool counts = b->taken || b->begin || b->end || w->pending, cycles = false;
	uint32_t flags;

	if (w->stage->carries)
		cycles = pt_note_cycles(w, s, b, counts);
	if (!counts && !b->async)
		return;
	flags = branch_flags(b) | pt_interrupt_flags(w, s);
	if (w->pending)
		complete_pending(w, s, b, flags, cycles);
	if (w->stage->ticks && (b->end || b->begin || b->async))
		end_walk(w, b);
	if (!b->taken && !b->begin && !b->end)
		return;
	if (b->abort)
		pt_report_transaction(w, s, b->from, b->to, flags);
	if (w->augmented < w->augmented_end)
		pt_report_augmented_samples(w, s);
	if (w->aux.stack)
		aux_follow(&w->aux, &(struct thread_stack_branch){ b->from, b->to, flags, b->async ? 0 : b->size });
	if (!w->stage->branches || !w->aux.sink)
		return;
	if (w->stage->branches_shown && !(flags & w->stage->branches_shown))
		return;
	pt_again_sample(w, s, w->stage->branches, b->from);
	if (!b->from)
		w->aux.record.header.misc = w->aux.item.cpumode = pt_cpumode(w, s, b->to);
	w->aux.sample.addr = b->to;
	w->aux.sample.flags = flags;
	w->aux.sample.insn_size = b->async ? 0 : b->size;
	if (w->stage->aux.opts.depth)
		w->aux.sample.depth = thread_stack_depth(w->aux.stack);
	w->aux.sample.insn_cnt = w->aux.sample.cyc_cnt = 0;
	if (cycles && w->stage->aux.opts.ipc)
		pt_count_sample(w, s, &w->carry.branch);
	pt_give(w);
}
