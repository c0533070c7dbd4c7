/*
 * Reads one Arm SPE packet: a header of one or two bytes, then the payload. record.c joins the packets of one sampled operation,
 * and packet_text.c prints packets.
 */
#include "auxtrace/arm_spe/packet.h"

#include <errno.h>

#include "core/base/util.h"

/*
 * The first of the two bytes of an extended header is EXTENDED + n. The second byte gives the packet's type, address or counter,
 * and bits 2:0 of the index, the number of this address or counter. Bits 4:3 of the index are n. If the second byte is 0, the
 * packet is padding instead.
 */
#define EXTENDED	0x20

#define SIZED	0xff	/* bits 5:4 of the header are the payload's size, as a power of two */

/* A row matches a header if (header & mask) == value. */
static const struct row {
	uint8_t mask, value, type, index_mask, payload;	/* payload: bytes, or SIZED */
} rows[] = {
	{ 0xff, 0x00, SPE_PADDING, 0, 0 },
	{ 0xff, 0x01, SPE_END, 0, 0 },
	{ 0xff, 0x71, SPE_TIMESTAMP, 0, 8 },
	{ 0xcf, 0x42, SPE_EVENTS, 0, SIZED },
	{ 0xcf, 0x43, SPE_SOURCE, 0, SIZED },
	{ 0xfc, 0x64, SPE_CONTEXT, 3, 4 },
	{ 0xfc, 0x48, SPE_OPERATION, 3, 1 },
	{ 0xf8, 0xb0, SPE_ADDRESS, 7, 8 },
	{ 0xf8, 0x98, SPE_COUNTER, 7, 2 },
};

static const struct row *row_of(uint8_t header)
{
	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++)
		if ((header & r->mask) == r->value)
			return r;
	return NULL;
}

static bool may_be_extended(const struct row *r)
{
	return r && (r->type == SPE_ADDRESS || r->type == SPE_COUNTER);
}

/* Header 0x2n 0x00: padding up to the next multiple of 2^(n + 1). */
static int read_alignment(struct spe_packet *out, unsigned header, size_t at, size_t n)
{
	size_t alignment = 1u << ((header & 15) + 1);

	if (n - at < alignment)
		return -ENODATA;
	*out = (struct spe_packet){ .type = SPE_PADDING, .size = (uint8_t)(alignment - (at & (alignment - 1))) };
	return out->size;
}

int spe_packet_read(struct spe_packet *out, const uint8_t *p, size_t at, size_t n)
{
	const struct row *r;
	unsigned headers = 1;
	uint8_t header;

	if (at >= n)
		return -ENODATA;
	header = p[at];
	r = row_of(header);
	if ((header & 0xfc) == EXTENDED) {
		if (n - at < 2)
			return -ENODATA;
		if (!p[at + 1])
			return read_alignment(out, header, at, n);
		headers = 2;
		r = row_of(p[at + 1]);
		if (!may_be_extended(r))
			return -EINVAL;
	}
	if (!r)
		return -EINVAL;
	*out = (struct spe_packet){ .type = r->type, .payload = r->payload, .index = p[at + headers - 1] & r->index_mask };
	if (r->payload == SIZED)
		out->payload = (uint8_t)(1u << (header >> 4 & 3));
	if (headers == 2)
		out->index |= (uint8_t)((header & 3) << 3);
	if (n - at < headers + out->payload)
		return -ENODATA;
	for (unsigned i = 0; i < out->payload; i++)
		out->value |= (uint64_t)p[at + headers + i] << 8 * i;
	out->size = (uint8_t)(headers + out->payload);
	return out->size;
}
