/* Writing packets. Source of the headers: Arm ARM (DDI 0487), chapter D17. */
#include "tests/lib/spe_write.h"

#include <errno.h>

#include "auxtrace/arm_spe/packet.h"

/* One byte, or two where the index has more than three bits. */
static int indexed(uint8_t *to, uint8_t header, unsigned index)
{
	int n = 0;

	if (index > 31)
		return -EINVAL;
	if (index > 7)
		to[n++] = (uint8_t)(0x20 + index / 8);
	to[n++] = (uint8_t)(header + index % 8);
	return n;
}

/* A header with a number of up to @most in it. */
static int numbered(uint8_t *to, uint8_t header, unsigned number, unsigned most)
{
	if (number > most)
		return -EINVAL;
	*to = (uint8_t)(header + number);
	return 1;
}

/* A header that says how long the payload is. */
static int sized(uint8_t *to, uint8_t header, unsigned payload)
{
	switch (payload) {
	case 1:
		*to = header;
		return 1;
	case 2:
		*to = header + 0x10;
		return 1;
	case 4:
		*to = header + 0x20;
		return 1;
	case 8:
		*to = header + 0x30;
		return 1;
	default:
		return -EINVAL;
	}
}

static int finish(uint8_t *to, int header, unsigned payload, uint64_t value)
{
	if (header < 0)
		return header;
	for (unsigned i = 0; i < payload; i++)
		to[header + (int)i] = (uint8_t)(value >> 8 * i);
	return header + (int)payload;
}

int spe_packet_write(uint8_t *to, const struct spe_packet *pkt)
{
	switch (pkt->type) {
	case SPE_END:
		return numbered(to, 0x01, pkt->index, 0);
	case SPE_TIMESTAMP:
		return finish(to, numbered(to, 0x71, pkt->index, 0), 8, pkt->value);
	case SPE_ADDRESS:
		return finish(to, indexed(to, 0xb0, pkt->index), 8, pkt->value);
	case SPE_COUNTER:
		return finish(to, indexed(to, 0x98, pkt->index), 2, pkt->value);
	case SPE_CONTEXT:
		return finish(to, numbered(to, 0x64, pkt->index, 3), 4, pkt->value);
	case SPE_OPERATION:
		return finish(to, numbered(to, 0x48, pkt->index, 3), 1, pkt->value);
	case SPE_EVENTS:
		return finish(to, sized(to, 0x42, pkt->payload), pkt->payload, pkt->value);
	case SPE_SOURCE:
		return finish(to, sized(to, 0x43, pkt->payload), pkt->payload, pkt->value);
	default:
		return -EINVAL;
	}
}
