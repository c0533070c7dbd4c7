/*
 * Reading packets. A header is one byte; addresses and counters of high index have another before
 * it (0x20 to 0x23), which with a zero after it is padding up to an aligned place instead.
 * Layer: auxtrace
 */
#include "auxtrace/arm_spe/packet.h"

#include <errno.h>

#include "core/base/util.h"

#define EXTENDED	0x20	/* bits 1:0 are bits 4:3 of the index */

/* Headers by mask; bits 5:4 of those with SIZED are the payload's size, in powers of two. */
static const struct row {
	uint8_t mask, value, type, index_mask, payload;	/* payload 0xff: SIZED */
} rows[] = {
	{ 0xff, 0x00, SPE_PADDING, 0, 0 },
	{ 0xff, 0x01, SPE_END, 0, 0 },
	{ 0xff, 0x71, SPE_TIMESTAMP, 0, 8 },
	{ 0xcf, 0x42, SPE_EVENTS, 0, 0xff },
	{ 0xcf, 0x43, SPE_SOURCE, 0, 0xff },
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

static bool has_extended(const struct row *r)
{
	return r && (r->type == SPE_ADDRESS || r->type == SPE_COUNTER);
}

/* Header 0x2n 0x00: up to the next multiple of 2^(n + 1). */
static int read_alignment(struct spe_packet *out, unsigned header, size_t at, size_t n)
{
	size_t to = 1u << ((header & 15) + 1);

	if (n - at < to)
		return -ENODATA;
	*out = (struct spe_packet){ .type = SPE_PADDING, .size = (uint8_t)(to - (at & (to - 1))) };
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
		if (!has_extended(r))
			return -EINVAL;
	}
	if (!r)
		return -EINVAL;
	*out = (struct spe_packet){ .type = r->type, .payload = r->payload, .index = p[at + headers - 1] & r->index_mask };
	if (r->payload == 0xff)
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
