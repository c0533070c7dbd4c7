/*
 * Describes how a CoreSight trace unit was configured, because packets and their fields depend on it: the sizes of packet
 * fields, and the trace options. info.c reads the registers with the configuration from the recording.
 * Source: ETMv4 (IHI 0064), chapter 7; for ETE, the Arm ARM (DDI 0487), chapter D5.
 */
#ifndef AUXTRACE_CS_ETM_CONFIG_H
#define AUXTRACE_CS_ETM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* The trace units of ARMv7 processors. */
enum cs_v7 { CS_NOT_V7, CS_ETMV3, CS_PTM };

struct cs_v7_registers {	/* ETMCR, ETMTRACEIDR, ETMCCER, ETMIDR */
	uint32_t cr, traceidr, ccer, idr;
};

struct cs_registers {		/* registers of an ETMv4 or ETE, as AUXTRACE_INFO has them */
	uint32_t configr, traceidr, idr0, idr1, idr2, idr8;
	uint32_t devarch;	/* 0: an ETMv4 */
};

struct cs_config {
	uint8_t id;		/* the trace ID */
	uint8_t version;	/* 0x40 and up: ETMv4.0; 0x50 and up: ETE 1.0 */
	uint8_t vmid_bytes, cid_bytes;
	uint8_t address_bits;	/* bits of the longest address: 32 or 64 */
	uint32_t cc_mask;	/* the bits that a cycle count has */
	uint32_t max_spec;	/* P0 elements that may wait to be committed */
	bool commopt;		/* cycle counts do not give the number of elements that they commit */
	bool cycle_counts;	/* cycle counts are traced */
	bool return_stack;	/* targets of returns are left out */
	bool q;			/* Q packets exist */
	bool conditional;	/* results of conditional instructions are traced */
	bool data;		/* data addresses or values are traced */
	bool loads_p0;		/* loads or stores are P0 elements: cannot be decoded without data trace */
	bool wait_branch;	/* wfi and wfe are P0 elements */
	bool trans_p0;		/* a transaction's start is a P0 element */

	/* ARMv7 only */
	uint8_t v7;		/* enum cs_v7 */
	bool wide_time, gray_time;	/* .wide_time: timestamps have 64 bits, otherwise 48; .gray_time: they are in Gray code */
	bool alt_branch;	/* ETMv3: branch packets with an address of any length may have an exception */
	bool virt, thumbee;	/* .virt: the processor has Hyp mode; .thumbee: it has ThumbEE */
};

void cs_config_init(struct cs_config *out, const struct cs_registers *r);
/* As cs_config_init(), for an ETMv3 or a PTM: ETMIDR shows which of them. Source: IHI 0014, chapter 3; IHI 0035, chapter 3. */
void cs_config_init_v7(struct cs_config *out, const struct cs_v7_registers *r);
/* Returns why traces of this configuration cannot be followed, or NULL if they can. */
const char *cs_config_unsupported(const struct cs_config *c);

#endif
