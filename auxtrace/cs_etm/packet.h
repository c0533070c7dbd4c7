/*
 * Reads the packets of ETMv4 and ETE instruction traces for the decoder in flow.c. history.h adds the parts of addresses and
 * times that a packet leaves out. v7_packet.h reads the packets of ETMv3 and PTM.
 * Source: ETMv4 (IHI 0064), chapter 6; Arm ARM (DDI 0487), chapter D6 for ETE.
 */
#ifndef AUXTRACE_CS_ETM_PACKET_H
#define AUXTRACE_CS_ETM_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/cs_etm/packet_fields.h"

struct cs_config;

/*
 * Reads the packet at @p, without state from earlier packets; @n bytes are available. Returns its size in bytes; -ENODATA if the
 * data end in it; -EINVAL if the bytes are not a packet: then .type is CS_RESERVED, CS_RESERVED_CONFIG or CS_BAD, and .size the
 * number of bytes to skip.
 */
int cs_packet_read(struct cs_packet *out, const uint8_t *p, size_t n, const struct cs_config *c);

/* The packet type of @header in any configuration; CS_RESERVED: no packet starts with it. */
enum cs_packet_type cs_packet_type_of(uint8_t header);

/* The contents of a one-byte atom packet; .atoms is 0 for the headers of all other packets. */
struct cs_atoms {
	uint32_t taken;
	uint8_t atoms;
};

extern const struct cs_atoms cs_atoms[256];

/* Returns the offset of the next A-sync in [from, n), or @n. */
size_t cs_packet_sync(const uint8_t *p, size_t from, size_t n, const struct cs_config *c);

#endif
