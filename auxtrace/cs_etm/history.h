/*
 * What packets leave out because an earlier one said it: the upper parts of addresses (the last three are
 * kept, newest first), of the time, the context.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_HISTORY_H
#define AUXTRACE_CS_ETM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

struct cs_packet;

struct cs_address {
	uint64_t value;
	uint8_t is;		/* 1: T32 */
	uint8_t known;		/* how many low bits of .value were ever said */
	bool wide;		/* a 64-bit address */
};

struct cs_history {		/* = {0}: nothing said so far */
	struct cs_address address[3];
	uint64_t time;
	bool timed;		/* a timestamp was seen */
	uint32_t threshold;	/* of cycle counts */
	uint8_t el;
	bool sf, ns, nse;
	uint32_t vmid, cid;
	bool has_context;
};

/* Take in @pkt, and complete its .address, .is, .time and .cycles. */
void cs_history_add(struct cs_history *h, struct cs_packet *pkt);

#endif
