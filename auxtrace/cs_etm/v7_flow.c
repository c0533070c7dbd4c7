/*
 * Moves the decoder's position in the program's code (walk.h) for each packet of an ETMv3 or PTM, the trace units of ARMv7. flow.c
 * does this for ETMv4 and ETE.
 * Source: ETMv3.5 (IHI 0014), chapter 7; PFT v1.1 (IHI 0035), chapters 2 and 4.
 */
#include "auxtrace/cs_etm/v7_flow.h"

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/v7_packet.h"
#include "auxtrace/cs_etm/walk.h"

/* Converts an exception number to that of ETMv4 (IHI 0064, table 6-12), which samples.c uses. */
static int exception_number(unsigned number)
{
	enum { RESET, HALT, CALL, TRAP, SYSTEM_ERROR, INSN_FAULT = 11, DATA_FAULT, IRQ = 14, FIQ };
	static const uint8_t numbers[16] = {
		TRAP, HALT, CALL, CALL, SYSTEM_ERROR, TRAP, TRAP, TRAP, RESET, TRAP, CALL, INSN_FAULT, DATA_FAULT, TRAP, IRQ, FIQ,
	};

	return numbers[number & 15];
}

static void on_context(struct cs_walk *w, const struct cs_packet *pkt)
{
	struct cs_point *p = &w->point;
	uint8_t el = pkt->hyp ? 2 : p->el == 2 ? 0 : p->el;
	bool changed = p->ns != pkt->ns || p->el != el || (pkt->has_cid && p->cid != pkt->cid);

	p->ns = pkt->ns;
	p->el = el;
	p->sf = false;
	if (pkt->has_cid)
		p->cid = pkt->cid;
	cs_walk_context(w, changed, false);
}

static void on_isync(struct cs_walk *w, const struct cs_packet *pkt)
{
	if (pkt->reason == V7_RESTARTED)
		cs_walk_gap(w, CS_GAP_OVERFLOW);
	if (pkt->reason != V7_PERIODIC) {
		cs_walk_restart(w);
		w->lost = false;
		if (w->sink->start)
			w->sink->start(w->ctx, &w->point);
	}
	on_context(w, pkt);
	cs_walk_address(w, pkt->address, pkt->is);
}

/* An exception came before the next instruction. The packet has the address of its handler. */
static void on_exception(struct cs_walk *w, const struct cs_packet *pkt)
{
	uint64_t ip;
	uint8_t is;

	if (cs_walk_place(w, &ip, &is))
		cs_walk_exception(w, ip, is, exception_number(pkt->exception), false);
	else
		cs_walk_gap(w, CS_GAP_NO_ADDRESS);
	if (pkt->context_updated)
		on_context(w, pkt);
	cs_walk_address(w, pkt->address, pkt->is);
}

static void on_branch_packet(struct cs_walk *w, const struct cs_packet *pkt)
{
	if (pkt->cancels)
		cs_walk_cancel(w);
	cs_walk_settle(w);
	if (pkt->has_exception && pkt->exception) {
		on_exception(w, pkt);
		return;
	}
	if (w->config->v7 == CS_PTM)
		cs_walk_atoms(w, 1, 1);
	if (pkt->context_updated)
		on_context(w, pkt);
	cs_walk_address(w, pkt->address, pkt->is);
}

static void on_context_id(struct cs_walk *w, const struct cs_packet *pkt)
{
	bool changed = pkt->has_cid ? w->point.cid != pkt->cid : w->point.vmid != pkt->vmid;

	if (pkt->has_cid)
		w->point.cid = pkt->cid;
	else
		w->point.vmid = pkt->vmid;
	cs_walk_context(w, changed, false);
}

/* Applies atoms. An indirect branch with only an atom is a return by the return stack: other targets have a packet. */
static void on_atoms(struct cs_walk *w, const struct cs_packet *pkt)
{
	uint64_t ip;
	uint8_t is;

	if (w->config->v7 == CS_PTM) {
		cs_walk_atoms(w, pkt->taken, pkt->atoms);
		cs_walk_place(w, &ip, &is);
	} else {
		cs_walk_insns(w, pkt->taken, pkt->atoms);
	}
}

void v7_execute(struct cs_walk *w, const struct cs_packet *pkt)
{
	if (pkt->has_cycles)
		w->point.cycles += pkt->cycles;
	if (pkt->type == CS_ATOM) {
		on_atoms(w, pkt);
		return;
	}
	if (pkt->type == V7_BRANCH) {
		on_branch_packet(w, pkt);
		return;
	}
	cs_walk_settle(w);
	switch (pkt->type) {
	case V7_ISYNC:
		on_isync(w, pkt);
		break;
	case V7_WAYPOINT:
		cs_walk_through(w, pkt->address);
		break;
	case V7_CONTEXT_ID:
	case V7_VMID:
		on_context_id(w, pkt);
		break;
	case CS_TIMESTAMP:
		w->point.time = pkt->time;
		break;
	}
}
