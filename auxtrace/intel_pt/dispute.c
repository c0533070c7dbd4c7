/*
 * Resolves a PSB+ that contradicts the path before it: either earlier packets led astray unnoticed, or its address is
 * damaged. Both paths are followed silently. The old path is kept only if the PSB+ is contradicted, and the old path has
 * evidence enough. Else the PSB+ is believed, which needs no other packet. What follows it is suspect then, as its address
 * may be damaged, unless the old path is contradicted and the PSB+ has evidence enough.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow_impl.h"

#define DISPUTE_BITS	40	/* evidence, in bits, with which one is not contradicted */

/* Be where the PSB+ ended, but at @ip. */
static void take_side(struct pt_flow *f, uint64_t ip)
{
	uint32_t space = f->state.space;

	place_take(f, f->other);
	f->state.space = space;
	f->last_ip = (struct pt_ip){ .last = ip, .known = true };
	flow_begin_psb(f, ip);
}

/* The evidence that the program was at @ip, before the packet at @at; -1: it was not. */
static int weigh(struct pt_flow *f, uint64_t ip, const uint8_t *data, size_t size, size_t at)
{
	struct pt_flow before;
	int evidence;

	trial_begin(f, &before);
	take_side(f, ip);
	evidence = f->trial.gap ? -1 : trial_follow(f, data, size, at, DISPUTE_BITS);
	trial_undo(f, &before);
	return evidence;
}

/* It is not two addresses: a FUP or MODE before the PSB at @at has no TIP. */
static size_t end_half(struct pt_flow *f, size_t at)
{
	place_settle(f);
	return at;
}

size_t flow_decide(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base)
{
	uint64_t own_ip = f->other ? f->other->state.ip : 0, psb_ip = f->psb_ip;
	size_t next = at + PSBEND_SIZE;
	int own, psb;

	trial_look_back(f, at);
	if (f->gap.reason != PT_GAP_DESYNC)
		return end_half(f, at);
	place_ask_space(f);	/* trials do not */
	psb = weigh(f, psb_ip, data, size, next);
	own = f->other->nr_bits ? -1 : weigh(f, own_ip, data, size, next);
	if (own >= DISPUTE_BITS && psb < 0) {
		f->gap.unsure = 0;	/* it is the PSB+ that is wrong */
		place_settle(f);
		take_side(f, own_ip);
		place_anchor_here(f, base + next);
		return next;
	}
	place_settle(f);
	take_side(f, psb_ip);
	place_proven(f, true);
	if (psb < DISPUTE_BITS || own >= 0)
		place_suspect(f, PT_GAP_DESYNC);
	return next;
}
