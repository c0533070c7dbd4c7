/*
 * Keeps the last addresses, the last timestamp and the context of a CoreSight trace. A packet leaves out what has not changed
 * since earlier packets, and flow.c completes it with these values.
 */
#ifndef AUXTRACE_CS_ETM_HISTORY_H
#define AUXTRACE_CS_ETM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

struct cs_packet;

struct cs_address {
	uint64_t value;
	uint8_t is;		/* 1: T32 */
};

struct cs_history {		/* = {0}: no packets yet */
	struct cs_address address[3];	/* the newest first */
	uint64_t time;
	bool timed;		/* a timestamp was seen */
	uint32_t threshold;	/* added to each cycle count of a packet; from trace info */
	/* The context, as in struct cs_packet: exception level, security state, VMID and context ID. */
	uint8_t el;
	bool sf, ns, nse;
	uint32_t vmid, cid;
	bool has_context;
	uint8_t isa, last_isa;	/* ARMv7, enum v7_isa: the present one, and that before the last address packet */
	uint8_t address_bits;	/* ARMv7: number of known low bits of the address */
};

/* Updates the history from @pkt, and completes its .address, .is, .time and .cycles. A trace info packet resets most of it. */
void cs_history_add(struct cs_history *h, struct cs_packet *pkt);

/* Faster than cs_history_add() for the two packets that are most frequent after atoms. They return the address. */
const struct cs_address *cs_history_match(struct cs_history *h, unsigned match);
/* An address of instruction set @is, of which the low @bits (1 to 64) are in @value. */
const struct cs_address *cs_history_short(struct cs_history *h, uint64_t value, unsigned bits, uint8_t is);

#endif
