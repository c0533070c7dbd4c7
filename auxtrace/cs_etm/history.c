/*
 * Completing packets.
 * Layer: auxtrace
 */
#include "auxtrace/cs_etm/history.h"

#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/v7_packet.h"

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
	a.value = (a.value & ~((1ull << bits) - 1)) | value;
	a.is = is;
	push(h, &a);
	return &h->address[0];
}

static void add_address(struct cs_history *h, struct cs_packet *pkt)
{
	uint64_t mask = pkt->address_bits < 64 ? (1ull << pkt->address_bits) - 1 : UINT64_MAX;
	struct cs_address a = h->address[pkt->address_bits ? 0 : pkt->match];

	if (pkt->address_bits) {
		if (!h->has_context || !h->sf)
			a.value &= UINT32_MAX;
		a.value = (a.value & ~mask) | pkt->address;
		a.is = pkt->is;
	}
	push(h, &a);
	pkt->address = a.value;
	pkt->is = a.is;
}

static void add_context(struct cs_history *h, const struct cs_packet *pkt)
{
	h->has_context = true;
	if (!pkt->updated)
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

static void add_time(struct cs_history *h, struct cs_packet *pkt)
{
	uint64_t mask = pkt->time_bits < 64 ? (1ull << pkt->time_bits) - 1 : UINT64_MAX;

	h->time = (h->time & ~mask) | pkt->time;
	h->timed = true;
	pkt->time = h->time;
}

void cs_history_add(struct cs_history *h, struct cs_packet *pkt)
{
	if (pkt->v7) {
		v7_history_add(h, pkt);
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
