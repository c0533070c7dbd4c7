/*
 * Counts the cycles and instructions between two samples of an Intel PT trace, for the instructions per cycle (IPC) that prec
 * script -F ipc prints. samples.c calls these functions at branches and samples.
 */
#include "auxtrace/intel_pt/sampler.h"

#include "core/arch.h"

/* Computes cycles from the time, as perf does without CYC packets. */
static uint64_t guess_cycles(struct pt_worker *w, const struct pt_state *s, const struct pt_branch *b)
{
	struct pt_carry *c = &w->carry;
	uint64_t max = w->stage->info.max_nonturbo_ratio, tsc = s->time.tsc;

	if (tsc > c->guess.tsc && c->guess.tsc && c->guess.cbr && max && !b->begin)
		c->guess.now = MAX(c->guess.now, c->guess.base + (tsc - c->guess.tsc) * c->guess.cbr / max);
	if (b->begin || !c->guess.tsc || (s->time.cbr && s->time.cbr != c->guess.cbr)) {
		c->guess.tsc = tsc;
		c->guess.base = c->guess.now;
		c->guess.cbr = s->time.cbr ? s->time.cbr : c->guess.cbr;
	}
	return c->guess.now;
}

/*
 * The cycles come from CYC packets. If the trace has none, cycles are computed from the time and the core to bus ratio (CBR). A CYC
 * packet counts the cycles up to the next branch in the trace. So only at this branch do the counts of cycles and instructions
 * cover the same code.
 */
bool pt_note_cycles(struct pt_worker *w, const struct pt_state *s, const struct pt_branch *b, bool counts)
{
	struct pt_carry *c = &w->carry;
	uint64_t now;
	bool fresh;

	if ((b->kind == INSN_JUMP || b->kind == INSN_CALL) && !b->end)
		return pt_has_cycles(w);	/* no packet has a count here */
	c->have_cyc |= s->time.cycles > 0;
	now = c->have_cyc ? c->before.cycles + s->time.cycles : guess_cycles(w, s, b);
	/* If cycles are computed from the time, those before the end of tracing count at the next begin of tracing. */
	if (!c->have_cyc && b->end)
		return true;
	fresh = now != (!c->have_cyc && b->begin ? c->cycles : c->seen);
	c->seen = now;
	if (counts && (fresh || w->stage->aux.opts.approximate_ipc))
		c->cycles = now;
	return counts && (fresh || pt_has_cycles(w));
}

bool pt_has_cycles(const struct pt_worker *w)
{
	return w->stage->carries && (!w->carry.have_cyc || w->stage->aux.opts.approximate_ipc);
}

bool pt_count_sample(struct pt_worker *w, const struct pt_state *s, struct pt_count *last)
{
	uint64_t insns = w->carry.before.insns + (s->insns - w->first_insn), cycles = w->carry.cycles - last->cycles;

	w->aux.sample.cyc_cnt = cycles;
	if (!cycles)
		return false;
	w->aux.sample.insn_cnt = insns - last->insns;
	*last = (struct pt_count){ insns, w->carry.cycles };
	return true;
}
