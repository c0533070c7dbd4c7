/*
 * Fills a struct spe_record from the packets (packet.h) of one sampled operation, for decode.c. The high bits of an address,
 * such as its tag or exception level, are dropped.
 */
#include "auxtrace/arm_spe/record.h"

#include <errno.h>

#include "auxtrace/arm_spe/packet.h"

/* Replaces bits 63:56, which hold state or a tag, by copies of bit 55, as in a canonical address. */
static uint64_t spe_address_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 8) >> 8);
}

/* Other contents of the high bits are not read (Arm ARM, "Address packet payload"), such as NS, EL, and the tag of a VA. */
static void add_address(struct spe_record *r, unsigned index, uint64_t v)
{
	switch (index) {
	case SPE_PC:
		r->pc = spe_address_canonical(v);
		break;
	case SPE_TARGET:
		r->target = spe_address_canonical(v);
		break;
	case SPE_VA:
		r->va = spe_address_canonical(v);
		break;
	case SPE_PA:
		r->pa = v & 0x00ffffffffffffffull;
		break;
	case SPE_PREVIOUS:
		r->prev_target = spe_address_canonical(v);
		break;
	}
}

static void add_context(struct spe_record *r, unsigned index, uint32_t v)
{
	if (index == 0) {
		r->has |= SPE_HAS_CONTEXT_1;
		r->context_el1 = v;
	} else if (index == 1) {
		r->has |= SPE_HAS_CONTEXT_2;
		r->context_el2 = v;
	}
}

static bool add(struct spe_record *r, const struct spe_packet *pkt)
{
	switch (pkt->type) {
	case SPE_END:
		return true;
	case SPE_TIMESTAMP:
		r->has |= SPE_HAS_TIME;
		r->time = pkt->value;
		return true;
	case SPE_ADDRESS:
		add_address(r, pkt->index, pkt->value);
		break;
	case SPE_COUNTER:
		if (pkt->index == SPE_TOTAL)
			r->total = (uint16_t)pkt->value;
		break;
	case SPE_CONTEXT:
		add_context(r, pkt->index, (uint32_t)pkt->value);
		break;
	case SPE_OPERATION:
		r->has |= SPE_HAS_OPERATION;
		r->class = pkt->index;
		r->subclass = (uint8_t)pkt->value;
		break;
	case SPE_EVENTS:
		r->events = pkt->value;
		break;
	case SPE_SOURCE:
		r->source = pkt->value;
		break;
	}
	return false;
}

size_t spe_record_next(struct spe_record *out, const uint8_t *p, size_t at, size_t n)
{
	struct spe_packet pkt;
	bool begun = false;
	int size;

	*out = (struct spe_record){ .at = at };
	while ((size = spe_packet_read(&pkt, p, at, n)) > 0) {
		at += (size_t)size;
		if (pkt.type == SPE_PADDING && !begun) {
			out->at = at;
			continue;
		}
		begun = true;
		out->size = at - out->at;
		if (add(out, &pkt))
			return at;
	}
	out->size = at - out->at;
	if (size == -ENODATA && at < n)
		out->size = n - out->at;
	if (size == -ENODATA)
		return 0;
	out->broken = true;
	while (at < n && spe_packet_read(&pkt, p, at, n) == -EINVAL)
		at++;
	return at;
}
