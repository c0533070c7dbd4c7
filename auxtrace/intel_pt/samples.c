/*
 * Samples of instructions and branches, with the way that led there.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/sampler.h"

#include "arch/x86/insn.h"
#include "auxtrace/block.h"
#include "core/arch.h"

#define CHECK_TIME	64		/* instructions between two looks at the clock */

static uint16_t cpumode(const struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	bool kernel = ip >= w->stage->kernel_start;

	if (s->non_root)
		return kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	return kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

static void renew_chain(struct sampler *w, uint64_t ip)
{
	const struct itrace_opts *o = &w->stage->opts;

	if (o->chain)
		w->nr_chain = trail_chain(w->trail, w->chain, o->chain_depth + 1, ip, w->stage->kernel_start);
	if (o->last_branch)
		w->nr_jumps = trail_jumps(w->trail, w->jumps, o->last_branch_depth);
	w->chain_known = true;
}

/* The sample's place, with the way there. The next one of the same thread, if nothing happened, differs in the address. */
static void set_place(struct sampler *w, uint64_t ip)
{
	w->sample.ip = ip;
	if (!w->stage->follow || w->item.event == w->stage->branches)
		return;
	if (!w->chain_known || (w->nr_chain && (w->chain[1] ^ ip) >> 63))
		renew_chain(w, ip);
	if (w->nr_chain)
		w->chain[1] = ip;
	w->sample.chain = words_of(w->chain, w->nr_chain);
	w->sample.branches = words_of(w->jumps, 3 * w->nr_jumps);
	w->sample.branch_nr = w->nr_jumps;
}

/* Where and when it is. */
static void place_sample(struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	w->sample.time = w->item.time = w->stage->timeless ? 0 : pt_now(w, s);
	w->item.at = w->stage->timeless ? pt_machine_time(w, s) : w->item.time;
	w->item.cpumode = cpumode(w, s, ip);
	w->record.header.misc = w->item.cpumode;
	set_place(w, ip);
}

void pt_start_sample(struct sampler *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	uint32_t cpu = w->piece->queue->cpu;

	w->sample = (struct sample){ .pid = w->who.pid, .tid = w->who.tid, .cpu = cpu, .period = 1 };
	w->item = (struct item){ .record = &w->record, .event = ev, .sample = &w->sample, .where = w->where };
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .size = 8 };
	w->prepared = NULL;
	place_sample(w, s, ip);
}

/* The same for events whose samples always have the same members: most often only place and time are new. */
static void again_sample(struct sampler *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	if (w->prepared == ev)
		place_sample(w, s, ip);
	else
		pt_start_sample(w, s, ev, ip);
	w->prepared = ev;
}

void pt_give(struct sampler *w)
{
	w->sink->item(w->sink, &w->item);
}

static void give_insn(struct sampler *w, const struct pt_state *s, uint64_t ip, unsigned size, uint64_t period)
{
	again_sample(w, s, w->stage->instructions, ip);
	w->sample.period = period;
	w->sample.insn_size = size;
	pt_give(w);
}

/* Each instruction. */
void pt_on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct sampler *w = ctx;
	uint64_t ip = block_insn_ip(b, from);

	if (from < to)
		give_insn(w, s, ip, b->sizes[from], 1);
	for (ip += b->sizes[from++]; from < to; ip += b->sizes[from++]) {
		set_place(w, ip);
		w->sample.insn_size = b->sizes[from];
		pt_give(w);
	}
}

/* Each so many instructions. */
void pt_on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;

	give_insn(w, s, block_insn_ip(b, nr), b->sizes[nr], w->stage->period);
}

/*
 * Each so much time, by a clock that goes on a tick an instruction between two packets of time. The flow asks every
 * few instructions, or when the clock will be due if no packet comes.
 */
void pt_on_tick(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;
	uint64_t ticks = w->stage->ticks, clock = s->tsc + (s->insns - s->timed_insns);

	if (s->tsc && !w->next_tick)
		w->next_tick = clock - clock % ticks + ticks;
	if (s->tsc && clock >= w->next_tick) {
		give_insn(w, s, block_insn_ip(b, nr), b->sizes[nr], MAX(s->insns - w->last_sample, 1));
		w->last_sample = s->insns;
		w->next_tick = clock - clock % ticks + ticks;
	}
	/* The flow adds its period, 1. */
	pt_flow_sample_at(w->flow, s->insns + MIN(CHECK_TIME, s->tsc ? MAX(w->next_tick - clock, 1) : 1) - 1);
}

static uint32_t insn_flags(const struct pt_branch *b)
{
	switch (b->kind) {
	case INSN_COND: return SYNTH_CONDITIONAL;
	case INSN_CALL:
	case INSN_CALL_INDIRECT: return SYNTH_CALL;
	case INSN_RET: return SYNTH_RETURN;
	case INSN_FAR_CALL:
		return SYNTH_CALL | (b->detail == X86_SYSCALL ? SYNTH_SYSCALL : b->detail == X86_VMCALL ? SYNTH_VMEXIT :
				     SYNTH_INTERRUPT);
	case INSN_FAR_RET:
		return b->detail == X86_VMENTRY ? SYNTH_CALL | SYNTH_VMENTRY :
		       SYNTH_RETURN | (b->detail == X86_SYSRET ? SYNTH_SYSCALL : SYNTH_INTERRUPT);
	default: return 0;
	}
}

/* As perf tells them: an interrupt counts as a call, an abort stands alone. */
static uint32_t branch_flags(const struct pt_branch *b)
{
	uint32_t flags = SYNTH_BRANCH;

	if (b->abort)
		flags |= SYNTH_ABORT;
	else if (b->async)
		flags |= b->to ? SYNTH_CALL | SYNTH_ASYNC | SYNTH_INTERRUPT : SYNTH_ASYNC;
	else if (b->from)
		flags |= insn_flags(b);
	if (b->in_tx && !b->async)
		flags |= SYNTH_IN_TX;
	return flags | (b->begin ? SYNTH_BEGIN : 0) | (b->end ? SYNTH_END : 0);
}

void pt_on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct sampler *w = ctx;
	uint32_t flags = branch_flags(b);

	if (w->trail) {
		trail_take(w->trail, &(struct trail_branch){ b->from, b->to, flags, b->async ? 0 : b->size });
		w->chain_known = false;
	}
	if (!w->stage->branches || !w->sink)
		return;
	if (w->stage->branches_shown && !(flags & w->stage->branches_shown))
		return;
	again_sample(w, s, w->stage->branches, b->from);
	if (!b->from)
		w->record.header.misc = w->item.cpumode = cpumode(w, s, b->to);
	w->sample.addr = b->to;
	w->sample.flags = flags;
	w->sample.insn_size = b->async ? 0 : b->size;
	pt_give(w);
}
