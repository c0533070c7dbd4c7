/*
 * Completes a CoreSight packet. A packet leaves out address bits, context and time that are the same as in an earlier packet, and
 * this file adds them.
 */
#include "auxtrace/cs_etm/history.h"

#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/v7_packet.h"
#include "core/base/util.h"

static void push(struct cs_history *h, const struct cs_address *a)
{
	h->address[2] = h->address[1];
	h->address[1] = h->address[0];
	h->address[0] = *a;
}

const struct cs_address *cs_history_match(struct cs_history *h, unsigned match)
{
	struct cs_address a = h->address[match];

	push(h, &a);
	return &h->address[0];
}

const struct cs_address *cs_history_short(struct cs_history *h, uint64_t value, unsigned bits, uint8_t is)
{
	struct cs_address a = h->address[0];

	if (!h->has_context || !h->sf)
		a.value &= UINT32_MAX;
	a.value = (a.value & ~(UINT64_MAX >> (64 - bits))) | value;
	a.is = is;
	push(h, &a);
	return &h->address[0];
}

static void add_address(struct cs_history *h, struct cs_packet *pkt)
{
	const struct cs_address *a = pkt->address_bits ? cs_history_short(h, pkt->address, pkt->address_bits, pkt->is) :
							 cs_history_match(h, pkt->match);

	pkt->address = a->value;
	pkt->is = a->is;
}

static void add_context(struct cs_history *h, const struct cs_packet *pkt)
{
	h->has_context = true;
	if (!pkt->context_updated)
		return;
	h->el = pkt->el;
	h->sf = pkt->sf;
	h->ns = pkt->ns;
	h->nse = pkt->nse;
	if (pkt->has_vmid)
		h->vmid = pkt->vmid;
	if (pkt->has_cid)
		h->cid = pkt->cid;
}

static uint64_t to_gray(uint64_t v)
{
	return v ^ v >> 1;
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		v ^= v >> shift;
	return v;
}

/* The bits of a short timestamp replace the low bits of the last timestamp. */
static void add_time(struct cs_history *h, struct cs_packet *pkt)
{
	uint64_t mask = pkt->time_bits < 64 ? (1ull << pkt->time_bits) - 1 : UINT64_MAX;
	uint64_t before = pkt->gray_bits ? to_gray(h->time) : h->time, now = (before & ~mask) | pkt->time;

	if (pkt->gray_bits && pkt->gray_bits < 64)
		now &= (1ull << pkt->gray_bits) - 1;
	h->time = pkt->gray_bits ? from_gray(now) : now;
	h->timed = true;
	pkt->time = h->time;
}

/* ---- of ARMv7 ---- */

static void add_v7_address(struct cs_history *h, struct cs_packet *pkt)
{
	uint64_t mask;

	h->last_isa = h->isa;
	if (pkt->isa)
		h->isa = pkt->isa;
	pkt->is = h->isa == V7_THUMB || h->isa == V7_THUMBEE;
	if (pkt->type != V7_ISYNC && !pkt->is) {
		pkt->address = h->isa == V7_JAZELLE ? pkt->address >> 1 : pkt->address << 1;
		pkt->address_bits = (uint8_t)(pkt->address_bits + (h->isa == V7_JAZELLE ? -1 : 1));
	}
	mask = (1ull << MIN(pkt->address_bits, 32)) - 1;
	h->address[0].value = (h->address[0].value & ~mask & UINT32_MAX) | (pkt->address & mask);
	h->address[0].is = pkt->is;
	h->address_bits = MAX(h->address_bits, MIN(pkt->address_bits, 32));
	pkt->address = h->address[0].value;
}

static void add_v7(struct cs_history *h, struct cs_packet *pkt)
{
	if (pkt->has_address)
		add_v7_address(h, pkt);
	if (pkt->context_updated) {
		h->ns = pkt->ns;
		h->el = pkt->hyp ? 2 : 0;
	}
	if (pkt->type == CS_TIMESTAMP)
		add_time(h, pkt);
}

/* ---- all ---- */

void cs_history_add(struct cs_history *h, struct cs_packet *pkt)
{
	if (pkt->v7) {
		add_v7(h, pkt);
		return;
	}
	if (pkt->type == CS_TRACE_INFO)
		*h = (struct cs_history){ .threshold = pkt->threshold, .has_context = h->has_context, .sf = h->sf };
	if (pkt->has_context)
		add_context(h, pkt);
	if (pkt->has_address)
		add_address(h, pkt);
	switch (pkt->type) {
	case CS_TIMESTAMP:
		add_time(h, pkt);
		break;
	case CS_PE_RESET:
	case CS_TRANS_FAIL:
		push(h, &(struct cs_address){ 0 });
		break;
	case CS_CYCLES_1:
	case CS_CYCLES_2:
	case CS_CYCLES_3:
		if (pkt->has_cycles)
			pkt->cycles += h->threshold;
		break;
	}
}
